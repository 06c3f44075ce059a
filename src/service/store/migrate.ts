/** Migrates the tables to this release's version, and checks them for damage. */
import { LocalizationError } from '../../errors.ts'
import type { Database, Queries } from './driver.ts'

/** The version of the tables in the first release. */
const FIRST_VERSION = 8

/** The step at index n migrates from version `FIRST_VERSION + n` to the next. Released steps must never be changed. */
const STEPS: readonly ((tx: Queries) => Promise<void>)[] = []

export const TABLES_VERSION = FIRST_VERSION + STEPS.length

/**
 * Migrates the tables. Processes that start at the same time migrate one after another. `lockOut` prevents running
 * processes from writing until the transaction ends.
 */
export async function migrate(
  database: Pick<Database, 'transaction'>,
  lockOut?: (tx: Queries) => Promise<void>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.lock('schema')
    await tx.exec('CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)')
    const version = await schemaVersion(tx)
    if (version > TABLES_VERSION) {
      throw startError('the data was written by a later version of the service', {
        hint: 'Update the package, or choose another folder or database.',
      })
    }
    if (version === TABLES_VERSION) return
    if (version > 0 && version < FIRST_VERSION) {
      throw startError('the data was written before the first release of the service', {
        hint: 'Choose another folder or database.',
      })
    }
    await lockOut?.(tx)
    if (version === 0) {
      for (const [name, columns] of Object.entries(TABLES)) await tx.exec(`CREATE TABLE ${name} (${columns})`)
      for (const index of INDEXES) await tx.exec(index)
    }
    for (const step of STEPS.slice(Math.max(0, version - FIRST_VERSION))) await step(tx)
    const onConflict = 'ON CONFLICT (name) DO UPDATE SET value = excluded.value'
    await tx.insert('meta', [{ name: 'schema', value: String(TABLES_VERSION) }], onConflict)
  })
}

export type Prepare = typeof migrate

export async function schemaVersion(database: Queries): Promise<number> {
  const stored = await database.get<{ value: string }>("SELECT value FROM meta WHERE name = 'schema'")
  return Number(stored?.value ?? 0)
}

export function startError(message: string, options: { hint: string; cause?: unknown }): LocalizationError {
  return new LocalizationError(message, { code: 'SERVICE_START', ...options })
}

/**
 * The tables of version `FIRST_VERSION`, in SQL that PostgreSQL also accepts if BLOB is replaced with BYTEA. Times are
 * ISO 8601 in UTC. An empty customer means no customer. An empty namespace is the default namespace.
 */
const TABLES: Readonly<Record<string, string>> = {
  // Personal tokens have the project ID 0.
  credentials: `
    hash TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT`,

  projects: `
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    project_token TEXT NOT NULL UNIQUE,
    api_key TEXT NOT NULL UNIQUE,
    unpublished_changes INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 0,
    rows_version INTEGER NOT NULL DEFAULT 0,
    publish_count INTEGER NOT NULL DEFAULT 0`,

  // rows_version is the project's when a row was last added to the namespace or removed from it.
  changed_namespaces: `
    project_id INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    rows_version INTEGER NOT NULL,
    PRIMARY KEY (project_id, namespace)`,

  languages: `
    project_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    is_default INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)`,

  customers: `
    project_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    description TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)`,

  environments: `
    project_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)`,

  translation_keys: `
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    description TEXT NOT NULL,
    tags TEXT NOT NULL,
    code_description TEXT NOT NULL,
    characters_limit INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (project_id, namespace, key)`,

  // folded: the lower-case text for case-insensitive search, or null if the text is already in lower case.
  translations: `
    key_id INTEGER NOT NULL,
    language TEXT NOT NULL,
    customer TEXT NOT NULL,
    text TEXT NOT NULL,
    folded TEXT,
    review_status TEXT NOT NULL,
    modified_at TEXT NOT NULL,
    PRIMARY KEY (key_id, language, customer)`,

  publications: `
    project_id INTEGER NOT NULL,
    environment TEXT NOT NULL,
    created_at TEXT NOT NULL,
    number_of_keys INTEGER NOT NULL,
    number_of_languages INTEGER NOT NULL,
    number_of_texts INTEGER NOT NULL,
    PRIMARY KEY (project_id, environment)`,

  resources: `
    project_id INTEGER NOT NULL,
    environment TEXT NOT NULL,
    path TEXT NOT NULL,
    position INTEGER NOT NULL,
    listed INTEGER NOT NULL,
    language TEXT,
    namespace TEXT,
    customer TEXT,
    size INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    PRIMARY KEY (project_id, environment, path)`,

  // Each content is stored once, because a project's environments have mostly the same files.
  contents: `
    hash TEXT NOT NULL,
    position INTEGER NOT NULL,
    compressed BLOB NOT NULL,
    PRIMARY KEY (hash, position)`,

  // compressed_size is the number of bytes that the content needs in the database.
  exported_files: `
    id INTEGER PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    compressed_size INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    expires_at TEXT NOT NULL`,

  jobs: `
    id TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    state TEXT NOT NULL,
    progress REAL NOT NULL,
    started TEXT NOT NULL,
    message TEXT NOT NULL,
    request TEXT NOT NULL,
    needs_key INTEGER NOT NULL,
    texts INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    owner TEXT NOT NULL DEFAULT '',
    lease_until TEXT NOT NULL DEFAULT '',
    takeovers INTEGER NOT NULL DEFAULT 0,
    too_long INTEGER NOT NULL DEFAULT 0,
    last_namespace TEXT,
    last_key TEXT`,
}

const INDEXES = [
  'CREATE INDEX resources_content ON resources (content_hash)',
  'CREATE INDEX exported_files_content ON exported_files (content_hash)',
  'CREATE INDEX jobs_project ON jobs (project_id, position)',
  "CREATE INDEX jobs_unfinished ON jobs (lease_until) WHERE state IN ('STARTED', 'RUNNING')",
]

/** All tables in version `TABLES_VERSION`. */
export const TABLE_NAMES: readonly string[] = ['meta', ...Object.keys(TABLES)]

/** Runs SQLite's own check. Must be called before the first write. */
export async function checkFile(file: string, database: Database): Promise<void> {
  const [found] = await database.all<{ quick_check: string }>('PRAGMA quick_check(1)')
  if (found?.quick_check === 'ok') return
  throw startError(`the file ${file} is damaged: ${found?.quick_check.split('\n').at(-1)}`, {
    hint: 'Restore a backup of it, or choose another folder.',
  })
}

/** Migrates the tables, then reads every row. */
export const migrateAndRead: Prepare = async (database, lockOut) => {
  await migrate(database, lockOut)
  await database.transaction(async (tx) => {
    // For `COUNT(*)`, PostgreSQL might count index entries without reading the rows.
    for (const table of TABLE_NAMES) await tx.get(`SELECT COUNT(one) FROM ${table} one`)
  })
}
