/** Brings the tables to the version that this release works with. */
import { LocalizationError } from '../../errors.ts'
import type { Database, Queries } from './driver.ts'
import { SCHEMA } from './schema.ts'
import { digestOf } from './tokens.ts'

/** The step at index n makes version n + 1 of version n. Released steps stay as they are. */
const STEPS: readonly ((tx: Queries) => Promise<void>)[] = [
  async (tx) => {
    for (const statement of SCHEMA) await tx.exec(statement)
  },
  addVersionsAndKeyDigests,
]

export async function migrate(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.lock('schema')
    await tx.exec('CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)')
    const stored = await tx.get<{ value: string }>("SELECT value FROM meta WHERE name = 'schema'")
    const version = Number(stored?.value ?? 0)
    if (version > STEPS.length) {
      throw startError('the data was written by a later version of the service', {
        hint: 'Update the package, or choose another folder or database.',
      })
    }
    if (version === STEPS.length) return
    for (const step of STEPS.slice(version)) await step(tx)
    const onConflict = 'ON CONFLICT (name) DO UPDATE SET value = excluded.value'
    await tx.insert('meta', { name: 'schema', value: String(STEPS.length) }, onConflict)
  })
}

export function startError(message: string, options: { hint: string; cause?: unknown }): LocalizationError {
  return new LocalizationError(message, { code: 'SERVICE_START', ...options })
}

async function addVersionsAndKeyDigests(tx: Queries): Promise<void> {
  await tx.exec('ALTER TABLE projects ADD COLUMN version INTEGER NOT NULL DEFAULT 0')
  await tx.exec("ALTER TABLE projects ADD COLUMN api_key_hash TEXT NOT NULL DEFAULT ''")
  for (const { id, apiKey } of await tx.all<{ id: number; apiKey: string }>(
    'SELECT id, api_key AS "apiKey" FROM projects',
  )) {
    await tx.run('UPDATE projects SET api_key_hash = ? WHERE id = ?', digestOf(apiKey), id)
  }
  await tx.exec('CREATE UNIQUE INDEX projects_api_key_hash ON projects (api_key_hash)')
}
