/** `localization diff` shows every text that differs between the files and the service. */
import * as z from 'zod'
import { count } from '../../shared/figures.ts'
import type { TextState } from '../../sync/decide.ts'
import { choice, defineCommand, type Frozen, flag } from '../command.ts'
import { FILTERS } from '../filters.ts'
import { openProject } from '../project.ts'
import { conflictOf, conflictResult, nameOf, skippedLines } from '../summary.ts'
import { MAX_CHARACTERS, type Paint, quoted, quotedChange, type Tone } from '../text.ts'

const KINDS = {
  'new-here': 'changed-here',
  'edited-here': 'changed-here',
  'new-there': 'changed-there',
  'edited-there': 'changed-there',
  conflict: 'conflict',
  'deleted-here': 'deleted-here',
  'deleted-there': 'deleted-there',
} as const satisfies Record<Exclude<TextState, 'equal'>, string>
type Kind = (typeof KINDS)[keyof typeof KINDS]
const ALL_KINDS = [...new Set(Object.values(KINDS))]

export const diffResult = z.object({
  differences: z.array(conflictResult.extend({ kind: z.enum(ALL_KINDS) })),
  skippedFiles: z.array(z.string()),
})
type Difference = Frozen<z.infer<typeof diffResult>>['differences'][number]

const TITLES: Record<Kind, string> = {
  'changed-here': 'changed in the file (push)',
  'changed-there': 'changed on the service (pull)',
  conflict: 'changed on both sides: conflict (resolve)',
  'deleted-here': 'deleted in the file (push --prune, or pull --restore)',
  'deleted-there': 'deleted on the service (pull --prune)',
}

export const command = defineCommand({
  description: 'Show every text that differs between the files and the service, and who changed it. Changes nothing.',
  examples: ['diff --language pl', 'diff --conflicts --json'],
  options: {
    conflicts: flag('only conflicts: texts that changed on both sides'),
    exitCode: flag('exit with 1 if there is a difference'),
    ...FILTERS,
    kind: choice('<kind>', 'only differences of this kind', ALL_KINDS),
  },
  result: diffResult,
  async work(context, options) {
    const open = await openProject(context, options, false)
    await open.close()
    const wanted = options.conflicts ? 'conflict' : options.kind
    const differences = open
      .differences()
      .flatMap((text) => (text.state === 'equal' ? [] : [{ ...conflictOf(text), kind: KINDS[text.state] }]))
      .filter(({ kind }) => wanted === undefined || kind === wanted)
    const data = { differences, skippedFiles: open.brokenFiles }
    return { data, failed: (options.exitCode && differences.length > 0) || data.skippedFiles.length > 0 }
  },
  text({ data: { differences, skippedFiles } }, paint) {
    const groups = ALL_KINDS.flatMap((kind) => {
      const group = differences.filter((each) => each.kind === kind)
      if (group.length === 0) return []
      const title = paint('bold', `${count(group.length, 'text')} ${TITLES[kind]}`)
      return [[title, ...group.flatMap((text) => linesOf(text, paint))].join('\n')]
    })
    return [...skippedLines(skippedFiles), groups.length === 0 ? 'no difference' : groups.join('\n\n')].join('\n')
  },
})

/** Shows the replaced text, then its replacement, with the changed words marked. A conflict also shows its base. */
export function linesOf({ base, ours, theirs, kind, ...ref }: Difference, paint: Paint): string[] {
  const isOurs = kind !== 'changed-there' && kind !== 'deleted-there'
  const line = (tone: Tone, sign: string, side: string, text: string) =>
    paint(tone, `  ${sign} ${side.padEnd(8)}${text}`)
  const whole = (text: string | null) => (text === null ? '(none)' : quoted(text, MAX_CHARACTERS))
  const [before, after] = isOurs ? [theirs, ours] : [ours, theirs]
  const isChange = before !== null && after !== null
  const change = isChange ? quotedChange(before, after, ref.language, paint) : ([whole(before), whole(after)] as const)
  const [old, now] = isOurs ? ['service', 'file'] : ['file', 'service']
  return [
    nameOf(ref),
    ...(kind === 'conflict' ? [line('dim', ' ', 'base', whole(base))] : []),
    line('red', '-', old, change[0]),
    line('green', '+', now, change[1]),
  ]
}
