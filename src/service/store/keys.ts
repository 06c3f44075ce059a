/** Translation keys: unique within project and namespace. */
import type { Database } from './driver.ts'
import type { ProjectStore } from './projects.ts'

interface KeyRecord {
  readonly key: string
  readonly namespace: string
  readonly description: string
  readonly tags: readonly string[]
  readonly codeDescription: string
  /** -1: none. */
  readonly charactersLimit: number
}

type NewKey = Pick<KeyRecord, 'key' | 'namespace'> & Partial<KeyRecord>

export interface KeyHandle {
  readonly id: number
  readonly charactersLimit: number
}

export class KeyStore {
  private nextId: number

  constructor(
    private readonly database: Database,
    private readonly projects: ProjectStore,
    private readonly now: () => string,
  ) {
    this.nextId = (database.get<{ id: number | null }>('SELECT MAX(id) AS id FROM translation_keys')?.id ?? 0) + 1
  }

  find(projectId: number, namespace: string, key: string): KeyHandle | undefined {
    return this.database.get<KeyHandle>(
      `SELECT id, characters_limit AS "charactersLimit" FROM translation_keys
       WHERE project_id = ? AND namespace = ? AND key = ?`,
      projectId,
      namespace,
      key,
    )
  }

  /** Adds a key inside a running transaction, without counting it as a change. */
  insert(projectId: number, record: NewKey): KeyHandle {
    const { key, namespace, description = '', tags = [], codeDescription = '', charactersLimit = -1 } = record
    const id = this.nextId++
    this.database.insert('translation_keys', {
      id,
      project_id: projectId,
      namespace,
      key,
      description,
      tags: JSON.stringify(tags),
      code_description: codeDescription,
      characters_limit: charactersLimit,
      created_at: this.now(),
    })
    return { id, charactersLimit }
  }

  /** `undefined` when it exists already. */
  create(projectId: number, record: NewKey): KeyHandle | undefined {
    return this.database.transaction(() => {
      if (this.find(projectId, record.namespace, record.key)) return undefined
      this.projects.changed(projectId, 1)
      return this.insert(projectId, record)
    })
  }

  /** Adds the tags that are not there yet. */
  addTags(id: number, tags: readonly string[]): void {
    const row = this.database.get<{ tags: string }>('SELECT tags FROM translation_keys WHERE id = ?', id)
    const known = JSON.parse(row?.tags ?? '[]') as string[]
    const joined = [...new Set([...known, ...tags])]
    if (joined.length === known.length) return
    this.database.run('UPDATE translation_keys SET tags = ? WHERE id = ?', JSON.stringify(joined), id)
  }

  /** Removes a key with its translations; `false` when there is none. */
  remove(projectId: number, namespace: string, key: string): boolean {
    return this.database.transaction(() => {
      const found = this.find(projectId, namespace, key)
      if (!found) return false
      const texts = this.database.run('DELETE FROM translations WHERE key_id = ?', found.id)
      this.database.run('DELETE FROM translation_keys WHERE id = ?', found.id)
      this.projects.changed(projectId, Math.max(1, texts))
      return true
    })
  }
}
