/** `.localization/report.json`, as builds write it and tools read it. Sizes are bytes before compression. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { LocalizationError, messageOf } from '../errors.ts'

const bytes = z.number().int()

const chunkReport = z.object({
  /** The path of its first module from the root. */
  name: z.string(),
  /** `lazy`: an `import()` loads it. */
  kind: z.enum(['entry', 'lazy']),
  /** Of an entry: the keys that its code uses. Of a lazy chunk: those of them that no entry has. */
  keys: z.number().int(),
  /** How many of the keys other entries use too, or come with other lazy chunks too. */
  shared: z.number().int(),
  /** Keys that only other entries use, in the same files. */
  others: z.number().int(),
  /** What a page fetches with it, in the language where that is most. */
  bytes,
  language: z.string(),
  /** The same in each language. */
  byLanguage: z.record(z.string(), bytes),
  /** The namespaces in that language, the largest first. */
  namespaces: z.array(z.object({ namespace: z.string(), bytes })),
})
export type ChunkReport = z.infer<typeof chunkReport>

const reason = {
  /** A `ReasonKind`, or `array`: another element of its array is used. */
  reason: z.string(),
  /** The key, pattern or text as the code has it, the code of the call, the reference, or the pattern of `keep`. */
  by: z.string().optional(),
  /** File, line and column. */
  at: z.string().optional(),
}

const keptKey = z.object({
  namespace: z.string(),
  key: z.string(),
  ...reason,
  /** Of key and text, in the report's `language`. */
  bytes,
  /** The chunks that it comes with: places in `chunks`. With a reason where that is another one there. */
  in: z.array(z.object({ chunk: z.number().int(), ...z.object(reason).partial().shape })).optional(),
})
export type KeptKey = z.infer<typeof keptKey>
export type KeptReason = Pick<KeptKey, keyof typeof reason>

/** The part of the report that tells which texts come with which code. */
const codeReport = z.object({
  version: z.literal(1),
  /** The one with the most bytes. */
  language: z.string().optional(),
  kept: z.array(keptKey).optional(),
  chunks: z.array(chunkReport).optional(),
})
export type CodeReport = z.infer<typeof codeReport>

/** A report whose build knew the chunks. */
export type RouteReport = Required<CodeReport>

export const reportFile = (root: string) => join(root, '.localization', 'report.json')

/** The last report that was within the budgets, where the newest one is not. */
export const baselineFile = (root: string) => join(root, '.localization', 'report-within-budgets.json')

/** `undefined`: there is no such file. Errors: FILE_READ, FILE_SYNTAX. */
export async function readReport(path: string): Promise<CodeReport | undefined> {
  const place = { file: path }
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new LocalizationError(`cannot be read: ${messageOf(cause)}`, { code: 'FILE_READ', place, cause })
  }
  try {
    return codeReport.parse(JSON.parse(text))
  } catch (cause) {
    const hint = 'Build the app again: builds write this file.'
    throw new LocalizationError('is no report of a build', { code: 'FILE_SYNTAX', place, hint, cause })
  }
}

export function hasRoutes(report: CodeReport): report is RouteReport {
  return report.chunks !== undefined && report.kept !== undefined && report.language !== undefined
}

/** One line for each entry of a list. */
export function printReport(report: object): string {
  const lines = Object.entries(report).flatMap(([name, value]) => {
    if (value === undefined) return []
    const isList = Array.isArray(value) && typeof value[0] === 'object'
    const text = isList
      ? `[\n${value.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`
      : JSON.stringify(value)
    return [`  ${JSON.stringify(name)}: ${text}`]
  })
  return `{\n${lines.join(',\n')}\n}\n`
}
