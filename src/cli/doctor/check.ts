/** One finding of `localization doctor`, and all of them. */
import * as z from 'zod'

const LEVELS = ['ok', 'warning', 'error'] as const

export const doctorResult = z.object({
  ok: z.boolean(),
  checks: z.array(
    z.object({
      name: z.string(),
      level: z.enum(LEVELS),
      found: z.string(),
      /** The file in question, with line and column where they are known. */
      where: z.string().nullable(),
      /** What to do. */
      hint: z.string().nullable(),
    }),
  ),
})

export type Check = z.infer<typeof doctorResult>['checks'][number]

/** Without a level: `ok`. */
export type Found = Pick<Check, 'found'> & Partial<Pick<Check, 'level' | 'where' | 'hint'>>
