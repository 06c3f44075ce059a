/**
 * Large imports on a database whose transactions block all other work. Everything that other requests cannot see is
 * written in advance, in short transactions: the texts of new keys under reserved IDs, and the texts of existing keys
 * to temporary tables in memory. The import's own transaction then adds the keys and copies the texts with few
 * statements.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { withinLimit } from '../limits.ts'
import { randomToken } from './credentials.ts'
import { inBatches, type Queries, type Scopes, type SqlRow } from './driver.ts'
import { type FoundKey, joinTags, type KeyStore } from './keys.ts'
import {
  type ImportTexts,
  keysOf,
  overLimit,
  type StagedTexts,
  toTextRow,
  UPSERT_TEXT,
  upsertCondition,
} from './translations.ts'

/** Staging is worthwhile only for at least this many texts. */
const FROM = 2000
/** The limit for the texts of existing keys. More would need too much memory. */
const MAX_CHARACTERS = 50_000_000

/** The maximum numbers of rows in one short transaction or sort. */
const TEXTS = 2000
const KEYS = 5000
const SORTED = 50_000

/** A project ID that no project has. A key with this project ID only reserves IDs for other keys. */
const NOWHERE = 0

/** Thrown if another request has created, changed or removed one of the keys. */
class KeysChanged extends Error {}

/** Reserved IDs. The key that reserves them has the ID after `last`. */
interface Range {
  readonly first: number
  readonly last: number
}

/** Stages the texts if there are enough of them. `commit` then makes them visible, or writes them itself. */
export async function importStaged(
  scopes: Scopes,
  keys: KeyStore,
  projectId: number,
  request: ImportTexts,
  now: () => string,
  commit: (staged?: StagedTexts) => Promise<void>,
): Promise<void> {
  if (countTexts(request.texts) < FROM) return commit()
  const rowsVersion = await rowsVersionOf(scopes, projectId, request.namespace)
  const present = new Map<string, FoundKey>()
  const absent: string[] = []
  let characters = 0
  for (const some of inBatches(keysOf(request.texts))) {
    for (const found of await keys.findMany(projectId, request.namespace, some)) {
      present.set(found.key, found)
      for (const messages of request.texts.values()) characters += messages.get(found.key)?.length ?? 0
    }
    for (const key of some) if (!present.has(key)) absent.push(key)
    await nextTurn()
  }
  if (characters > MAX_CHARACTERS) return commit()
  const staged = new StagedImport(scopes, projectId, request, rowsVersion, now())
  try {
    await staged.prepare(present, absent)
    await commit(staged)
  } catch (error) {
    // The next start removes what remains.
    await staged.undo().catch(() => {})
    if (!(error instanceof KeysChanged)) throw error
    await commit()
  } finally {
    await staged.end().catch(() => {})
  }
}

/** Removes texts staged by imports whose process was killed. */
export async function removeStagedTexts(scopes: Scopes): Promise<void> {
  const kept = await scopes.all<{ id: number; count: number }>(
    'SELECT id, characters_limit AS count FROM translation_keys WHERE project_id = ?',
    NOWHERE,
  )
  for (const { id, count } of kept) await removeRange(scopes, { first: id - count, last: id - 1 })
}

let imports = 0

class StagedImport implements StagedTexts {
  /** Temporary tables of this connection, in memory. */
  private readonly keyTable = `staged_keys_${++imports}`
  private readonly textTable = `staged_texts_${imports}`
  /** The IDs for the new keys. */
  private range: Range | undefined
  private written = 0
  private changesTags = false
  /** Existing keys with texts in `textTable`, in ascending order. */
  private ids: number[] = []

  constructor(
    private readonly scopes: Scopes,
    private readonly projectId: number,
    private readonly request: ImportTexts,
    private readonly rowsVersion: number,
    private readonly modifiedAt: string,
  ) {}

  /** Stages all texts. `present` contains the existing keys, and `absent` the keys to create. */
  async prepare(present: ReadonlyMap<string, FoundKey>, absent: readonly string[]): Promise<void> {
    await this.scopes.transaction((tx) =>
      tx.exec(`CREATE TEMP TABLE ${this.keyTable} (id INTEGER PRIMARY KEY, key TEXT NOT NULL, tags TEXT, joined TEXT);
        CREATE TEMP TABLE ${this.textTable} (key_id INTEGER NOT NULL, language TEXT NOT NULL, text TEXT NOT NULL,
          folded TEXT, PRIMARY KEY (key_id, language)) WITHOUT ROWID`),
    )
    const created = await this.keepIdsFree(absent)
    await this.keepKeys(present)
    await this.writeTexts(present, created)
  }

  async present(tx: Queries): Promise<[key: string, text: string][]> {
    const [language] = this.request.texts.keys()
    if (this.ids.length === 0 || language === undefined) return []
    const rows = await tx.all<{ key: string; text: string }>(
      `SELECT a.key AS key, t.text AS text FROM ${this.keyTable} a JOIN translations t ON t.key_id = a.id
       WHERE t.language = ? AND t.customer = ? AND t.text <> '' AND a.tags IS NOT NULL`,
      language,
      this.request.customer,
    )
    return rows.map(({ key, text }) => [key, text])
  }

  async write(tx: Queries, newKey: SqlRow): Promise<number> {
    if ((await rowsVersionOf(tx, this.projectId, this.request.namespace)) !== this.rowsVersion) {
      await this.checkKeys(tx)
    }
    if (this.range) await this.addKeys(tx, this.range, newKey)
    if (this.ids.length === 0) return this.written
    if (this.changesTags)
      await tx.run(
        `UPDATE translation_keys SET tags = a.joined FROM ${this.keyTable} a
       WHERE a.joined IS NOT NULL AND translation_keys.id = a.id`,
      )
    return this.written + (await this.joinTexts(tx))
  }

  /** Removes the texts of new keys. The temporary tables are removed by `end`. */
  async undo(): Promise<void> {
    if (this.range) await removeRange(this.scopes, this.range)
  }

  end(): Promise<void> {
    return this.scopes.transaction((tx) =>
      tx.exec(`DROP TABLE IF EXISTS temp.${this.keyTable}; DROP TABLE IF EXISTS temp.${this.textTable}`),
    )
  }

  private async keepIdsFree(names: readonly string[]): Promise<Map<string, number>> {
    const created = new Map<string, number>()
    if (names.length === 0) return created
    const range = await keepFree(this.scopes, names.length, this.modifiedAt)
    this.range = range
    for (const some of inBatches(names, SORTED)) {
      // The keys are sorted, because the index on keys grows faster when they are added in order.
      for (const key of some.sort()) created.set(key, range.first + created.size)
      await nextTurn()
    }
    for (const some of inBatches(created, KEYS)) await this.addKeyRows('value ->> 1, value ->> 0, NULL, NULL', some)
    return created
  }

  private async keepKeys(present: ReadonlyMap<string, FoundKey>): Promise<void> {
    for (const some of inBatches(present.values(), KEYS)) {
      const rows = some.map(({ id, key, tags }) => [id, key, tags, joinTags(tags, this.request.tags) ?? null])
      this.changesTags ||= rows.some(([, , , joined]) => joined !== null)
      await this.addKeyRows('value ->> 0, value ->> 1, value ->> 2, value ->> 3', rows)
    }
    this.ids = Array.from(present.values(), ({ id }) => id).sort((a, b) => a - b)
  }

  private async addKeyRows(columns: string, rows: readonly unknown[]): Promise<void> {
    const sql = `INSERT INTO ${this.keyTable} (id, key, tags, joined) SELECT ${columns} FROM json_each(?)`
    await this.scopes.transaction((tx) => tx.run(sql, JSON.stringify(rows)))
    await nextTurn()
  }

  /** Writes texts in the order of their IDs, so that the index and the rows grow at the end. */
  private async writeTexts(
    present: ReadonlyMap<string, FoundKey>,
    created: ReadonlyMap<string, number>,
  ): Promise<void> {
    const textsOf = (key: string, id: number, limit = -1) => this.rowsOf(key, id, limit)
    const added = function* () {
      for (const [key, id] of created) yield* textsOf(key, id)
    }
    for (const some of inBatches(added(), TEXTS)) this.written += await this.flush('translations', some)
    const joined = function* () {
      for (const { key, id, charactersLimit } of present.values()) {
        for (const { key_id, language, text, folded } of textsOf(key, id, charactersLimit)) {
          yield { key_id, language, text, folded }
        }
      }
    }
    for (const some of inBatches(joined(), TEXTS)) await this.flush(this.textTable, some)
  }

  private *rowsOf(key: string, id: number, limit: number) {
    const { texts, customer } = this.request
    for (const [language, messages] of texts) {
      const text = messages.get(key)
      if (text === undefined) continue
      if (!withinLimit(text, limit)) throw overLimit(key, limit, language)
      yield toTextRow(id, { language, customer, text, reviewStatus: 'NOT_REVIEWED' }, this.modifiedAt)
    }
  }

  private async flush(table: string, rows: readonly SqlRow[]): Promise<number> {
    const count = await this.scopes.transaction((tx) => tx.insert(table, rows))
    await nextTurn()
    return count
  }

  /** Checks that the existing keys have not changed. New keys are checked when they are added. */
  private async checkKeys(tx: Queries): Promise<void> {
    if (this.ids.length === 0) return
    const found = await tx.get<{ n: number }>(
      `SELECT COUNT(*) AS n FROM ${this.keyTable} a JOIN translation_keys k ON k.id = a.id
       WHERE k.project_id = ? AND k.namespace = ? AND k.key = a.key AND k.tags = a.tags`,
      this.projectId,
      this.request.namespace,
    )
    if (found?.n !== this.ids.length) throw new KeysChanged()
  }

  private async addKeys(tx: Queries, { first, last }: Range, newKey: SqlRow): Promise<void> {
    await tx.run('DELETE FROM translation_keys WHERE id = ?', last + 1)
    const columns = Object.keys(newKey)
    for (let from = first; from <= last; from += KEYS) {
      const to = Math.min(from + KEYS - 1, last)
      const added = await tx.run(
        `INSERT INTO translation_keys (id, key, ${columns.join(', ')})
         SELECT id, key, ${columns.map(() => '?').join(', ')} FROM ${this.keyTable} WHERE id BETWEEN ? AND ?
         ON CONFLICT DO NOTHING`,
        ...Object.values(newKey),
        from,
        to,
      )
      if (added <= to - from) throw new KeysChanged()
      await nextTurn()
    }
  }

  /** Copies the staged texts of existing keys. Returns the number of changed texts. */
  private async joinTexts(tx: Queries): Promise<number> {
    let changed = 0
    for (let at = 0; at < this.ids.length; at += KEYS) {
      const [from = 0, to = 0] = [this.ids[at], this.ids.slice(at, at + KEYS).at(-1)]
      changed += await tx.run(
        `INSERT INTO translations (key_id, language, customer, text, folded, review_status, modified_at)
         SELECT key_id, language, ?, text, folded, 'NOT_REVIEWED', ? FROM ${this.textTable}
         WHERE key_id BETWEEN ? AND ? ${UPSERT_TEXT} WHERE ${upsertCondition(this.request)}`,
        this.request.customer,
        this.modifiedAt,
        from,
        to,
      )
      await nextTurn()
    }
    return changed
  }
}

/** Returns a version that changes when a key or a text in the namespace is added or removed. */
async function rowsVersionOf(queries: Queries, projectId: number, namespace: string): Promise<number> {
  const found = await queries.get<{ version: number }>(
    'SELECT rows_version AS version FROM changed_namespaces WHERE project_id = ? AND namespace = ?',
    projectId,
    namespace,
  )
  return found?.version ?? 0
}

function countTexts(texts: ImportTexts['texts']): number {
  return [...texts.values()].reduce((sum, { size }) => sum + size, 0)
}

/** Reserves IDs by creating a key with a higher ID, because SQLite gives a new key the ID after the highest one. */
function keepFree(scopes: Scopes, count: number, createdAt: string): Promise<Range> {
  return scopes.transaction(async (tx) => {
    const { id = 0 } = (await tx.get<{ id: number }>('SELECT MAX(id) AS id FROM translation_keys')) ?? {}
    const range = { first: id + 1, last: id + count }
    const row = { project_id: NOWHERE, namespace: '', key: randomToken(), description: '', tags: '[]' }
    const rest = { code_description: '', characters_limit: count, created_at: createdAt }
    await tx.insert('translation_keys', [{ id: range.last + 1, ...row, ...rest }])
    return range
  })
}

/**
 * Removes the reserved IDs' texts, then the key that reserves the IDs. If the process is killed in between, the next
 * start can continue.
 */
async function removeRange(scopes: Scopes, { first, last }: Range): Promise<void> {
  for (let from = first; from <= last; from += KEYS) {
    const sql = 'DELETE FROM translations WHERE key_id BETWEEN ? AND ?'
    await scopes.transaction((tx) => tx.run(sql, from, Math.min(from + KEYS - 1, last)))
    await nextTurn()
  }
  await scopes.transaction((tx) => tx.run('DELETE FROM translation_keys WHERE id = ?', last + 1))
}
