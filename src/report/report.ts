/** `.localization/report.json`, as builds write it and tools read it. Sizes are bytes before compression. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalizationError, messageOf } from '../errors.ts'
import type { CodeReport } from './schema.ts'

export type { ChunkReport, CodeReport, KeptKey, KeptReason } from './schema.ts'

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
  // Builds only write reports.
  const { codeReport } = await import('./schema.ts')
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
