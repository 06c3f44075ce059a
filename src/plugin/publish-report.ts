/** Prints the report of a build, and writes it for tools. */
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { type BuildReport, type ChunkReport, type KeptKey, printReport, reportFile } from '../report/report.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { count, grouped } from '../shared/figures.ts'
import { formatSize } from '../shared/size.ts'
import { REASON_TEXTS } from '../usage/model.ts'
import { LARGEST } from './build-report.ts'

/** The number of calls that are listed. The others are only counted. */
const SHOWN = 10

/** Prints or writes the report as the option `report` says. */
export async function publishReport(
  build: BuildReport,
  { root, report }: Pick<ResolvedConfig, 'root' | 'report'>,
  logger: Logger,
): Promise<void> {
  if (report === false) return
  logReport(build, logger)
  if (report !== 'json') return
  try {
    await writeFileAtomic(reportFile(root), printReport(build))
  } catch (error) {
    logger.warn(`cannot write the report: ${messageOf(error)}`)
  }
}

function logReport(report: BuildReport, logger: Logger): void {
  const { files, bytes, bytesUnpruned, largest, unknownCalls = [], kept = [], chunks = [], ms } = report
  for (const { file, line, column, code, reason, namespaces, keeps, bytes: cost } of unknownCalls.slice(0, SHOWN)) {
    const what = {
      all: `keeps all keys of ${list(namespaces)} (${formatSize(cost)})`,
      literals: `keeps the keys of ${list(namespaces)} that occur as strings in the code (${formatSize(cost)})`,
      nothing: 'ignored',
    }[keeps]
    const place = [file, line, column].filter((part) => part !== undefined).join(':')
    logger.warn(reason === 'syntax' ? `${place}: ${code}; ${what}` : `${place}: unknown key in ${code}; ${what}`)
  }
  if (unknownCalls.length > SHOWN) {
    logger.warn(`${unknownCalls.length - SHOWN} more such calls. "localization check --unused --verbose" lists them`)
  }
  const of = bytesUnpruned === undefined ? '' : ` of ${formatSize(bytesUnpruned)}`
  const most = largest.map(({ namespace, bytes: cost }) => `${namespace} ${formatSize(cost)}`).join(', ')
  const seconds = ((ms.load + ms.write) / 1000).toFixed(2)
  logger.info(`${count(files, 'message file')}, ${formatSize(bytes)}${of}, in ${seconds} s; largest: ${most || 'none'}`)
  if (kept.length > 0) logger.info(`${count(kept.length, 'key')} kept: ${reasonsOf(kept)}`)
  for (const line of chunkLines(chunks)) logger.info(line)
}

/** A table of the largest entries and lazy loads. */
function chunkLines(chunks: readonly ChunkReport[]): string[] {
  const sorted = [...chunks].filter(({ bytes }) => bytes > 0).sort((a, b) => b.bytes - a.bytes)
  const entries = sorted.filter(({ kind }) => kind === 'entry').slice(0, LARGEST)
  const lazy = sorted.filter(({ kind }) => kind === 'lazy').slice(0, LARGEST)
  if (sorted.length === 0) return []
  const rows = [...entries, ...lazy].map(({ name, kind, bytes, language, keys, shared }) => [
    name,
    `${kind === 'entry' ? '' : '+ '}${formatSize(bytes)} in ${language}`,
    `${count(keys, 'key')}${shared > 0 ? `, ${grouped(shared)} shared` : ''}`,
  ])
  const widthAt = (at: number) => Math.max(...rows.map((row) => row[at]?.length ?? 0))
  const more = sorted.length - rows.length
  return [
    'texts that a page loads with its entry, and (+) with lazy code, in the largest language:',
    ...rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widthAt(at))).join('  ')}`.trimEnd()),
    ...(more > 0 ? [`  and ${count(more, 'more chunk', 'more chunks')}, listed by report: 'json'`] : []),
  ]
}

function reasonsOf(kept: readonly KeptKey[]): string {
  const counts = Object.entries(REASON_TEXTS).map(([reason, text]) => {
    const number = kept.filter((each) => each.reason === reason).length
    return number === 0 ? [] : [`${grouped(number)} ${text}`]
  })
  return counts.flat().join(', ')
}

function list(names: readonly string[]): string {
  return names.length <= 3 ? names.join(', ') : `${names.length} namespaces`
}
