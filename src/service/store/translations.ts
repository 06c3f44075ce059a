import { setImmediate as nextTurn } from 'node:timers/promises'
import { HttpError } from '../http-error.ts'
import { withinLimit } from '../limits.ts'
import { inBatches, inGroups, insertSql, type Queries, type SqlRow, type SqlValue } from './driver.ts'
import type { KeyHandle, KeyStore } from './keys.ts'
import type { ProjectStore } from './projects.ts'
import type { EarlierKey, EarlierKeys, TextName } from './recent-writes.ts'

export type ReviewStatus = 'REVIEWED' | 'NOT_REVIEWED'

export interface TextRow extends TextName {
  readonly text: string
}

export interface NewText extends TextRow {
  readonly reviewStatus: ReviewStatus
}

export interface ImportTexts {
  readonly namespace: string
  readonly customer: string
  readonly tags: readonly string[]
  /** True to overwrite existing texts. Otherwise, only missing and empty texts are written. */
  readonly replace: boolean
  readonly texts: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Called before the write, with the import's keys that already have a text. Can throw to refuse the import. */
  readonly check?: ((present: readonly (readonly [key: string, text: string])[]) => void) | undefined
}

/** An import's texts, which were written before its transaction. */
export interface StagedTexts {
  /** Returns the existing texts of the import's keys. Must be called in the transaction. */
  present(tx: Queries): Promise<[key: string, text: string][]>
  /**
   * Adds the new keys, with the columns of `newKey`, and the texts. Returns the number of changed texts. Throws
   * `KeysChanged` if another request has created or removed one of the keys in the meantime. Must be called in the
   * transaction.
   */
  write(tx: Queries, newKey: SqlRow): Promise<number>
}

export interface TextFilter {
  readonly languages?: readonly string[] | undefined
  /** Only texts for this customer. `''` means only texts without a customer. Default: all texts. */
  readonly customer?: string | undefined
  /** Only keys with at least one of these tags. */
  readonly tags?: readonly string[] | undefined
  /** True to add an empty text wherever a key has no text in a language. Only for texts without a customer. */
  readonly missing?: boolean | undefined
}

export interface TextWrite {
  readonly keyId: number
  readonly entry: NewText
  /** The current text. */
  readonly before: string | undefined
}

/** The project's current data for a text that is to be written. */
export type TextTarget = Awaited<ReturnType<TranslationStore['targets']>>[number]

interface FoundTarget {
  /** The text's index in the list. */
  readonly n: string
  readonly id: number | null
  readonly charactersLimit: number | null
  readonly text: string | null
  /** A number in SQLite, which has no booleans. */
  readonly hasLanguage: boolean | number
  readonly hasCustomer: boolean | number
}

export const UPSERT_TEXT = `ON CONFLICT (key_id, language, customer) DO UPDATE SET text = excluded.text, folded = excluded.folded,
  review_status = excluded.review_status, modified_at = excluded.modified_at`

export class TranslationStore {
  constructor(
    private readonly database: Queries,
    private readonly projects: ProjectStore,
    private readonly keys: KeyStore,
    private readonly now: () => string,
    /** The keys as they were when a long read began. Defined only in the store that such a read uses. */
    private readonly earlier: EarlierKeys | undefined,
  ) {}

  /** Returns `undefined` if the key has no such text. */
  async text(keyId: number, language: string, customer: string): Promise<string | undefined> {
    const sql = 'SELECT text FROM translations WHERE key_id = ? AND language = ? AND customer = ?'
    return (await this.database.get<{ text: string }>(sql, keyId, language, customer))?.text
  }

  /**
   * Reads everything that writes to these texts depend on, with one statement. The result has the same order as
   * `names`. Must be called in a transaction that locks the namespaces.
   */
  async targets(projectId: number, names: readonly TextName[]) {
    // The list is padded to a power of two, so that there are few different statements.
    const asked = [...names]
    while (asked.length < 2 ** Math.ceil(Math.log2(names.length))) asked.push(asked.at(-1) as TextName)
    const found = await this.database.all<FoundTarget>(
      `SELECT w.column1 AS n, k.id AS id, k.characters_limit AS "charactersLimit", t.text AS text,
              EXISTS (SELECT 1 FROM languages l WHERE l.project_id = ? AND l.key = w.column4) AS "hasLanguage",
              EXISTS (SELECT 1 FROM customers c WHERE c.project_id = ? AND c.key = w.column5) AS "hasCustomer"
       FROM (VALUES ${asked.map(() => '(?, ?, ?, ?, ?)').join(', ')}) AS w
       LEFT JOIN translation_keys k ON k.project_id = ? AND k.namespace = w.column2 AND k.key = w.column3
       LEFT JOIN translations t ON t.key_id = k.id AND t.language = w.column4 AND t.customer = w.column5`,
      ...[projectId, projectId],
      ...asked.flatMap(({ namespace, key, language, customer }, n) => [String(n), namespace, key, language, customer]),
      projectId,
    )
    const byNumber = new Map(found.map((target) => [target.n, target]))
    return names.map(({ customer }, n) => {
      const { id, charactersLimit, text, hasLanguage, hasCustomer } = byNumber.get(String(n)) as FoundTarget
      return {
        /** `undefined` if the key does not exist. */
        key: id === null || charactersLimit === null ? undefined : { id, charactersLimit },
        /** The current text. */
        text: text ?? undefined,
        hasLanguage: Boolean(hasLanguage),
        hasCustomer: customer === '' || Boolean(hasCustomer),
      }
    })
  }

  /** Sets one text. `before` is the current text. Must be called in a transaction that locks the namespace. */
  async set(projectId: number, keyId: number, entry: NewText, before: string | undefined) {
    await this.keys.keepEarlier(projectId, [entry])
    const modifiedAt = this.now()
    await this.database.insert(
      'translations',
      [this.startWrite(projectId, { keyId, entry, before }, modifiedAt)],
      UPSERT_TEXT,
    )
    return { inserted: before === undefined, modifiedAt }
  }

  /**
   * Sets texts for different keys, languages or customers, and returns their modification time. Must be the last step
   * of a transaction that locks the namespaces.
   */
  async setAll(projectId: number, writes: readonly TextWrite[]): Promise<string> {
    await this.keys.keepEarlier(
      projectId,
      writes.map(({ entry }) => entry),
    )
    const modifiedAt = this.now()
    const rows = writes.map((write) => this.startWrite(projectId, write, modifiedAt))
    const [first] = rows
    if (first) {
      const sql = insertSql('translations', first, UPSERT_TEXT, rows.length)
      this.database.atCommit(sql, ...rows.flatMap((row) => Object.values(row)))
    }
    return modifiedAt
  }

  private startWrite(projectId: number, { keyId, entry, before }: TextWrite, modifiedAt: string) {
    const newRowIn = before === undefined ? entry.namespace : undefined
    this.projects.addUnpublishedChanges(projectId, before === entry.text ? 0 : 1, newRowIn)
    return toTextRow(keyId, entry, modifiedAt)
  }

  /**
   * Creates languages, keys and texts, all or none. Empty texts count as missing. `staged` is set if the texts were
   * already written. Returns the number of changed texts. Must be called in a transaction.
   */
  async importTexts(projectId: number, request: ImportTexts, staged?: StagedTexts): Promise<number> {
    const { namespace, tags, texts, check } = request
    await this.projects.lock(projectId, [namespace])
    check?.(await (staged ? staged.present(this.database) : this.presentTexts(projectId, request)))
    await this.projects.addLanguages(
      projectId,
      [...texts.keys()].map((key) => ({ key })),
    )
    const newKey = this.keys.newRow(projectId, namespace, tags)
    const changed = await (staged ? staged.write(this.database, newKey) : this.writeTexts(projectId, request))
    this.projects.addUnpublishedChanges(projectId, changed, namespace)
    return changed
  }

  private async writeTexts(projectId: number, request: ImportTexts): Promise<number> {
    const { namespace, customer, tags, texts } = request
    const modifiedAt = this.now()
    const onConflict = `${UPSERT_TEXT} WHERE ${upsertCondition(request)}`
    // Looks up all keys first: PostgreSQL caches the plan for an empty table, which is slow once the table has grown.
    const present = await this.keys.tagPresent(projectId, namespace, keysOf(texts), tags)
    let changed = 0
    for (const some of inBatches(keysOf(texts))) {
      const handles = await this.keys.ensure(projectId, namespace, some, tags, present)
      const rows = importRows(texts, handles, customer, modifiedAt)
      changed += await this.database.insert('translations', rows, onConflict)
      await nextTurn()
    }
    return changed
  }

  /** Yields every stored text, ordered by namespace and key. Must be called in a snapshot. */
  async *rows(projectId: number, filter: TextFilter = {}): AsyncGenerator<readonly TextRow[]> {
    const { languages, customer, tags, missing } = filter
    const fillGaps = missing === true && customer === ''
    const language = fillGaps ? 'l.key' : 't.language'
    const conditions = ['k.project_id = ?']
    const values: SqlValue[] = [projectId]
    if (customer !== undefined && !fillGaps) {
      conditions.push('t.customer = ?')
      values.push(customer)
    }
    if (languages) {
      conditions.push(`${language} IN (${languages.map(() => '?').join(', ')})`)
      values.push(...languages)
    }
    if (tags && tags.length > 0) {
      conditions.push(`(${tags.map(() => 'instr(k.tags, ?) > 0').join(' OR ')})`)
      values.push(...tags.map((tag) => JSON.stringify(tag)))
    }
    const from = fillGaps
      ? `translation_keys k JOIN languages l ON l.project_id = k.project_id
         LEFT JOIN translations t ON t.key_id = k.id AND t.language = l.key AND t.customer = ''`
      : 'translation_keys k JOIN translations t ON t.key_id = k.id'
    const batches = this.database.batches<TextRow>(
      `SELECT k.namespace AS namespace, k.key AS key, ${language} AS language,
              COALESCE(t.customer, '') AS customer, COALESCE(t.text, '') AS text
       FROM ${from} WHERE ${conditions.join(' AND ')}
       ORDER BY k.namespace, k.key, ${language}`,
      ...values,
    )
    const known = this.earlier && fillGaps ? (await this.projects.languages(projectId)).map(({ key }) => key) : []
    yield* this.earlier?.inPlaceOf(projectId, batches, (key) => rowsOf(key, filter, known)) ?? batches
  }

  private async presentTexts(projectId: number, { namespace, customer, texts }: ImportTexts) {
    const present: [key: string, text: string][] = []
    for (const [language, messages] of texts) {
      for (const some of inGroups([...messages.keys()])) {
        const rows = await this.database.all<{ key: string; text: string }>(
          `SELECT k.key AS key, t.text AS text FROM translation_keys k JOIN translations t ON t.key_id = k.id
           WHERE k.project_id = ? AND k.namespace = ? AND t.language = ? AND t.customer = ? AND t.text <> ''
             AND k.key IN (${some.map(() => '?').join(', ')})`,
          projectId,
          namespace,
          language,
          customer,
          ...some,
        )
        for (const { key, text } of rows) present.push([key, text])
      }
    }
    return present
  }
}

/** The rows of a key that match the filter. `known` contains the project's languages, for missing texts. */
function rowsOf(
  { namespace, key, exists, tags, texts }: EarlierKey,
  { languages, customer, tags: wanted = [], missing }: TextFilter,
  known: readonly string[],
): TextRow[] {
  const has = JSON.parse(tags) as string[]
  if (!exists || (wanted.length > 0 && !wanted.some((tag) => has.includes(tag)))) return []
  const rows = texts.map((text) => ({ namespace, key, ...text }))
  if (missing && customer === '') {
    const present = new Set(rows.flatMap((row) => (row.customer === '' ? [row.language] : [])))
    for (const language of known)
      if (!present.has(language)) rows.push({ namespace, key, language, customer, text: '' })
    rows.sort((a, b) => (a.language < b.language ? -1 : 1))
  }
  return rows.filter(
    (row) => (languages?.includes(row.language) ?? true) && (customer === undefined || row.customer === customer),
  )
}

/** The condition for texts that an import may overwrite. */
export function upsertCondition({ replace }: ImportTexts): string {
  return replace ? 'translations.text <> excluded.text' : "translations.text = '' AND excluded.text <> ''"
}

/** The keys in all languages of an import, without duplicates. */
export function* keysOf(texts: ImportTexts['texts']): Generator<string, void> {
  const earlier: ReadonlyMap<string, string>[] = []
  for (const messages of texts.values()) {
    for (const key of messages.keys()) if (!earlier.some((other) => other.has(key))) yield key
    earlier.push(messages)
  }
}

function* importRows(
  texts: ImportTexts['texts'],
  handles: ReadonlyMap<string, KeyHandle>,
  customer: string,
  modifiedAt: string,
) {
  for (const [language, messages] of texts) {
    for (const [key, { id, charactersLimit }] of handles) {
      const text = messages.get(key)
      if (text === undefined) continue
      if (!withinLimit(text, charactersLimit)) throw overLimit(key, charactersLimit, language)
      yield toTextRow(id, { language, customer, text, reviewStatus: 'NOT_REVIEWED' }, modifiedAt)
    }
  }
}

export function toTextRow(
  keyId: number,
  { language, customer, text, reviewStatus }: Omit<NewText, 'namespace' | 'key'>,
  modifiedAt: string,
) {
  const folded = fold(text)
  return {
    key_id: keyId,
    language,
    customer,
    text,
    folded: folded === text ? null : folded,
    review_status: reviewStatus,
    modified_at: modifiedAt,
  }
}

/** The error for a text that is longer than its key allows. */
export function overLimit(key: string, limit: number, language: string): HttpError {
  const message = `${language}: ${JSON.stringify(key)} can have at most ${limit} characters.`
  return new HttpError(400, 'CHARACTERS_LIMIT', message)
}

/** Lower case for search. Both forms of the lower-case sigma become one letter. */
export function fold(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}
