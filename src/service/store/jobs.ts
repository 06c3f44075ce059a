/** Auto-translate jobs as they are kept. The request's provider key is no part of it. */
import type { Database } from './driver.ts'

export type JobState = 'STARTED' | 'RUNNING' | 'SUCCESS' | 'FAILED'

/** What the request asked for, without the key it came with. */
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

export interface JobRecord {
  readonly id: string
  readonly projectId: number
  readonly state: JobState
  /** 0.01 just after the start, 1 when finished. */
  readonly progress: number
  readonly started: string
  readonly message: string
  readonly request: JobRequest
  /** It came with a provider key, which a restart forgets. */
  readonly needsKey: boolean
  /** Translated so far. */
  readonly texts: number
  readonly characters: number
}

interface JobRow {
  id: string
  project_id: number
  state: JobState
  progress: number
  started: string
  message: string
  request: string
  needs_key: number
  texts: number
  characters: number
}

const COLUMNS = 'id, project_id, state, progress, started, message, request, needs_key, texts, characters'

export type JobStore = ReturnType<typeof createJobStore>

export function createJobStore(database: Database) {
  const record = (row: JobRow): JobRecord => ({
    id: row.id,
    projectId: row.project_id,
    state: row.state,
    progress: row.progress,
    started: row.started,
    message: row.message,
    request: JSON.parse(row.request) as JobRequest,
    needsKey: row.needs_key === 1,
    texts: row.texts,
    characters: row.characters,
  })

  return {
    add(job: JobRecord): void {
      database.run(
        `INSERT INTO jobs (id, project_id, position, state, progress, started, message, request, needs_key, texts, characters)
         SELECT ?, ?, COALESCE(MAX(position) + 1, 0), ?, ?, ?, ?, ?, ?, ?, ? FROM jobs`,
        job.id,
        job.projectId,
        job.state,
        job.progress,
        job.started,
        job.message,
        JSON.stringify(job.request),
        job.needsKey ? 1 : 0,
        job.texts,
        job.characters,
      )
    },

    update(
      id: string,
      {
        state,
        progress,
        message,
        texts,
        characters,
      }: Omit<JobRecord, 'id' | 'projectId' | 'started' | 'request' | 'needsKey'>,
    ): void {
      database.run(
        'UPDATE jobs SET state = ?, progress = ?, message = ?, texts = ?, characters = ? WHERE id = ?',
        state,
        progress,
        message,
        texts,
        characters,
        id,
      )
    },

    get(projectId: number, id: string): JobRecord | undefined {
      const row = database.get<JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE project_id = ? AND id = ?`, projectId, id)
      return row && record(row)
    },

    /** The latest first. */
    list: (projectId: number): JobRecord[] =>
      database
        .all<JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE project_id = ? ORDER BY position DESC`, projectId)
        .map(record),

    /** In the order they were started. */
    unfinished: (): JobRecord[] =>
      database
        .all<JobRow>(`SELECT ${COLUMNS} FROM jobs WHERE state IN ('STARTED', 'RUNNING') ORDER BY position`)
        .map(record),
  }
}
