/** Translation keys: unique within project and namespace. */
import type { Database } from './driver.ts'
import type { ProjectStore } from './projects.ts'

export interface KeyRecord {
  readonly key: string
  readonly namespace: string
  readonly description: string
  readonly tags: readonly string[]
  readonly codeDescription: string
  /** -1: none. */
  readonly charactersLimit: number
}

export interface KeyHandle {
  readonly id: number
  readonly charactersLimit: number
}

export type KeyStore = ReturnType<typeof createKeyStore>

export function createKeyStore(database: Database, projects: ProjectStore, now: () => string) {
  let nextId = (database.get<{ id: number | null }>('SELECT MAX(id) AS id FROM translation_keys')?.id ?? 0) + 1

  const find = (projectId: number, namespace: string, key: string): KeyHandle | undefined => {
    const row = database.get<{ id: number; characters_limit: number }>(
      'SELECT id, characters_limit FROM translation_keys WHERE project_id = ? AND namespace = ? AND key = ?',
      projectId,
      namespace,
      key,
    )
    return row && { id: row.id, charactersLimit: row.characters_limit }
  }

  const insert = (projectId: number, record: Pick<KeyRecord, 'key' | 'namespace'> & Partial<KeyRecord>): KeyHandle => {
    const id = nextId++
    const charactersLimit = record.charactersLimit ?? -1
    database.run(
      `INSERT INTO translation_keys
         (id, project_id, namespace, key, description, tags, code_description, characters_limit, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      projectId,
      record.namespace,
      record.key,
      record.description ?? '',
      record.tags && record.tags.length > 0 ? JSON.stringify(record.tags) : '[]',
      record.codeDescription ?? '',
      charactersLimit,
      now(),
    )
    return { id, charactersLimit }
  }

  const remove = (projectId: number, namespace: string, key: string): boolean => {
    const found = find(projectId, namespace, key)
    if (!found) return false
    const texts = database.run('DELETE FROM translations WHERE key_id = ?', found.id)
    database.run('DELETE FROM translation_keys WHERE id = ?', found.id)
    projects.changed(projectId, Math.max(1, texts))
    return true
  }

  return {
    find,
    /** Adds a key inside a running transaction, without counting it as a change. */
    insert,
    /** Adds the tags that are not there yet. */
    addTags(id: number, tags: readonly string[]): void {
      const row = database.get<{ tags: string }>('SELECT tags FROM translation_keys WHERE id = ?', id)
      const known = JSON.parse(row?.tags ?? '[]') as string[]
      const joined = [...new Set([...known, ...tags])]
      if (joined.length > known.length) {
        database.run('UPDATE translation_keys SET tags = ? WHERE id = ?', JSON.stringify(joined), id)
      }
    },
    /** `false` when it exists. */
    create: (projectId: number, record: Pick<KeyRecord, 'key' | 'namespace'> & Partial<KeyRecord>): boolean =>
      database.transaction(() => {
        if (find(projectId, record.namespace, record.key)) return false
        insert(projectId, record)
        projects.changed(projectId, 1)
        return true
      }),
    /** Removes a key with its translations; `false` when there is none. */
    remove: (projectId: number, namespace: string, key: string): boolean =>
      database.transaction(() => remove(projectId, namespace, key)),
  }
}
