/** The result of `localization check`: as data, as text, as annotations for GitHub. */
import * as z from 'zod'
import { type Finding, RULES } from '../../catalog/finding.ts'
import { type Catalog, createCatalog } from '../../catalog/model.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import type { Diagnostic } from '../../errors.ts'
import { count } from '../../shared/figures.ts'
import { printable } from '../../shared/printable.ts'
import { groupBy } from '../../shared/split.ts'
import type { FilesResult } from '../../sources/files.ts'
import { createLocator } from '../../sources/locate.ts'
import type { Scope } from '../filters.ts'
import type { Paint } from '../text.ts'
import { judgedKey } from './judged.ts'

export const checkResult = z.object({
  ok: z.boolean(),
  /** The languages and namespaces that were checked. */
  languages: z.array(z.string()),
  namespaces: z.array(z.string()),
  texts: z.number().int(),
  errors: z.number().int(),
  warnings: z.number().int(),
  findings: z.array(
    z.object({
      rule: z.enum(RULES),
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
  /** With `--unused`, `--missing-in-code` and `--remove`: the keys that the sources use. */
  usage: z
    .object({
      sources: z.number().int(),
      keys: z.number().int(),
      used: z.number().int(),
      /** With `--unused` and `--remove`: why each key counts as used, or does not. */
      judged: z.array(judgedKey).optional(),
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
type ShownFinding = CheckResult['findings'][number]

/** What a check looked at. */
export interface Checked {
  readonly config: ResolvedConfig
  readonly scope: Scope
  readonly files: FilesResult
  readonly catalog: Catalog
}

const COLLISIONS = ['FILE_KEY_COLLISION', 'FILE_DUPLICATE_KEY', 'FILE_NAME_COLLISION']

/** A problem of a translation file. */
export function fileFinding({ code, severity, message, hint, place = {} }: Diagnostic): Finding {
  const text = hint === undefined ? message : `${message.replace(/\.?$/, '.')} ${hint}`
  return { rule: COLLISIONS.includes(code) ? 'collision' : 'file', severity, message: text, place }
}

export async function createResult(checked: Checked, findings: readonly Finding[], strict = false) {
  const locate = createLocator(checked.config, checked.files)
  const shown = await Promise.all(findings.map(locate))
  const errors = shown.filter(({ severity }) => severity === 'error').length
  const warnings = shown.length - errors
  const { languages, namespaces, textCount } = createCatalog({ parts: checked.catalog.parts.filter(checked.scope.has) })
  return {
    ok: errors === 0 && !(strict && warnings > 0),
    languages: languages.map(({ key }) => key),
    namespaces: [...namespaces],
    texts: textCount,
    errors,
    warnings,
    findings: shown.map(({ rule, severity, message, place }) => ({
      rule,
      severity,
      message,
      language: place.language ?? null,
      namespace: place.namespace ?? null,
      key: place.key ?? null,
      customer: place.customer ?? null,
      file: place.file ?? null,
      line: place.line ?? null,
      column: place.column ?? null,
    })),
  } satisfies CheckResult
}

/** How many findings of one rule, language and namespace are listed. `--json`, `--verbose` and annotations list all. */
const LISTED = 5

export function formatReport(data: CheckResult, paint: Paint, all = false): string {
  const groups = groupBy(data.findings, ({ rule, language, namespace }) => JSON.stringify([rule, language, namespace]))
  const { languages, namespaces, texts, errors, warnings, ok } = data
  const size = [count(languages.length, 'language'), count(namespaces.length, 'namespace'), count(texts, 'text')]
  const found = `${count(errors, 'error')}, ${count(warnings, 'warning')}`
  return [
    ...groups.flatMap((group) => formatGroup(group, paint, all)),
    `${ok ? paint('green', 'ok') : paint('red', 'not ok')}: ${found} in ${size.join(', ')}`,
  ].join('\n')
}

function formatGroup(group: readonly ShownFinding[], paint: Paint, all: boolean): string[] {
  const [first] = group
  if (all || !first || group.length === 1) return group.map((finding) => formatFinding(finding, paint))
  if (first.rule === 'empty') {
    const message = `${count(group.length, 'text')} are empty; the first one here`
    return [formatFinding({ ...first, message }, paint)]
  }
  const lines = group.slice(0, LISTED).map((finding) => formatFinding(finding, paint))
  if (group.length <= LISTED) return lines
  const rest = count(group.length - LISTED, 'more finding')
  const part = partName(first)
  return [...lines, paint('dim', `  and ${rest} of the rule ${first.rule}${part === '' ? '' : ` in ${part}`}`)]
}

function formatFinding(finding: ShownFinding, paint: Paint): string {
  const { severity, rule, message, file, line, column } = finding
  const where = file === null ? partName(finding) : [file, line, column].filter((part) => part !== null).join(':')
  const tone = severity === 'error' ? 'red' : 'yellow'
  const text = `${paint(tone, severity)} ${printable(message)} ${paint('dim', `(${rule})`)}`
  return where === '' ? text : `${where}: ${text}`
}

function partName({ language, namespace }: ShownFinding): string {
  return [language, namespace].filter((part) => part !== null).join('/')
}

/** GitHub's workflow commands, one for each finding. */
export function formatAnnotations({ findings }: CheckResult): string {
  const value = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = (text: string) => value(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
  const lines = findings.map((finding) => {
    const { severity, rule, message, file, line, column } = finding
    const properties = [
      ...(file === null ? [] : [`file=${property(file)}`]),
      ...(line === null ? [] : [`line=${line}`]),
      ...(column === null ? [] : [`col=${column}`]),
      `title=${property(`localization ${rule}`)}`,
    ]
    const where = file === null && partName(finding) !== '' ? `${partName(finding)}: ` : ''
    return `::${severity} ${properties.join(',')}::${value(where + message)}`
  })
  return lines.join('\n')
}
