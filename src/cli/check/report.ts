/** The result of `localization check`, as data, text and GitHub annotations. */
import * as z from 'zod'
import { type Finding, RULES } from '../../catalog/finding.ts'
import { type Catalog, createCatalog } from '../../catalog/model.ts'
import type { ResolvedConfig } from '../../config/types.ts'
import { type Diagnostic, formatFinding } from '../../errors.ts'
import { printable } from '../../shared/escape.ts'
import { count, grouped } from '../../shared/figures.ts'
import { groupBy } from '../../shared/split.ts'
import type { FilesResult } from '../../sources/files.ts'
import { createLocator } from '../../sources/locate.ts'
import { REASON_TEXTS, type UseReason } from '../../usage/model.ts'
import type { KeyName } from '../../usage/unused.ts'
import type { Frozen } from '../command.ts'
import type { Scope } from '../filters.ts'
import { findingLine, findingLines, type Paint, partName, positionText, quoted } from '../text.ts'

/** `named` means that no call uses the key, but a string or template in the code contains it. */
const TEXTS = { ...REASON_TEXTS, named: 'unused, but a string in the code names it', unused: 'unused' }

type Judgement = keyof typeof TEXTS
const JUDGEMENTS = Object.keys(TEXTS) as Judgement[]

const judgedKey = z.object({
  namespace: z.string(),
  key: z.string(),
  judgement: z.enum(JUDGEMENTS),
  /** The key, pattern, string or call in the code that is the reason. */
  by: z.string().nullable(),
  /** File, line and column. */
  at: z.string().nullable(),
})
type JudgedKey = z.infer<typeof judgedKey>

export const checkResult = z.object({
  ok: z.boolean(),
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
  /** Only with `--unused`, `--missing-in-code` or `--remove`. */
  usage: z
    .object({
      sources: z.number().int(),
      keys: z.number().int(),
      used: z.number().int(),
      /** Only with `--unused` or `--remove`. */
      judged: z.array(judgedKey).optional(),
      /** Namespaces in which every key counts as used, because a call's key is unknown. */
      whole: z.array(z.string()),
      dryRun: z.boolean(),
      /** The keys that were removed from the files, or would be with `--dry-run`. */
      removed: z.array(z.object({ namespace: z.string(), key: z.string() })),
      files: z.array(z.string()),
    })
    .optional(),
})
export type CheckResult = z.infer<typeof checkResult>
type Shown = Frozen<CheckResult>
type ShownFinding = Shown['findings'][number]

export interface Checked {
  readonly config: ResolvedConfig
  readonly scope: Scope
  readonly files: FilesResult
  readonly catalog: Catalog
}

const COLLISIONS = ['FILE_KEY_COLLISION', 'FILE_DUPLICATE_KEY', 'FILE_NAME_COLLISION']

export function fileFinding({ code, severity, message, hint, place = {} }: Diagnostic): Finding {
  const text = formatFinding({ message, ...(hint !== undefined && { hint }) })
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
    findings: shown.map(({ rule, severity, message, place }) => {
      const { language = null, namespace = null, key = null, customer = null } = place
      const { file = null, line = null, column = null } = place
      return { rule, severity, message, language, namespace, key, customer, file, line, column }
    }),
  } satisfies CheckResult
}

/** The number of findings listed per rule, language and namespace, unless `--verbose` is set. */
const LISTED = 5

export function formatReport(data: Shown, paint: Paint, all = false): string {
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
  if (!first) return []
  if (!all && first.rule === 'empty' && group.length > 1) {
    const message = `${count(group.length, 'text')} are empty; the first is here`
    return [findingLine({ ...first, message }, paint)]
  }
  const part = partName(first) === '' ? '' : ` in ${partName(first)}`
  return findingLines(group, all ? group.length : LISTED, paint, part)
}

/** Returns one GitHub workflow command for each finding. */
export function formatAnnotations({ findings }: Shown): string {
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

/** @param reason the call that uses the key, or the string in the code that contains an unused key */
export function judge({ namespace, key }: KeyName, isUnused: boolean, reason: UseReason | undefined): JudgedKey {
  const judgement = isUnused ? (reason ? 'named' : 'unused') : (reason?.kind ?? 'array')
  return {
    namespace,
    key,
    judgement,
    by: reason?.name ?? null,
    at: reason?.file === undefined ? null : positionText(reason),
  }
}

export function formatUsage(usage: NonNullable<Shown['usage']>, paint: Paint, all: boolean): string {
  const { sources, keys, used, judged = [], whole, removed, files, dryRun } = usage
  const lines = [
    ...(all ? formatJudged(judged, all) : []),
    `${grouped(used)} of ${count(keys, 'key')} used by ${count(sources, 'source file')}`,
    ...(all ? [] : formatJudged(judged, all)),
  ]
  if (whole.length > 0)
    lines.push(paint('dim', `kept completely because of calls with unknown keys: ${whole.map(printable).join(', ')}`))
  const figures = `${count(removed.length, 'key')} from ${count(files.length, 'file')}`
  if (removed.length > 0) lines.push(`${dryRun ? 'would remove' : 'removed'} ${figures}`)
  return lines.join('\n')
}

/** One line for each key if `all` is set; otherwise one line with the totals. */
function formatJudged(keys: readonly Frozen<JudgedKey>[], all: boolean): string[] {
  const figures = JUDGEMENTS.flatMap((judgement) => {
    const number = keys.filter((each) => each.judgement === judgement).length
    return number === 0 ? [] : [`${grouped(number)} ${TEXTS[judgement]}`]
  })
  if (!all) return figures.length === 0 ? [] : [`${figures.join(', ')} (--verbose lists each key)`]
  return keys.map(({ namespace, key, judgement, by, at }) => {
    const code = by === null || by === key ? '' : `: ${printable(by)}`
    return `  ${printable(namespace)} ${quoted(key, 100)} ${TEXTS[judgement]}${code}${at === null ? '' : ` (${at})`}`
  })
}
