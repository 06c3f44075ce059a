/** Translation keys, which are unique within their project and namespace. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Queries } from './driver.ts'
import type { ProjectStore } from './projects.ts'
import { inBatches, inGroups } from './sql.ts'

interface KeyRecord {
  readonly key: string
  readonly namespace: string
  readonly description: string
  readonly tags: readonly string[]
  readonly codeDescription: string
  /** The maximum number of characters; -1 if there is no limit. */
  readonly charactersLimit: number
}

type NewKey = Pick<KeyRecord, 'key' | 'namespace'> & Partial<KeyRecord>

export interface KeyHandle {
  readonly id: number
  readonly charactersLimit: number
}

export interface FoundKey extends KeyHandle {
  readonly key: string
  /** The tags, as a JSON array. */
  readonly tags: string
}

export class KeyStore {
  constructor(
    private readonly database: Queries,
    private readonly projects: ProjectStore,
    private readonly now: () => string,
  ) {}

  find(projectId: number, namespace: string, key: string): Promise<KeyHandle | undefined> {
    return this.database.get<KeyHandle>(
      `SELECT id, characters_limit AS "charactersLimit" FROM translation_keys
       WHERE project_id = ? AND namespace = ? AND key = ?`,
      projectId,
      namespace,
      key,
    )
  }

  async record(projectId: number, namespace: string, key: string): Promise<KeyRecord | undefined> {
    const row = await this.database.get<Omit<KeyRecord, 'tags'> & { readonly tags: string }>(
      `SELECT key, namespace, description, tags, code_description AS "codeDescription",
              characters_limit AS "charactersLimit"
       FROM translation_keys WHERE project_id = ? AND namespace = ? AND key = ?`,
      projectId,
      namespace,
      key,
    )
    return row && { ...row, tags: JSON.parse(row.tags) as string[] }
  }

  /** All keys, by namespace and key. Must be called in a snapshot. */
  names(projectId: number): AsyncIterable<{ key: string }[]> {
    const sql = 'SELECT key FROM translation_keys WHERE project_id = ? ORDER BY namespace, key'
    return this.database.batches(sql, projectId)
  }

  /** Creates a key; `undefined` if the key already exists. Must be called in a transaction. */
  async create(projectId: number, record: NewKey): Promise<KeyHandle | undefined> {
    await this.projects.lock(projectId)
    if (await this.find(projectId, record.namespace, record.key)) return undefined
    const row = this.toRow(projectId, record)
    const id = await this.database.insertWithId('translation_keys', row)
    this.projects.addUnpublishedChanges(projectId, 1, { namespace: record.namespace })
    return { id, charactersLimit: row.characters_limit }
  }

  /**
   * Adds the tags to the existing ones of `keys`, and returns their handles. In a transaction that locks the project.
   */
  async tagPresent(
    projectId: number,
    namespace: string,
    keys: Iterable<string>,
    tags: readonly string[],
  ): Promise<Map<string, KeyHandle>> {
    const handles = new Map<string, KeyHandle>()
    for (const some of inBatches(keys)) {
      for (const { key, id, charactersLimit, tags: known } of await this.findMany(projectId, namespace, some)) {
        await this.addTags(id, known, tags)
        handles.set(key, { id, charactersLimit })
      }
      await nextTurn()
    }
    return handles
  }

  /**
   * Returns the handles of all keys. Keys that are not in `present` are created with the tags, which does not count as
   * a change. In a transaction that locks the project.
   */
  async ensure(
    projectId: number,
    namespace: string,
    keys: readonly string[],
    tags: readonly string[],
    present: ReadonlyMap<string, KeyHandle>,
  ): Promise<Map<string, KeyHandle>> {
    const handles = new Map<string, KeyHandle>()
    const row = this.newRow(projectId, namespace, tags)
    const absent: (typeof row & { key: string })[] = []
    for (const key of keys) {
      const handle = present.get(key)
      if (handle) handles.set(key, handle)
      else absent.push({ ...row, key })
    }
    const added = await this.database.insertManyWithId<{ id: number; key: string }>('translation_keys', absent, 'key')
    for (const { id, key } of added) handles.set(key, { id, charactersLimit: -1 })
    return handles
  }

  /** The row of a key that an import creates, without its name. */
  newRow(projectId: number, namespace: string, tags: readonly string[]) {
    const { key: _, ...row } = this.toRow(projectId, { key: '', namespace, tags: [...new Set(tags)] })
    return row
  }

  /** Removes a key with its translations; `false` if it does not exist. Must be called in a transaction. */
  async remove(projectId: number, namespace: string, key: string): Promise<boolean> {
    await this.projects.lock(projectId)
    const found = await this.find(projectId, namespace, key)
    if (!found) return false
    const texts = await this.database.run('DELETE FROM translations WHERE key_id = ?', found.id)
    await this.database.run('DELETE FROM translation_keys WHERE id = ?', found.id)
    this.projects.addUnpublishedChanges(projectId, Math.max(1, texts), { namespace })
    return true
  }

  /** Those of the keys that exist. */
  async findMany(projectId: number, namespace: string, keys: readonly string[]): Promise<FoundKey[]> {
    const found: FoundKey[] = []
    for (const some of inGroups(keys)) {
      // A separate look-up for each key: with IN, the planner may read all keys of a table that is growing.
      const ids = await this.database.all<{ id: number | null }>(
        `SELECT (SELECT k.id FROM translation_keys k
                 WHERE k.project_id = ? AND k.namespace = ? AND k.key = wanted.column1) AS id
         FROM (VALUES ${some.map(() => '(?)').join(', ')}) AS wanted`,
        projectId,
        namespace,
        ...some,
      )
      const known = [...new Set(ids.flatMap(({ id }) => id ?? []))]
      for (const group of inGroups(known)) {
        const sql = `SELECT id, key, characters_limit AS "charactersLimit", tags FROM translation_keys
                     WHERE id IN (${group.map(() => '?').join(', ')})`
        found.push(...(await this.database.all<FoundKey>(sql, ...group)))
      }
    }
    return found
  }

  private async addTags(id: number, json: string, tags: readonly string[]): Promise<void> {
    const joined = joinTags(json, tags)
    if (joined === undefined) return
    await this.database.run('UPDATE translation_keys SET tags = ? WHERE id = ?', joined, id)
  }

  private toRow(
    projectId: number,
    { key, namespace, description = '', tags = [], codeDescription = '', charactersLimit = -1 }: NewKey,
  ) {
    return {
      project_id: projectId,
      namespace,
      key,
      description,
      tags: JSON.stringify(tags),
      code_description: codeDescription,
      characters_limit: charactersLimit,
      created_at: this.now(),
    }
  }
}

/** The tags of a key with more tags added; `undefined` if it has them all. */
export function joinTags(json: string, tags: readonly string[]): string | undefined {
  if (tags.length === 0) return undefined
  const known = JSON.parse(json) as string[]
  const joined = [...new Set([...known, ...tags])]
  return joined.length === known.length ? undefined : JSON.stringify(joined)
}
