/** What a benchmark prints: the machine, tables, and how numbers look in them. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'

/** `--smoke` and whatever else the script names; anything unknown ends it with 2. */
export function readArguments(options = {}) {
  try {
    return parseArgs({ options: { smoke: { type: 'boolean', default: false }, ...options } }).values
  } catch (error) {
    console.error(error.message)
    process.exit(2)
  }
}

export function printMachine() {
  const { model } = cpus()[0] ?? { model: 'unknown processor' }
  const load = loadavg()[0].toFixed(1)
  console.log(`${availableParallelism()} cores (${model}), Node ${process.versions.node}, load before ${load}`)
}

/** Columns as wide as they must be; the first is left-aligned, the others right. */
export function printTable(title, header, rows) {
  // `compare.mjs` reads them.
  const { BENCH_TABLES: tables } = process.env
  if (tables) appendFileSync(tables, `${JSON.stringify({ title, header, rows })}\n`)
  const cells = [header, ...rows].map((row) => row.map(String))
  const widths = header.map((_, column) => Math.max(...cells.map((row) => [...row[column]].length)))
  const line = (row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  console.log(`\n${title}\n`)
  console.log([line(cells[0]), rule, ...cells.slice(1).map(line)].join('\n'))
}

export const whole = (number) => (Number.isFinite(number) ? Math.round(number).toLocaleString('en') : '-')
export const tenth = (number) => (Number.isFinite(number) ? number.toFixed(1) : '-')
export const seconds = (ms) => (Number.isFinite(ms) ? (ms / 1000).toFixed(2) : '-')
/** How many times `a` is of `b`. */
export const ratio = (a, b) => (Number.isFinite(a / b) ? (a / b).toFixed(2) : '-')
export const megabytes = (bytes) => (bytes === undefined ? '-' : whole(bytes / 2 ** 20))

/**
 * Most memory a process has had resident since it began, or since `forgetPeak`; `undefined` where there is no /proc.
 */
export function peakMemory(pid) {
  try {
    const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
    return found ? Number(found[1]) * 1024 : undefined
  } catch {
    return undefined
  }
}

/** Lets the next peak be of what comes now. Only Linux can; elsewhere no peak is printed. */
export function forgetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {}
}

/**
 * Processor time of the running threads of a process so far, in milliseconds, as exact as the scheduler counts; `NaN`
 * where there is no /proc.
 */
export function exactCpuMs(pid) {
  try {
    const folder = `/proc/${pid}/task`
    const used = readdirSync(folder).map((task) =>
      Number(readFileSync(`${folder}/${task}/schedstat`, 'utf8').split(' ')[0]),
    )
    return used.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6
  } catch {
    return Number.NaN
  }
}

/** Processor time of a process so far, in seconds; `NaN` where there is no /proc. */
export function cpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return Number.NaN
  }
}
