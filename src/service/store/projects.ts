/** Projects, their languages, customers and environments, and the tokens that open them. */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { languageName } from '../../shared/language-name.ts'
import { tooManyLanguages } from '../http-error.ts'
import { LIMITS } from '../limits.ts'
import type { CustomerDeclaration, LanguageDeclaration } from '../options.ts'
import type { Database } from './driver.ts'

export interface ProjectRecord {
  readonly id: number
  readonly name: string
  readonly projectToken: string
  readonly apiKey: string
}

export interface LanguageRecord {
  readonly key: string
  readonly name: string
  readonly isDefault: boolean
  readonly order: number
}

export interface CustomerRecord {
  readonly key: string
  readonly description: string
}

export interface ProjectCounts {
  readonly keys: number
  /** Only languages that have a translated key. */
  readonly translatedKeysByLanguage: ReadonlyMap<string, number>
}

export type ProjectStore = ReturnType<typeof createProjectStore>

/** The editor's environment, and the one that visitors see. */
export const LATEST = '_latest'
export const PRODUCTION = '_production'

export function createProjectStore(database: Database, now: () => string) {
  const byKeyHash = new Map<string, ProjectRecord>()
  const personalHashes = new Set<string>()
  const versions = new Map<number, number>()
  const counted = new Map<number, { version: number; counts: ProjectCounts }>()
  let nextId = 1

  const remember = (project: ProjectRecord) => {
    byKeyHash.set(digest(project.apiKey), project)
    nextId = Math.max(nextId, project.id + 1)
  }
  for (const row of database.all<{ id: number; name: string; project_token: string; api_key: string }>(
    'SELECT id, name, project_token, api_key FROM projects',
  )) {
    remember({ id: row.id, name: row.name, projectToken: row.project_token, apiKey: row.api_key })
  }
  for (const { hash } of database.all<{ hash: string }>('SELECT hash FROM personal_tokens')) personalHashes.add(hash)

  const languages = (projectId: number): LanguageRecord[] =>
    database
      .all<{ key: string; name: string; is_default: number; position: number }>(
        'SELECT key, name, is_default, position FROM languages WHERE project_id = ? ORDER BY position',
        projectId,
      )
      .map((row) => ({ key: row.key, name: row.name, isDefault: row.is_default === 1, order: row.position }))

  const changed = (projectId: number, changes: number) => {
    versions.set(projectId, (versions.get(projectId) ?? 0) + 1)
    if (changes > 0) {
      database.run('UPDATE projects SET unpublished_changes = unpublished_changes + ? WHERE id = ?', changes, projectId)
    }
  }

  /** Adds those that are missing, in their order. */
  const addLanguages = (projectId: number, declared: readonly LanguageDeclaration[], isDefault = false): void => {
    const known = languages(projectId)
    const keys = new Set(known.map(({ key }) => key))
    const missing = declared.filter(({ key }) => !keys.has(key) && keys.add(key))
    if (missing.length > 0 && keys.size > LIMITS.languages) throw tooManyLanguages(LIMITS.languages)
    let position = (known.at(-1)?.order ?? -1) + 1
    for (const { key, name } of missing) {
      database.run(
        'INSERT INTO languages (project_id, key, name, is_default, position) VALUES (?, ?, ?, ?, ?)',
        projectId,
        key,
        name ?? languageName(key),
        isDefault ? 1 : 0,
        position++,
      )
    }
  }

  return {
    languages,
    addLanguages,
    changed,
    /** Counts up with every write to the project: what was computed for another version is out of date. */
    version: (projectId: number): number => versions.get(projectId) ?? 0,

    /** A new project with `defaultLanguage` as its first language, and whatever `declare` adds, all or nothing. */
    create(name: string, defaultLanguage: string, declare: (projectId: number) => void = () => {}): ProjectRecord {
      const project: ProjectRecord = { id: nextId, name, projectToken: randomToken(), apiKey: randomToken() }
      database.transaction(() => {
        database.run(
          `INSERT INTO projects (id, name, project_token, api_key, unpublished_changes, created_at)
           VALUES (?, ?, ?, ?, 0, ?)`,
          project.id,
          name,
          project.projectToken,
          project.apiKey,
          now(),
        )
        addLanguages(project.id, [{ key: defaultLanguage }], true)
        declare(project.id)
      })
      remember(project)
      return project
    },

    all: (): ProjectRecord[] => [...byKeyHash.values()].sort((a, b) => a.id - b.id),

    /** The project an API key opens. Looked up by digest and compared in constant time. */
    byApiKey(apiKey: string): ProjectRecord | undefined {
      const project = byKeyHash.get(digest(apiKey))
      return project && sameBytes(project.apiKey, apiKey) ? project : undefined
    },

    hasLanguage: (projectId: number, key: string): boolean =>
      database.get('SELECT 1 AS found FROM languages WHERE project_id = ? AND key = ?', projectId, key) !== undefined,

    defaultLanguage(projectId: number): string {
      const row = database.get<{ key: string }>(
        'SELECT key FROM languages WHERE project_id = ? ORDER BY is_default DESC, position LIMIT 1',
        projectId,
      )
      return row?.key ?? ''
    },

    customers: (projectId: number): CustomerRecord[] =>
      database.all<CustomerRecord>(
        'SELECT key, description FROM customers WHERE project_id = ? ORDER BY position',
        projectId,
      ),

    hasCustomer: (projectId: number, key: string): boolean =>
      database.get('SELECT 1 AS found FROM customers WHERE project_id = ? AND key = ?', projectId, key) !== undefined,

    addCustomer(projectId: number, { key, description }: CustomerDeclaration): void {
      database.run(
        `INSERT INTO customers (project_id, key, description, position)
         SELECT ?, ?, ?, COALESCE(MAX(position) + 1, 0) FROM customers WHERE project_id = ?
         ON CONFLICT (project_id, key) DO UPDATE SET description = excluded.description`,
        projectId,
        key,
        description ?? '',
        projectId,
      )
    },

    /** Environments in publishing order, `_latest` first. */
    environments: (projectId: number): string[] =>
      database
        .all<{ key: string }>('SELECT key FROM environments WHERE project_id = ? ORDER BY position', projectId)
        .map(({ key }) => key),

    /** Sets the order; environments that are published but no longer named come last. */
    setEnvironments(projectId: number, keys: readonly string[]): void {
      const kept = database
        .all<{ key: string }>('SELECT key FROM environments WHERE project_id = ? ORDER BY position', projectId)
        .map(({ key }) => key)
      for (const [position, key] of [...new Set([...keys, ...kept])].entries()) {
        database.run(
          `INSERT INTO environments (project_id, key, position) VALUES (?, ?, ?)
           ON CONFLICT (project_id, key) DO UPDATE SET position = excluded.position`,
          projectId,
          key,
          position,
        )
      }
    },

    unpublishedChanges: (projectId: number): number =>
      database.get<{ n: number }>('SELECT unpublished_changes AS n FROM projects WHERE id = ?', projectId)?.n ?? 0,

    /** Counted once per version of the project. */
    counts(projectId: number): ProjectCounts {
      const version = versions.get(projectId) ?? 0
      const known = counted.get(projectId)
      if (known?.version === version) return known.counts
      const keys = database.get<{ n: number }>(
        'SELECT COUNT(*) AS n FROM translation_keys WHERE project_id = ?',
        projectId,
      )
      const rows = database.all<{ language: string; n: number }>(
        `SELECT t.language AS language, COUNT(*) AS n
         FROM translation_keys k JOIN translations t ON t.key_id = k.id
         WHERE k.project_id = ? AND t.customer = '' AND t.text <> '' GROUP BY t.language`,
        projectId,
      )
      const translated = new Map(rows.map((row) => [row.language, row.n]))
      const ordered = languages(projectId).flatMap(({ key }) => {
        const n = translated.get(key)
        return n === undefined ? [] : [[key, n] as const]
      })
      const counts = { keys: keys?.n ?? 0, translatedKeysByLanguage: new Map(ordered) }
      counted.set(projectId, { version, counts })
      return counts
    },

    namespaces: (projectId: number): string[] =>
      database
        .all<{ namespace: string }>(
          'SELECT DISTINCT namespace FROM translation_keys WHERE project_id = ? ORDER BY namespace',
          projectId,
        )
        .map(({ namespace }) => namespace),

    /** Keeps the token's digest; `only` makes every other one invalid. */
    addPersonalToken(token: string, only: boolean): void {
      const hash = digest(token)
      database.transaction(() => {
        if (only) database.run('DELETE FROM personal_tokens WHERE hash <> ?', hash)
        database.run(
          'INSERT INTO personal_tokens (hash, created_at) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING',
          hash,
          now(),
        )
      })
      if (only) personalHashes.clear()
      personalHashes.add(hash)
    },

    hasPersonalToken(token: string): boolean {
      const hash = digest(token)
      let found = false
      for (const known of personalHashes) if (sameBytes(known, hash)) found = true
      return found
    },
  }
}

/** Letters and digits, which headers, addresses and shells leave alone. */
export function randomToken(): string {
  return randomBytes(20).toString('hex')
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function sameBytes(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
