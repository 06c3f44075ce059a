/**
 * Large imports where a transaction keeps everybody waiting. A text whose key is not there yet is seen by nobody: the
 * texts of new keys are written ahead, in short transactions, with ids that are kept free for the keys. The transaction
 * of the import adds the keys, and is as short as that.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Queries, Scopes } from './driver.ts'
import type { KeyStore } from './keys.ts'
import { inBatches } from './sql.ts'
import { randomToken } from './tokens.ts'
import { type ImportTexts, type KeysAhead, keysOf, toTextRow } from './translations.ts'

/** New keys of an import that is worth it. */
const FROM_KEYS = 2000

/** Rows of one short transaction. */
const TEXTS = 2000
const KEYS = 5000

/** No project has this id: a key there keeps ids free. */
const NOWHERE = 0

/** Another request has made one of the new keys. */
class KeyIsThere extends Error {}

/** Ids from `first` on; the one after `last` is that of the key that keeps them free. */
interface Range {
  readonly first: number
  readonly last: number
}

/** `commit` gets what is left to do in its transaction. */
export async function importAhead(
  scopes: Scopes,
  keys: KeyStore,
  projectId: number,
  request: ImportTexts,
  now: () => string,
  commit: (rest: ImportTexts, ahead?: KeysAhead) => Promise<void>,
): Promise<void> {
  const { namespace, texts } = request
  const names = keysOf(texts)
  if (names.size < FROM_KEYS) return commit(request)
  for (const some of inBatches(names)) {
    for (const { key } of await keys.findMany(projectId, namespace, some)) names.delete(key)
    await nextTurn()
  }
  if (names.size < FROM_KEYS) return commit(request)

  const range = await keepFree(scopes, names.size, now())
  try {
    const ids = new Map<string, number>()
    for (const key of names) ids.set(key, range.first + ids.size)
    names.clear()
    await writeKeys(scopes, ids)
    const { written, rest } = await writeTexts(scopes, ids, request, now())
    await commit({ ...request, texts: rest }, { texts: written, addKeys: (tx, row) => addKeys(tx, range, row) })
  } catch (error) {
    // What stays is removed by the next start.
    await removeRange(scopes, range).catch(() => {})
    if (!(error instanceof KeyIsThere)) throw error
    await commit(request)
  } finally {
    await forgetKeys(scopes, range).catch(() => {})
  }
}

/** In memory. */
async function writeKeys(scopes: Scopes, ids: ReadonlyMap<string, number>): Promise<void> {
  for (const some of inBatches(ids, KEYS)) {
    await scopes.transaction(async (tx) => {
      await tx.exec('CREATE TEMP TABLE IF NOT EXISTS keys_ahead (key TEXT NOT NULL, id INTEGER PRIMARY KEY)')
      await tx.run('INSERT INTO keys_ahead SELECT value ->> 0, value ->> 1 FROM json_each(?)', JSON.stringify(some))
    })
    await nextTurn()
  }
}

/** `rest`: the texts of keys that are there, with all languages. */
async function writeTexts(
  scopes: Scopes,
  ids: ReadonlyMap<string, number>,
  { texts, customer }: ImportTexts,
  modifiedAt: string,
) {
  const rest = new Map<string, Map<string, string>>()
  const rows = function* () {
    for (const [language, messages] of texts) {
      const left = new Map<string, string>()
      rest.set(language, left)
      for (const [key, text] of messages) {
        const id = ids.get(key)
        if (id === undefined) left.set(key, text)
        else yield toTextRow(id, { language, customer, text, reviewStatus: 'NOT_REVIEWED' }, modifiedAt)
      }
    }
  }
  let written = 0
  for (const some of inBatches(rows(), TEXTS)) {
    written += await scopes.transaction((tx) => tx.insertMany('translations', some))
    await nextTurn()
  }
  return { written, rest }
}

function forgetKeys(scopes: Scopes, { first, last }: Range): Promise<unknown> {
  return scopes.transaction((tx) => tx.run('DELETE FROM keys_ahead WHERE id BETWEEN ? AND ?', first, last))
}

/** Removes what imports have written ahead that a kill has ended. */
export async function removeTextsAhead(scopes: Scopes): Promise<void> {
  const kept = await scopes.all<{ id: number; count: number }>(
    'SELECT id, characters_limit AS count FROM translation_keys WHERE project_id = ?',
    NOWHERE,
  )
  for (const { id, count } of kept) await removeRange(scopes, { first: id - count, last: id - 1 })
}

/** SQLite gives a new key the id after the greatest. */
function keepFree(scopes: Scopes, count: number, createdAt: string): Promise<Range> {
  return scopes.transaction(async (tx) => {
    const { id = 0 } = (await tx.get<{ id: number }>('SELECT MAX(id) AS id FROM translation_keys')) ?? {}
    const range = { first: id + 1, last: id + count }
    const row = { project_id: NOWHERE, namespace: '', key: randomToken(), description: '', tags: '[]' }
    const rest = { code_description: '', characters_limit: count, created_at: createdAt }
    await tx.insert('translation_keys', { id: range.last + 1, ...row, ...rest })
    return range
  })
}

async function addKeys(tx: Queries, { first, last }: Range, row: Readonly<Record<string, string | number>>) {
  await tx.run('DELETE FROM translation_keys WHERE id = ?', last + 1)
  const columns = Object.keys(row)
  for (let from = first; from <= last; from += KEYS) {
    const to = Math.min(from + KEYS - 1, last)
    const added = await tx.run(
      `INSERT INTO translation_keys (id, key, ${columns.join(', ')})
       SELECT id, key, ${columns.map(() => '?').join(', ')} FROM keys_ahead WHERE id BETWEEN ? AND ?
       ON CONFLICT DO NOTHING`,
      ...Object.values(row),
      from,
      to,
    )
    if (added <= to - from) throw new KeyIsThere()
    await nextTurn()
  }
}

/** The key that keeps the ids free goes last: a kill in between leaves it to the next start. */
async function removeRange(scopes: Scopes, { first, last }: Range): Promise<void> {
  for (let from = first; from <= last; from += KEYS) {
    const sql = 'DELETE FROM translations WHERE key_id BETWEEN ? AND ?'
    await scopes.transaction((tx) => tx.run(sql, from, Math.min(from + KEYS - 1, last)))
    await nextTurn()
  }
  await scopes.transaction((tx) => tx.run('DELETE FROM translation_keys WHERE id = ?', last + 1))
}
