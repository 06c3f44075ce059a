/** Stores auto-translate jobs, and reads and writes their texts. The request's provider key is not stored. */
import type { Queries } from './driver.ts'
import type { ProjectStore } from './projects.ts'
import type { KeyName } from './recent-writes.ts'
import type { TranslationStore } from './translations.ts'

type JobState = 'STARTED' | 'RUNNING' | 'SUCCESS' | 'FAILED'

/** Does not contain the provider key. */
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

export interface JobProgress {
  readonly state: JobState
  /** From 0.01 when the job has just started to 1 when it has finished. */
  readonly progress: number
  readonly message: string
  /** The number of texts translated so far. */
  readonly texts: number
  readonly characters: number
  /** The number of translations that were too long for their keys. */
  readonly tooLong: number
  /** The last handled key, after which the job continues. */
  readonly last: KeyName | undefined
}

export interface JobRecord extends JobProgress {
  readonly id: string
  readonly projectId: number
  readonly started: string
  readonly request: JobRequest
  /** True if the request contained a provider key, which is lost on a restart. */
  readonly needsKey: boolean
  /** The number of processes that have died since a text was last handled. */
  readonly takeovers: number
}

/** Only the owner may write the job. `owner` and `until` are `''` if no other process uses the data. */
export interface JobLease {
  readonly owner: string
  /** After this time, any process can take over the job. */
  readonly until: string
}

export interface JobText extends KeyName {
  readonly keyId: number
  /** The key's creation time. `keyId` is not enough, because SQLite may reuse the ID of a deleted key. */
  readonly keyMade: string
  readonly charactersLimit: number
  readonly source: string
}

export interface JobTextFilter {
  readonly source: string
  readonly target: string
  /** True to translate the key itself if there is no source text. */
  readonly useKeys: boolean
  /** True to also replace existing translations. */
  readonly replaceAll: boolean
}

const SELECT = `SELECT id, project_id AS "projectId", state, progress, started, message, request,
  needs_key AS "needsKey", takeovers, texts, characters, too_long AS "tooLong", last_namespace AS "lastNamespace",
  last_key AS "lastKey" FROM jobs`
const UNFINISHED = `state IN ('STARTED', 'RUNNING')`
const FREE = `${UNFINISHED} AND (owner = '' OR lease_until < ?)`

export class JobStore {
  constructor(
    private readonly database: Queries,
    private readonly projects: ProjectStore,
    private readonly translations: TranslationStore,
  ) {}

  /** Must be called in a transaction. */
  async add(job: JobRecord, lease: JobLease): Promise<void> {
    const { id, projectId, started, request, needsKey, state, progress, message, texts, characters } = job
    await this.projects.lock(projectId)
    const last = await this.database.get<{ position: number | null }>('SELECT MAX(position) AS position FROM jobs')
    const row = {
      id,
      project_id: projectId,
      position: (last?.position ?? -1) + 1,
      started,
      request: JSON.stringify(request),
      needs_key: needsKey ? 1 : 0,
      state,
      progress,
      message,
      texts,
      characters,
      owner: lease.owner,
      lease_until: lease.until,
    }
    await this.database.insert('jobs', [row])
  }

  /** Returns `false` if another process has the job. Must be called in a transaction. */
  async begin(id: string, owner: string): Promise<boolean> {
    const sql = "UPDATE jobs SET state = 'RUNNING' WHERE id = ? AND owner = ?"
    return (await this.database.run(sql, id, owner)) > 0
  }

  /**
   * Returns `false` if another process has the job. Must be called in a transaction, which must then be rolled back.
   */
  async update(id: string, owner: string, job: JobProgress): Promise<boolean> {
    const { state, progress, message, texts, characters, tooLong, last } = job
    const changed = await this.database.run(
      `UPDATE jobs SET state = ?, progress = ?, message = ?, texts = ?, characters = ?, too_long = ?,
         last_namespace = ?, last_key = ?, takeovers = 0
       WHERE id = ? AND owner = ?`,
      state,
      progress,
      message,
      texts,
      characters,
      tooLong,
      last?.namespace ?? null,
      last?.key ?? null,
      id,
      owner,
    )
    return changed > 0
  }

  /** Marks a job as failed unless another process has it. Must be called in a transaction. */
  async fail(id: string, owner: string, message: string): Promise<void> {
    const sql = "UPDATE jobs SET state = 'FAILED', progress = 1, message = ? WHERE id = ? AND owner = ?"
    await this.database.run(sql, message, id, owner)
  }

  /** Jobs that have no owner, or whose lease has expired. */
  free(now: string): Promise<JobRecord[]> {
    return this.read(`WHERE ${FREE} ORDER BY position`, now)
  }

  /** Returns `undefined` if another process was faster. Must be called in a transaction. */
  async take(id: string, { owner, until }: JobLease, now: string): Promise<JobRecord | undefined> {
    const taken = await this.database.run(
      `UPDATE jobs SET takeovers = takeovers + CASE WHEN owner = '' THEN 0 ELSE 1 END, owner = ?, lease_until = ?
       WHERE id = ? AND ${FREE}`,
      owner,
      until,
      id,
      now,
    )
    return taken > 0 ? (await this.read('WHERE id = ?', id))[0] : undefined
  }

  /** Returns `false` if another process has the job. Must be called in a transaction. */
  async renew(id: string, { owner, until }: JobLease): Promise<boolean> {
    return (await this.database.run('UPDATE jobs SET lease_until = ? WHERE id = ? AND owner = ?', until, id, owner)) > 0
  }

  /** Ends this owner's leases, so that other processes can take the jobs now. Must be called in a transaction. */
  async release(owner: string): Promise<void> {
    await this.database.run(`UPDATE jobs SET owner = '' WHERE owner = ? AND ${UNFINISHED}`, owner)
  }

  async get(projectId: number, id: string): Promise<JobRecord | undefined> {
    return (await this.read('WHERE project_id = ? AND id = ?', projectId, id))[0]
  }

  /** Newest first. */
  list(projectId: number): Promise<JobRecord[]> {
    return this.read('WHERE project_id = ? ORDER BY position DESC', projectId)
  }

  /** Counts the jobs of all projects in each state, including states without jobs. */
  async countByState(): Promise<Record<JobState, number>> {
    const counts = { STARTED: 0, RUNNING: 0, SUCCESS: 0, FAILED: 0 }
    const sql = 'SELECT state, COUNT(*) AS n FROM jobs GROUP BY state'
    for (const { state, n } of await this.database.all<{ state: JobState; n: number }>(sql)) counts[state] = n
    return counts
  }

  /** The source texts of the keys to translate, by namespace and key. `after`: only keys after this one. */
  texts(
    projectId: number,
    { source, target, useKeys, replaceAll }: JobTextFilter,
    after: KeyName | undefined,
  ): Promise<JobText[]> {
    return this.database.all<JobText>(
      `SELECT k.id AS "keyId", k.namespace AS namespace, k.key AS key, k.created_at AS "keyMade",
              k.characters_limit AS "charactersLimit",
              CASE WHEN COALESCE(s.text, '') = '' THEN k.key ELSE s.text END AS source
       FROM translation_keys k
       LEFT JOIN translations s ON s.key_id = k.id AND s.language = ? AND s.customer = ''
       LEFT JOIN translations t ON t.key_id = k.id AND t.language = ? AND t.customer = ''
       WHERE k.project_id = ?
         ${useKeys ? '' : "AND COALESCE(s.text, '') <> ''"}
         ${replaceAll ? '' : "AND COALESCE(t.text, '') = ''"}
         ${after ? 'AND (k.namespace, k.key) > (?, ?)' : ''}
       ORDER BY k.namespace, k.key`,
      source,
      target,
      projectId,
      ...(after ? [after.namespace, after.key] : []),
    )
  }

  /**
   * Writes a text. Returns `false` if the key was removed, or if it now has a text and `replaceAll` is off. Must be
   * called in a transaction that locks the project.
   */
  async setText(
    projectId: number,
    { keyId, keyMade, namespace, key }: JobText,
    text: string,
    { target, replaceAll }: JobTextFilter,
  ): Promise<boolean> {
    const sql = 'SELECT 1 FROM translation_keys WHERE id = ? AND created_at = ?'
    if (!(await this.database.get(sql, keyId, keyMade))) return false
    const before = await this.translations.text(keyId, target, '')
    if (!replaceAll && before) return false
    const entry = { namespace, key, language: target, customer: '', text, reviewStatus: 'NOT_REVIEWED' } as const
    await this.translations.set(projectId, keyId, entry, before)
    return true
  }

  private async read(where: string, ...values: (string | number)[]): Promise<JobRecord[]> {
    type Row = Omit<JobRecord, 'request' | 'needsKey' | 'last'> & {
      request: string
      needsKey: number
      lastNamespace: string | null
      lastKey: string | null
    }
    const rows = await this.database.all<Row>(`${SELECT} ${where}`, ...values)
    return rows.map(({ lastNamespace: namespace, lastKey: key, ...row }) => ({
      ...row,
      request: JSON.parse(row.request) as JobRequest,
      needsKey: row.needsKey === 1,
      last: namespace === null || key === null ? undefined : { namespace, key },
    }))
  }
}
