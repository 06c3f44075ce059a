/** Auto-translate jobs as they are kept, without the request's provider key, and the texts that they read and write. */
import type { Queries } from './driver.ts'
import type { ProjectStore } from './projects.ts'
import type { TranslationStore } from './translations.ts'

type JobState = 'STARTED' | 'RUNNING' | 'SUCCESS' | 'FAILED'

/** The request of a job, without the provider key that came with it. */
interface JobRequest {
  readonly translationProvider: 'PROVIDER_A' | 'PROVIDER_B'
  readonly targetProjectLanguage: string
  readonly targetLanguage: string
  readonly sourceProjectLanguage: string
  readonly sourceLanguage?: string | undefined
  readonly options: readonly string[]
  readonly glossaryId?: string | undefined
  readonly formality?: 'default' | 'more' | 'less' | undefined
}

/** The part of a job that changes while it runs. */
export interface JobProgress {
  readonly state: JobState
  /** 0.01 just after the start, 1 when finished. */
  readonly progress: number
  readonly message: string
  /** Translated so far. */
  readonly texts: number
  readonly characters: number
}

export interface JobRecord extends JobProgress {
  readonly id: string
  readonly projectId: number
  readonly started: string
  readonly request: JobRequest
  /** The request came with a provider key, which a restart forgets. */
  readonly needsKey: boolean
}

export interface JobText {
  readonly keyId: number
  /** When the key was made: SQLite may give the id of a deleted key to a new one. */
  readonly keyMade: string
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

const SELECT = `SELECT id, project_id AS "projectId", state, progress, started, message, request,
  needs_key AS "needsKey", texts, characters FROM jobs`

export class JobStore {
  constructor(
    private readonly database: Queries,
    private readonly projects: ProjectStore,
    private readonly translations: TranslationStore,
  ) {}

  /** In a transaction. */
  async add({ id, projectId, started, request, needsKey, ...progress }: JobRecord): Promise<void> {
    await this.projects.lock(projectId)
    const last = await this.database.get<{ position: number | null }>('SELECT MAX(position) AS position FROM jobs')
    await this.database.insert('jobs', {
      id,
      project_id: projectId,
      position: (last?.position ?? -1) + 1,
      started,
      request: JSON.stringify(request),
      needs_key: needsKey ? 1 : 0,
      ...progress,
    })
  }

  /** In a transaction. */
  async update(id: string, { state, progress, message, texts, characters }: JobProgress): Promise<void> {
    const sql = 'UPDATE jobs SET state = ?, progress = ?, message = ?, texts = ?, characters = ? WHERE id = ?'
    await this.database.run(sql, state, progress, message, texts, characters, id)
  }

  /** Ends a job with what is kept of it. In a transaction. */
  async fail(id: string, message: string): Promise<void> {
    await this.database.run("UPDATE jobs SET state = 'FAILED', progress = 1, message = ? WHERE id = ?", message, id)
  }

  async get(projectId: number, id: string): Promise<JobRecord | undefined> {
    return (await this.read('WHERE project_id = ? AND id = ?', projectId, id))[0]
  }

  /** The latest first. */
  list(projectId: number): Promise<JobRecord[]> {
    return this.read('WHERE project_id = ? ORDER BY position DESC', projectId)
  }

  /** In the order they were started. */
  unfinished(): Promise<JobRecord[]> {
    return this.read(`WHERE state IN ('STARTED', 'RUNNING') ORDER BY position`)
  }

  /** The source texts of every key that the job translates, by namespace and key. */
  texts(projectId: number, { source, target, useKeys, replaceAll }: JobTextFilter): Promise<JobText[]> {
    return this.database.all<JobText>(
      `SELECT k.id AS "keyId", k.created_at AS "keyMade", k.characters_limit AS "charactersLimit",
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

  /**
   * Writes one text. `false`: the key is gone, or it has a text by now and `replaceAll` is off. In a transaction that
   * locks the project.
   */
  async setText(
    projectId: number,
    { keyId, keyMade }: JobText,
    text: string,
    { target, replaceAll }: JobTextFilter,
  ): Promise<boolean> {
    const sql = 'SELECT 1 FROM translation_keys WHERE id = ? AND created_at = ?'
    if (!(await this.database.get(sql, keyId, keyMade))) return false
    if (!replaceAll && (await this.translations.text(keyId, target, ''))) return false
    const entry = { language: target, customer: '', text, reviewStatus: 'NOT_REVIEWED' } as const
    await this.translations.set(projectId, keyId, entry)
    return true
  }

  private async read(where: string, ...values: (string | number)[]): Promise<JobRecord[]> {
    type Row = Omit<JobRecord, 'request' | 'needsKey'> & { request: string; needsKey: number }
    const rows = await this.database.all<Row>(`${SELECT} ${where}`, ...values)
    return rows.map((row) => ({ ...row, request: JSON.parse(row.request) as JobRequest, needsKey: row.needsKey === 1 }))
  }
}
