/** Projects, their languages, customers and environments, and the tokens that open them. */
import { languageName } from '../../shared/language-name.ts'
import { tooManyLanguages } from '../http-error.ts'
import { LIMITS } from '../limits.ts'
import type { CustomerDeclaration, LanguageDeclaration } from '../options.ts'
import { ACCOUNT, CredentialStore, VALID } from './credentials.ts'
import type { Queries } from './driver.ts'
import { digestOf, isSameToken, randomToken } from './tokens.ts'
import type { ProjectWrite } from './written-namespaces.ts'

export interface ProjectRecord {
  readonly id: number
  readonly name: string
  readonly projectToken: string
  /** The main one, which the contract's list of projects shows. A project may have more. */
  readonly apiKey: string
  /** Counts up with every write to the project: what was computed for another version is out of date. */
  readonly version: number
  /** Counts up when a key or a text is added or removed: writes to texts that are there leave it. */
  readonly rowsVersion: number
  /** Counts up with every publish of any environment. */
  readonly publishCount: number
  /** What a publish would show. */
  readonly unpublishedChanges: number
}

export interface LanguageRecord {
  readonly key: string
  readonly name: string
  readonly isDefault: boolean
  readonly order: number
}

export interface CustomerRecord {
  readonly key: string
  readonly description: string
}

export interface ProjectCounts {
  readonly keys: number
  /** Only languages that have a translated key. */
  readonly translatedKeysByLanguage: ReadonlyMap<string, number>
}

/** The editor's environment, and the one that visitors see. */
export const LATEST = '_latest'
export const PRODUCTION = '_production'

/** What a transaction did to a project. */
interface Changes {
  /** How many changes a publish would show. */
  readonly unpublished: number
  /** Those with texts that were written; `undefined`: any. */
  readonly namespaces: Set<string> | undefined
  /** Those in which a key or a text was added or removed. */
  readonly rowNamespaces: Set<string>
}

const newChanges = (): Changes => ({ unpublished: 0, namespaces: new Set(), rowNamespaces: new Set() })

/** By project. */
export type CountsCache = Map<number, { readonly version: number; readonly counts: ProjectCounts }>

const COLUMNS = `id, projects.name AS name, project_token AS "projectToken", api_key AS "apiKey", version,
  rows_version AS "rowsVersion", publish_count AS "publishCount", unpublished_changes AS "unpublishedChanges"`
const SELECT = `SELECT ${COLUMNS} FROM projects`

export class ProjectStore {
  /** By locked project. */
  private readonly changes = new Map<number, Changes>()
  private readonly credentials: CredentialStore

  constructor(
    private readonly database: Queries,
    private readonly now: () => string,
    private readonly countsCache: CountsCache,
  ) {
    this.credentials = new CredentialStore(database, now)
  }

  /** Creates a project with `defaultLanguage` as its first language. In a transaction. */
  async create(name: string, defaultLanguage: string): Promise<ProjectRecord> {
    const [projectToken, apiKey] = [randomToken(), randomToken()]
    const counts = { version: 0, rowsVersion: 0, publishCount: 0, unpublishedChanges: 0 }
    const project = { name, projectToken, apiKey, ...counts }
    const id = await this.database.insertWithId('projects', {
      name,
      project_token: project.projectToken,
      api_key: project.apiKey,
      version: project.version,
      unpublished_changes: project.unpublishedChanges,
      created_at: this.now(),
    })
    await this.credentials.keep(id, project.apiKey, '', null)
    await this.addLanguages(id, [{ key: defaultLanguage }], true)
    return { id, ...project }
  }

  all(): Promise<ProjectRecord[]> {
    return this.database.all<ProjectRecord>(`${SELECT} ORDER BY id`)
  }

  /** Another number after each write to any project. */
  async version(): Promise<number> {
    const sql = 'SELECT COUNT(*) + COALESCE(SUM(version), 0) AS version FROM projects'
    return (await this.database.get<{ version: number }>(sql))?.version ?? 0
  }

  get(id: number): Promise<ProjectRecord | undefined> {
    return this.database.get<ProjectRecord>(`${SELECT} WHERE id = ?`, id)
  }

  byProjectToken(projectToken: string): Promise<ProjectRecord | undefined> {
    return this.database.get<ProjectRecord>(`${SELECT} WHERE project_token = ?`, projectToken)
  }

  /** The project that an API key opens. Looked up by digest and compared in constant time. */
  async byApiKey(apiKey: string): Promise<ProjectRecord | undefined> {
    const digest = digestOf(apiKey)
    const found = await this.database.get<ProjectRecord & { hash: string }>(
      `SELECT ${COLUMNS}, hash FROM projects JOIN credentials ON project_id = id WHERE hash = ? AND ${VALID}`,
      digest,
      this.now(),
    )
    if (!found || !isSameToken(found.hash, digest)) return undefined
    const { hash: _, ...project } = found
    return project
  }

  /** Sets the key that the list of projects shows. In a transaction that keeps it as a credential. */
  async setApiKey(id: number, apiKey: string): Promise<void> {
    await this.database.run('UPDATE projects SET api_key = ? WHERE id = ?', apiKey, id)
  }

  /** Keeps the digest of a start's token; `only` makes those of all other starts invalid. In a transaction. */
  async addPersonalToken(token: string, only: boolean): Promise<void> {
    if (only) await this.credentials.removeUnnamedTokens(token)
    await this.credentials.keep(ACCOUNT, token, '', null)
  }

  async hasPersonalToken(token: string): Promise<boolean> {
    const hash = digestOf(token)
    const known = await this.credentials.list(ACCOUNT)
    // Every known token is compared: the time must not show which one fits.
    return known.filter((item) => isSameToken(item.hash, hash)).length > 0
  }

  /**
   * Starts a write to the project: until the transaction ends, no other transaction writes to it. Call it before
   * reading what the write depends on.
   */
  async lock(projectId: number): Promise<void> {
    if (this.changes.has(projectId)) return
    this.changes.set(projectId, newChanges())
    await this.database.lock(`project ${projectId}`)
  }

  /**
   * Counts changes that a publish would show. `namespace`: only its texts were written. `sameRows`: no key and no text
   * was added or removed. In a transaction that locks the project.
   */
  addUnpublishedChanges(
    projectId: number,
    unpublished: number,
    written: { readonly namespace: string; readonly sameRows?: boolean } | { readonly sameRows: true },
  ): void {
    const { namespaces, rowNamespaces, ...before } = this.changes.get(projectId) ?? newChanges()
    const namespace = 'namespace' in written ? written.namespace : undefined
    if (namespace !== undefined) {
      namespaces?.add(namespace)
      if (!written.sameRows) rowNamespaces.add(namespace)
    }
    this.changes.set(projectId, {
      unpublished: before.unpublished + unpublished,
      namespaces: namespace === undefined ? undefined : namespaces,
      rowNamespaces,
    })
  }

  /** Ends the writes of a transaction: once per project, as bulk requests write thousands of texts. */
  async flushChanges(): Promise<ProjectWrite[]> {
    const sql = `UPDATE projects SET version = version + 1, rows_version = rows_version + ?,
      unpublished_changes = unpublished_changes + ? WHERE id = ? RETURNING version, rows_version AS "rowsVersion"`
    const written: ProjectWrite[] = []
    for (const [projectId, { unpublished, namespaces, rowNamespaces }] of this.changes) {
      type Versions = Pick<ProjectWrite, 'version' | 'rowsVersion'>
      const versions = await this.database.get<Versions>(sql, rowNamespaces.size > 0 ? 1 : 0, unpublished, projectId)
      if (!versions) continue
      const changed = [...rowNamespaces].map((namespace) => {
        return { project_id: projectId, namespace, rows_version: versions.rowsVersion }
      })
      const onConflict = 'ON CONFLICT (project_id, namespace) DO UPDATE SET rows_version = excluded.rows_version'
      await this.database.insertMany('changed_namespaces', changed, onConflict)
      written.push({ projectId, ...versions, namespaces, rowNamespaces })
    }
    return written
  }

  /** Counted once per version of the project. */
  async counts({ id, version }: Pick<ProjectRecord, 'id' | 'version'>): Promise<ProjectCounts> {
    const cached = this.countsCache.get(id)
    if (cached?.version === version) return cached.counts
    const keys = await this.database.get<{ n: number }>(
      'SELECT COUNT(*) AS n FROM translation_keys WHERE project_id = ?',
      id,
    )
    const translated = await this.database.all<{ language: string; n: number }>(
      `SELECT l.key AS language, COUNT(*) AS n
       FROM translation_keys k JOIN translations t ON t.key_id = k.id
       JOIN languages l ON l.project_id = k.project_id AND l.key = t.language
       WHERE k.project_id = ? AND t.customer = '' AND t.text <> '' GROUP BY l.key, l.position ORDER BY l.position`,
      id,
    )
    const translatedKeysByLanguage = new Map(translated.map(({ language, n }) => [language, n]))
    const counts = { keys: keys?.n ?? 0, translatedKeysByLanguage }
    this.countsCache.set(id, { version, counts })
    return counts
  }

  async namespaces(projectId: number): Promise<string[]> {
    const sql = 'SELECT DISTINCT namespace FROM translation_keys WHERE project_id = ? ORDER BY namespace'
    return (await this.database.all<{ namespace: string }>(sql, projectId)).map(({ namespace }) => namespace)
  }

  async languages(projectId: number): Promise<LanguageRecord[]> {
    const rows = await this.database.all<{ key: string; name: string; is_default: number; position: number }>(
      'SELECT key, name, is_default, position FROM languages WHERE project_id = ? ORDER BY position',
      projectId,
    )
    return rows.map(({ key, name, is_default, position }) => ({
      key,
      name,
      isDefault: is_default === 1,
      order: position,
    }))
  }

  /** Adds the languages that are missing, in their order. In a transaction. */
  async addLanguages(projectId: number, declared: readonly LanguageDeclaration[], isDefault = false): Promise<void> {
    await this.lock(projectId)
    const known = await this.languages(projectId)
    const keys = new Set(known.map(({ key }) => key))
    const missing = declared.filter(({ key }) => !keys.has(key) && keys.add(key))
    if (missing.length > 0 && keys.size > LIMITS.languages) throw tooManyLanguages(LIMITS.languages)
    const start = (known.at(-1)?.order ?? -1) + 1
    const rows = missing.map(({ key, name = languageName(key) }, i) => {
      return { project_id: projectId, key, name, is_default: isDefault ? 1 : 0, position: start + i }
    })
    await this.database.insertMany('languages', rows)
    // A language without texts has no rows.
    if (rows.length > 0) this.addUnpublishedChanges(projectId, 0, { sameRows: true })
  }

  async hasLanguage(projectId: number, key: string): Promise<boolean> {
    const sql = 'SELECT 1 FROM languages WHERE project_id = ? AND key = ?'
    return (await this.database.get(sql, projectId, key)) !== undefined
  }

  customers(projectId: number): Promise<CustomerRecord[]> {
    const sql = 'SELECT key, description FROM customers WHERE project_id = ? ORDER BY position'
    return this.database.all<CustomerRecord>(sql, projectId)
  }

  async hasCustomer(projectId: number, key: string): Promise<boolean> {
    const sql = 'SELECT 1 FROM customers WHERE project_id = ? AND key = ?'
    return (await this.database.get(sql, projectId, key)) !== undefined
  }

  /** In a transaction. */
  async addCustomer(projectId: number, { key, description = '' }: CustomerDeclaration): Promise<void> {
    await this.lock(projectId)
    await this.database.insert(
      'customers',
      { project_id: projectId, key, description, position: (await this.customers(projectId)).length },
      'ON CONFLICT (project_id, key) DO UPDATE SET description = excluded.description',
    )
  }

  /** Environments in publishing order, `_latest` first. */
  async environments(projectId: number): Promise<string[]> {
    const sql = 'SELECT key FROM environments WHERE project_id = ? ORDER BY position'
    return (await this.database.all<{ key: string }>(sql, projectId)).map(({ key }) => key)
  }

  /** Sets the order; environments that are published but no longer named come last. In a transaction. */
  async setEnvironments(projectId: number, keys: readonly string[]): Promise<void> {
    await this.lock(projectId)
    const ordered = new Set([...keys, ...(await this.environments(projectId))])
    await this.database.insertMany(
      'environments',
      [...ordered].map((key, position) => ({ project_id: projectId, key, position })),
      'ON CONFLICT (project_id, key) DO UPDATE SET position = excluded.position',
    )
  }
}

export function defaultLanguageOf(languages: readonly LanguageRecord[]): string {
  return (languages.find(({ isDefault }) => isDefault) ?? languages[0])?.key ?? ''
}
