/** The result of `localization extract`: as data and as text. */
import * as z from 'zod'
import { count } from '../../shared/figures.ts'
import { printable } from '../../shared/printable.ts'
import { groupBy } from '../../shared/split.ts'
import { type Paint, quoted } from '../text.ts'

const place = z.object({ file: z.string(), line: z.number().int(), column: z.number().int() })

/**
 * `conflict`: two calls give different texts for one key. `no-file`: no pattern gives a file. `file`: a translation
 * file that cannot be read or written. `source`: a source that cannot be read. `skipped`: a key without a text that is
 * not written; the message gives the reason.
 */
const RULES = ['conflict', 'no-file', 'file', 'source', 'skipped'] as const

export const extractResult = z.object({
  dryRun: z.boolean(),
  /** The default language. */
  language: z.string(),
  /** The number of sources that were read. */
  sources: z.number().int(),
  /** The keys that were written, with `--dry-run` those that would be. */
  keys: z.array(
    z.object({
      namespace: z.string(),
      key: z.string(),
      text: z.string(),
      /** Where the text comes from: a call, the key itself, or nowhere (the text is empty then). */
      from: z.enum(['call', 'key', 'none']),
      file: z.string(),
      /** The places that use the key. */
      calls: z.array(place),
    }),
  ),
  /** Translation files that changed, with `--dry-run` those that would. */
  files: z.array(z.string()),
  findings: z.array(
    z.object({
      rule: z.enum(RULES),
      severity: z.enum(['error', 'warning']),
      message: z.string(),
      namespace: z.string().nullable(),
      key: z.string().nullable(),
      file: z.string().nullable(),
      line: z.number().int().nullable(),
      column: z.number().int().nullable(),
    }),
  ),
})
export type ExtractData = z.infer<typeof extractResult>
export type ExtractFinding = ExtractData['findings'][number]

/** How many keys of one file, and findings of one rule, are listed without `--verbose`. */
const LISTED = 20

export function formatExtract(data: ExtractData, paint: Paint, all: boolean): string {
  const { dryRun, keys, files, findings, sources } = data
  const lines = groupBy(keys, ({ file }) => file).flatMap((group) => formatFile(group, paint, all))
  for (const group of groupBy(findings, ({ rule }) => rule)) lines.push(...formatFindings(group, paint, all))
  const figures = `${count(keys.length, 'key')} to ${count(files.length, 'file')}`
  if (keys.length > 0) lines.push(`${dryRun ? 'would add' : 'added'} ${figures}`)
  else if (findings.length > 0) lines.push('nothing added')
  else lines.push(`nothing to extract: every key of ${count(sources, 'source file')} has a text`)
  return lines.join('\n')
}

function formatFile(group: ExtractData['keys'], paint: Paint, all: boolean): string[] {
  const shown = all ? group : group.slice(0, LISTED)
  const rest = group.length - shown.length
  return [
    group[0]?.file ?? '',
    ...shown.map(({ key, text, calls: [call] }) => {
      const where = call ? paint('dim', `${call.file}:${call.line}:${call.column}`) : ''
      return `  ${paint('green', '+')} ${quoted(key)}: ${quoted(text)}  ${where}`
    }),
    ...(rest > 0 ? [paint('dim', `  and ${count(rest, 'more key', 'more keys')} (--verbose shows all)`)] : []),
  ]
}

function formatFindings(group: readonly ExtractFinding[], paint: Paint, all: boolean): string[] {
  const shown = all ? group : group.slice(0, LISTED)
  const rest = group.length - shown.length
  return [
    ...shown.map(({ rule, severity, message, file, line, column }) => {
      const where = [file, line, column].filter((part) => part !== null).join(':')
      const text = `${paint(severity === 'error' ? 'red' : 'yellow', severity)} ${printable(message)} (${rule})`
      return where === '' ? text : `${where}: ${text}`
    }),
    ...(rest > 0 ? [paint('dim', `  and ${count(rest, 'more finding')} of the rule ${group[0]?.rule}`)] : []),
  ]
}
