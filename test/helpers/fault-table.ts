/** Before and after the tests of `test/faults`: a folder for what each row puts down, and the table made of that. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { FAULT_ROWS, type RowResult } from './fault-rows.ts'

export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'fault-rows-'))
  project.provide('faultResults', folder)
  return () => {
    const results = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as RowResult)
    if (results.length > 0) process.stdout.write(formatFaultTable(results))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Row, fault, cases tried, lost, leaked; failures where there are any. */
export function formatFaultTable(results: readonly RowResult[]): string {
  const lines = Object.entries(FAULT_ROWS).map(([row, fault]) => {
    const own = results.filter((result) => result.row === Number(row))
    const sum = (name: keyof RowResult) => own.reduce((total, result) => total + result[name], 0)
    return own.length === 0 ? [row, fault, 'not run'] : [row, fault, ...columns(sum)]
  })
  const sum = (name: keyof RowResult) => results.reduce((total, result) => total + result[name], 0)
  const table = [['row', 'fault', 'cases', 'lost', 'leaked', ''], ...lines, ['', 'all', ...columns(sum)]]
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...table.map((line) => line[column]?.length ?? 0)))
  const shown = table.map((line) =>
    line
      .map((cell, i) => (i === 1 || i === 5 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  '),
  )
  return `\n${shown.map((line) => line.trimEnd()).join('\n')}\n\n`
}

function columns(sum: (name: keyof RowResult) => number): string[] {
  const failed = sum('failed')
  return [String(sum('tried')), String(sum('lost')), String(sum('leaked')), failed === 0 ? '' : `${failed} FAILED`]
}
