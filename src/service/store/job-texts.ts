/** The texts that an auto-translate job reads and writes. */
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

export class JobTextStore {
  constructor(
    private readonly database: Database,
    private readonly translations: TranslationStore,
  ) {}

  /** The source texts of every key that the job translates, by namespace and key. */
  list(projectId: number, { source, target, useKeys, replaceAll }: JobTextFilter): JobText[] {
    return this.database.all<JobText>(
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
    )
  }

  /** Writes one text. `false`: the key is gone, or it has a text by now and `replaceAll` is off. */
  set(projectId: number, keyId: number, text: string, { target, replaceAll }: JobTextFilter): boolean {
    if (!this.database.get('SELECT 1 FROM translation_keys WHERE id = ?', keyId)) return false
    if (!replaceAll && this.translations.text(keyId, target, '')) return false
    this.translations.set(projectId, keyId, { language: target, customer: '', text, reviewStatus: 'NOT_REVIEWED' })
    return true
  }
}
