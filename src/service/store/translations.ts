/** Texts per key, language and customer. */
import { HttpError } from '../http-error.ts'
import { withinLimit } from '../limits.ts'
import type { Database } from './driver.ts'
import type { KeyStore } from './keys.ts'
import type { ProjectStore } from './projects.ts'

export type ReviewStatus = 'REVIEWED' | 'NOT_REVIEWED'

/** One text with everything that names it. Customer `''`: none. */
export interface TextRow {
  readonly namespace: string
  readonly key: string
  readonly language: string
  readonly customer: string
  readonly text: string
}

export interface ImportTexts {
  readonly namespace: string
  readonly customer: string
  readonly tags: readonly string[]
  /** Also texts that exist; otherwise only texts that are missing or empty. */
  readonly replace: boolean
  readonly texts: ReadonlyMap<string, ReadonlyMap<string, string>>
  /**
   * Called before anything is written, with the keys of the import that have a text now. What it throws refuses the
   * import.
   */
  readonly check?: ((present: readonly (readonly [key: string, text: string])[]) => void) | undefined
}

export interface TextFilter {
  readonly languages?: readonly string[] | undefined
  /** That customer's own texts; `''` the texts of no customer; `undefined` all. */
  readonly customer?: string | undefined
  /** Keys that carry one of them. */
  readonly tags?: readonly string[] | undefined
  /** Also an empty text for each key that has none in a language; only texts of no customer. */
  readonly missing?: boolean | undefined
}

export type TranslationStore = ReturnType<typeof createTranslationStore>

export function createTranslationStore(database: Database, projects: ProjectStore, keys: KeyStore, now: () => string) {
  const exists = (keyId: number, language: string, customer: string) =>
    database.get<{ text: string; review_status: ReviewStatus }>(
      'SELECT text, review_status FROM translations WHERE key_id = ? AND language = ? AND customer = ?',
      keyId,
      language,
      customer,
    )

  const presentTexts = (
    projectId: number,
    { namespace, customer, texts }: Pick<ImportTexts, 'namespace' | 'customer' | 'texts'>,
  ) => {
    const present: [key: string, text: string][] = []
    for (const [language, messages] of texts) {
      for (const key of messages.keys()) {
        const found = keys.find(projectId, namespace, key)
        const text = found && exists(found.id, language, customer)?.text
        if (text) present.push([key, text])
      }
    }
    return present
  }

  return {
    /**
     * Sets one text. `inserted`: the language had no text of this key before. `check` gets the present text before
     * anything is written; what it throws refuses the write.
     */
    set(
      projectId: number,
      keyId: number,
      entry: { language: string; customer: string; text: string; reviewStatus: ReviewStatus },
      check?: (present: string) => void,
    ): { inserted: boolean; modifiedAt: string } {
      return database.transaction(() => {
        const before = exists(keyId, entry.language, entry.customer)
        check?.(before?.text ?? '')
        const modifiedAt = now()
        database.run(
          `INSERT INTO translations (key_id, language, customer, text, folded, review_status, modified_at)
           VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (key_id, language, customer) DO UPDATE SET
             text = excluded.text, folded = excluded.folded,
             review_status = excluded.review_status, modified_at = excluded.modified_at`,
          keyId,
          entry.language,
          entry.customer,
          entry.text,
          foldedOrNull(entry.text),
          entry.reviewStatus,
          modifiedAt,
        )
        projects.changed(projectId, before?.text === entry.text ? 0 : 1)
        return { inserted: before === undefined, modifiedAt }
      })
    },

    /** Brings languages, keys and texts into being, all or nothing. An existing empty text is no translation yet: it is filled. */
    importTexts(projectId: number, { namespace, customer, tags, replace, texts, check }: ImportTexts): void {
      const guard = replace ? 'translations.text <> excluded.text' : "translations.text = '' AND excluded.text <> ''"
      const upsert = `INSERT INTO translations (key_id, language, customer, text, folded, review_status, modified_at)
        VALUES (?, ?, ?, ?, ?, 'NOT_REVIEWED', ?)
        ON CONFLICT (key_id, language, customer) DO UPDATE SET
          text = excluded.text, folded = excluded.folded,
          review_status = excluded.review_status, modified_at = excluded.modified_at
        WHERE ${guard}`
      database.transaction(() => {
        check?.(presentTexts(projectId, { namespace, customer, texts }))
        projects.addLanguages(
          projectId,
          [...texts.keys()].map((key) => ({ key })),
        )
        const modifiedAt = now()
        const ids = new Map<string, number>()
        const limits = new Map<string, number>()
        const idOf = (key: string): number => {
          const known = ids.get(key)
          if (known !== undefined) return known
          const found = keys.find(projectId, namespace, key) ?? keys.insert(projectId, { key, namespace })
          if (tags.length > 0) keys.addTags(found.id, tags)
          if (found.charactersLimit >= 0) limits.set(key, found.charactersLimit)
          ids.set(key, found.id)
          return found.id
        }
        let changes = 0
        for (const [language, messages] of texts) {
          for (const [key, text] of messages) {
            const id = idOf(key)
            const limit = limits.get(key)
            if (limit !== undefined && !withinLimit(text, limit)) throw overLimit(key, limit, language)
            changes += database.run(upsert, id, language, customer, text, foldedOrNull(text), modifiedAt)
          }
        }
        projects.changed(projectId, changes)
      })
    },

    /** Every stored text by namespace and key; the texts of one key stand together. */
    rows(projectId: number, { languages, customer, tags, missing }: TextFilter = {}): IterableIterator<TextRow> {
      const fillGaps = missing === true && customer === ''
      const language = fillGaps ? 'l.key' : 't.language'
      const conditions = ['k.project_id = ?']
      const values: (string | number)[] = [projectId]
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
      return database.iterate<TextRow>(
        `SELECT k.namespace AS namespace, k.key AS key, ${language} AS language,
                COALESCE(t.customer, '') AS customer, COALESCE(t.text, '') AS text
         FROM ${from} WHERE ${conditions.join(' AND ')}
         ORDER BY k.namespace, k.key, ${language}`,
        ...values,
      )
    },
  }
}

/** The refusal of a text that is longer than its key allows. */
export function overLimit(key: string, limit: number, language: string): HttpError {
  return new HttpError(
    400,
    'CHARACTERS_LIMIT',
    `${language}: ${JSON.stringify(key)} takes ${limit} characters at most.`,
  )
}

/** Lower case as the search compares it: a sigma is one letter, whatever stands after it. */
export function fold(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}

function foldedOrNull(text: string): string | null {
  const folded = fold(text)
  return folded === text ? null : folded
}
