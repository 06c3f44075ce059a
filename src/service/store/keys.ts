/** Translation keys. A key is unique in its project and namespace. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { inBatches, inGroups, type Queries } from './driver.ts'
import type { ProjectStore } from './projects.ts'
import type { EarlierKeys, KeyName } from './recent-writes.ts'

interface KeyRecord {
  readonly key: string
  readonly namespace: string
  readonly description: string
  readonly tags: readonly string[]
  readonly codeDescription: string
  /** The maximum number of characters. -1 means no limit. */
  readonly charactersLimit: number
}

type NewKey = Pick<KeyRecord, 'key' | 'namespace'> & Partial<KeyRecord>

export interface KeyHandle {
  readonly id: number
  readonly charactersLimit: number
}

export interface FoundKey extends KeyHandle {
  readonly key: string
  /** A JSON array. */
  readonly tags: string
}

export class KeyStore {
  constructor(
    private readonly database: Queries,
    private readonly projects: ProjectStore,
    private readonly now: () => string,
    private readonly longReads: ReadonlySet<EarlierKeys>,
    /** Set in the store of a long read: the keys as they were before later writes. */
    private readonly earlier: EarlierKeys | undefined,
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

  /** All keys, ordered by namespace and key. Must be called in a snapshot. */
  names(projectId: number): AsyncIterable<readonly KeyName[]> {
    const sql = 'SELECT namespace, key FROM translation_keys WHERE project_id = ? ORDER BY namespace, key'
    const batches = this.database.batches<KeyName>(sql, projectId)
    return this.earlier?.inPlaceOf(projectId, batches, (key) => (key.exists ? [key] : [])) ?? batches
  }

  /** Saves keys for long reads before a write changes them. Must be called in the transaction of the write. */
  async keepEarlier(projectId: number, names: Iterable<KeyName>): Promise<void> {
    if (this.longReads.size === 0) return
    for (const { namespace, key } of names) {
      const reads = [...this.longReads].filter((read) => !read.has(projectId, { namespace, key }))
      if (reads.length === 0) continue
      type Row = { tags: string } & { [name in 'language' | 'customer' | 'text']: string | null }
      const rows = await this.database.all<Row>(
        `SELECT k.tags AS tags, t.language AS language, t.customer AS customer, t.text AS text
         FROM translation_keys k LEFT JOIN translations t ON t.key_id = k.id
         WHERE k.project_id = ? AND k.namespace = ? AND k.key = ? ORDER BY t.language, t.customer`,
        projectId,
        namespace,
        key,
      )
      const texts = rows.flatMap(({ language, customer, text }) =>
        language === null || customer === null || text === null ? [] : [{ language, customer, text }],
      )
      const earlier = { namespace, key, exists: rows.length > 0, tags: rows[0]?.tags ?? '[]', texts }
      for (const read of reads) read.keep(projectId, earlier)
    }
  }

  /** Creates a key. Returns `undefined` if it already exists. Must be called in a transaction. */
  async create(projectId: number, record: NewKey): Promise<KeyHandle | undefined> {
    await this.projects.lock(projectId, [record.namespace])
    if (await this.find(projectId, record.namespace, record.key)) return undefined
    await this.keepEarlier(projectId, [record])
    const row = this.toRow(projectId, record)
    const [{ id }] = (await this.database.insertReturning('translation_keys', [row], 'id')) as [{ id: number }]
    this.projects.addUnpublishedChanges(projectId, 1, record.namespace)
    return { id, charactersLimit: row.characters_limit }
  }

  /**
   * Adds tags to those of `keys` that exist, and returns their handles. Must be called in a transaction that locks the
   * namespace.
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
   * Returns the handles of all keys. Keys that are not in `present` are created with the tags, which is not counted as
   * a change. Must be called in a transaction that locks the namespace.
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
    const added = await this.database.insertReturning<{ id: number; key: string }>(
      'translation_keys',
      absent,
      'id, key',
    )
    for (const { id, key } of added) handles.set(key, { id, charactersLimit: -1 })
    return handles
  }

  /** The row for a key that an import creates, without the key's name. */
  newRow(projectId: number, namespace: string, tags: readonly string[]) {
    const { key: _, ...row } = this.toRow(projectId, { key: '', namespace, tags: [...new Set(tags)] })
    return row
  }

  /** Removes a key and its translations. Returns `false` if it does not exist. Must be called in a transaction. */
  async remove(projectId: number, namespace: string, key: string): Promise<boolean> {
    await this.projects.lock(projectId, [namespace])
    const found = await this.find(projectId, namespace, key)
    if (!found) return false
    await this.keepEarlier(projectId, [{ namespace, key }])
    const texts = await this.database.run('DELETE FROM translations WHERE key_id = ?', found.id)
    await this.database.run('DELETE FROM translation_keys WHERE id = ?', found.id)
    this.projects.addUnpublishedChanges(projectId, Math.max(1, texts), namespace)
    return true
  }

  /** Returns only keys that exist. */
  async findMany(projectId: number, namespace: string, keys: readonly string[]): Promise<FoundKey[]> {
    const found: FoundKey[] = []
    for (const some of inGroups(keys)) {
      // Looks up each key separately. With IN, the query planner might read all keys if the table is growing.
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

/** Adds tags. Returns `undefined` if the key already has all of them. */
export function joinTags(json: string, tags: readonly string[]): string | undefined {
  if (tags.length === 0) return undefined
  const known = JSON.parse(json) as string[]
  const joined = [...new Set([...known, ...tags])]
  return joined.length === known.length ? undefined : JSON.stringify(joined)
}
