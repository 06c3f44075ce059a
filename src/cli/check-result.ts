/** What `localization check` is asked and answers, shared by its two halves: texts and sources. */
import * as z from 'zod'
import type { Catalog } from '../catalog/model.ts'
import type { Syntax } from '../catalog/placeholders.ts'
import type { Finding } from '../check/types.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Place } from '../errors.ts'
import type { FilesResult } from '../sources/files.ts'
import type { CommandContext } from './command.ts'
import type { FilterOptions, Scope } from './filters.ts'
import type { Paint } from './text.ts'

export const checkResult = z.object({
  ok: z.boolean(),
  /** What was looked at. */
  languages: z.array(z.string()),
  namespaces: z.array(z.string()),
  texts: z.number().int(),
  errors: z.number().int(),
  warnings: z.number().int(),
  findings: z.array(
    z.object({
      rule: z.enum([
        'coverage',
        'placeholders',
        'icu',
        'empty',
        'characters-limit',
        'collision',
        'file',
        'unused',
        'missing-in-code',
        'unknown-call',
        'source',
      ]),
      severity: z.enum(['error', 'warning']),
      message: z.string(),
      language: z.string().nullable(),
      namespace: z.string().nullable(),
      key: z.string().nullable(),
      customer: z.string().nullable(),
      file: z.string().nullable(),
      line: z.number().int().nullable(),
      column: z.number().int().nullable(),
    }),
  ),
  /** With `--unused`, `--missing-in-code` and `--remove`: what the sources say. */
  usage: z
    .object({
      sources: z.number().int(),
      keys: z.number().int(),
      used: z.number().int(),
      /** Namespaces that a call with an unknown key keeps whole. */
      whole: z.array(z.string()),
      dryRun: z.boolean(),
      /** Keys taken out of the files, with `--dry-run` those that would be. */
      removed: z.array(z.object({ namespace: z.string(), key: z.string() })),
      files: z.array(z.string()),
    })
    .optional(),
})
export type CheckResult = z.infer<typeof checkResult>

export interface CheckOptions extends FilterOptions {
  reporter: 'text' | 'github'
  service?: boolean
  coverage?: readonly (readonly [string, string])[]
  charactersLimit?: readonly (readonly [string, string])[]
  syntax: Syntax | 'auto'
  strict?: boolean
  unused?: boolean
  missingInCode?: boolean
  remove?: boolean
  force?: boolean
  yes?: boolean
  dryRun?: boolean
  source?: readonly string[]
  function?: readonly string[]
  keep?: readonly string[]
  ignoreIn?: readonly string[]
}

export interface Found {
  readonly catalog: Catalog
  readonly scope: Scope
  readonly findings: readonly Finding[]
  readonly strict: boolean
}

/** What the half about sources takes from the half about texts. */
export interface CheckParts {
  serviceCatalog(context: CommandContext, config: ResolvedConfig, files: Catalog): Promise<Catalog>
  createLocator(config: ResolvedConfig, files: FilesResult): (place: Place) => Promise<Place>
  result(found: Found, locate: (place: Place) => Promise<Place>): Promise<CheckResult>
  show(data: CheckResult, options: CheckOptions, paint: Paint, all: boolean): string
}
