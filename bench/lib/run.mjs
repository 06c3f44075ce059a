/** Runs another benchmark, and returns the tables that it prints. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tempFolder } from './processes.mjs'

export async function runBenchmark(name, given) {
  const tables = join(tempFolder(), 'tables.jsonl')
  const script = fileURLToPath(new URL(`../${name}.mjs`, import.meta.url))
  const child = spawn(process.execPath, [script, ...given], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, BENCH_TABLES: tables },
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${name} ended with ${code}`)
  return readFileSync(tables, 'utf8').trim().split('\n').map(JSON.parse)
}
