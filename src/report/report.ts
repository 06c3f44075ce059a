/** `.localization/report.json`, as builds write it and tools read it. Sizes are bytes before compression. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CodeReport } from './schema.ts'

export type { ChunkReport, CodeReport, KeptKey, KeptReason } from './schema.ts'

export const reportFile = (root: string) => join(root, '.localization', 'report.json')

/** `undefined`: no build wrote the file, or another version of this package did. */
export async function readReport(path: string): Promise<CodeReport | undefined> {
  // Builds only write reports.
  const { codeReport } = await import('./schema.ts')
  try {
    return codeReport.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return undefined
  }
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
