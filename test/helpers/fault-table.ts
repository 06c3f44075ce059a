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
    rmSync(folder, { recursive: true, force: true })
    const lines = Object.entries(FAULT_ROWS).flatMap(([row, fault]) => {
      const own = results.filter((result) => result.row === Number(row))
      return own.length === 0 ? [] : [{ row, fault, ...totals(own) }]
    })
    if (lines.length > 0) console.table([...lines, { row: 'all', ...totals(results) }])
  }
}

function totals(results: readonly RowResult[]) {
  const sum = (name: keyof RowResult) => results.reduce((total, result) => total + result[name], 0)
  return { cases: sum('tried'), failed: sum('failed'), lost: sum('lost'), leaked: sum('leaked') }
}
