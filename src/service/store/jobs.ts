/** Auto-translate jobs as they are kept. The request's provider key is no part of it. */
import type { Database } from './driver.ts'

export type JobState = 'STARTED' | 'RUNNING' | 'SUCCESS' | 'FAILED'

/** The request of a job, without the provider key that came with it. */
export interface JobRequest {
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

const SELECT = `SELECT id, project_id AS "projectId", state, progress, started, message, request,
  needs_key AS "needsKey", texts, characters FROM jobs`

export class JobStore {
  constructor(private readonly database: Database) {}

  add({ id, projectId, started, request, needsKey, ...progress }: JobRecord): void {
    const last = this.database.get<{ position: number | null }>('SELECT MAX(position) AS position FROM jobs')
    this.database.insert('jobs', {
      id,
      project_id: projectId,
      position: (last?.position ?? -1) + 1,
      started,
      request: JSON.stringify(request),
      needs_key: needsKey ? 1 : 0,
      ...progress,
    })
  }

  update(id: string, { state, progress, message, texts, characters }: JobProgress): void {
    const sql = 'UPDATE jobs SET state = ?, progress = ?, message = ?, texts = ?, characters = ? WHERE id = ?'
    this.database.run(sql, state, progress, message, texts, characters, id)
  }

  get(projectId: number, id: string): JobRecord | undefined {
    return this.read('WHERE project_id = ? AND id = ?', projectId, id)[0]
  }

  /** The latest first. */
  list(projectId: number): JobRecord[] {
    return this.read('WHERE project_id = ? ORDER BY position DESC', projectId)
  }

  /** In the order they were started. */
  unfinished(): JobRecord[] {
    return this.read(`WHERE state IN ('STARTED', 'RUNNING') ORDER BY position`)
  }

  private read(where: string, ...values: (string | number)[]): JobRecord[] {
    const rows = this.database.all<Omit<JobRecord, 'request' | 'needsKey'> & { request: string; needsKey: number }>(
      `${SELECT} ${where}`,
      ...values,
    )
    return rows.map((row) => ({ ...row, request: JSON.parse(row.request) as JobRequest, needsKey: row.needsKey === 1 }))
  }
}
