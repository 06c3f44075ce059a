/** What an auto-translate job reads and writes. */
import type { Database } from './driver.ts'
import type { TranslationStore } from './translations.ts'

export interface JobText {
  readonly keyId: number
  readonly charactersLimit: number
  readonly source: string
}

export interface JobTextFilter {
  readonly source: string
  readonly target: string
  /** The key itself where there is no source text. */
  readonly useKeys: boolean
  /** Also keys that are translated. */
  readonly replaceAll: boolean
}

export function createJobTextStore(database: Database, translations: TranslationStore) {
  return {
    /** The source texts of every key that the job translates, by namespace and key. */
    jobTexts: (projectId: number, { source, target, useKeys, replaceAll }: JobTextFilter): JobText[] =>
      database.all<JobText>(
        `SELECT k.id AS "keyId", k.characters_limit AS "charactersLimit",
                CASE WHEN COALESCE(s.text, '') = '' THEN k.key ELSE s.text END AS source
         FROM translation_keys k
         LEFT JOIN translations s ON s.key_id = k.id AND s.language = ? AND s.customer = ''
         LEFT JOIN translations t ON t.key_id = k.id AND t.language = ? AND t.customer = ''
         WHERE k.project_id = ?
           ${useKeys ? '' : "AND COALESCE(s.text, '') <> ''"}
           ${replaceAll ? '' : "AND COALESCE(t.text, '') = ''"}
         ORDER BY k.namespace, k.key`,
        source,
        target,
        projectId,
      ),

    /** Writes one text; `false` where the key is gone, or somebody else was faster and `replace` is off. */
    setJobText(projectId: number, keyId: number, language: string, text: string, replace: boolean): boolean {
      if (!database.get('SELECT 1 AS found FROM translation_keys WHERE id = ?', keyId)) return false
      const existing = database.get<{ text: string }>(
        "SELECT text FROM translations WHERE key_id = ? AND language = ? AND customer = ''",
        keyId,
        language,
      )
      if (!replace && existing && existing.text !== '') return false
      translations.set(projectId, keyId, { language, customer: '', text, reviewStatus: 'NOT_REVIEWED' })
      return true
    },
  }
}
