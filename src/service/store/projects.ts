import { hashOf } from '../../shared/hash.ts'
import { languageName } from '../../shared/language-name.ts'
import { tooManyLanguages } from '../http-error.ts'
import { LIMITS } from '../limits.ts'
import { type CredentialStore, digestOf, isSameToken, randomToken, VALID } from './credentials.ts'
import type { Queries } from './driver.ts'

export interface ProjectRecord {
  readonly id: number
  readonly name: string
  readonly projectToken: string
  /** The main API key, shown in the contract's list of projects. A project may have other keys. */
  readonly apiKey: string
  /** Incremented by every write to the project. Results for another version are outdated. */
  readonly version: number
  /** Incremented when a key or a text is added or removed, but not when a text is changed. */
  readonly rowsVersion: number
  /** Incremented by every publish to any environment. */
  readonly publishCount: number
  /** The number of unpublished changes. */
  readonly unpublishedChanges: number
}

export interface LanguageRecord {
  readonly key: string
  readonly name: string
  readonly isDefault: boolean
  readonly order: number
}

/** The environment for the editor, and the one for visitors. */
export const LATEST = '_latest'
export const PRODUCTION = '_production'

/** A transaction's changes to a project. */
interface Changes {
  /** The number of unpublished changes. */
  unpublished: number
  /** Namespaces in which a key or a text was added or removed. */
  readonly rowNamespaces: Set<string>
}

/** The numbers of keys and of translated keys, by project ID. Languages without translated keys are not included. */
export type CountsCache = Map<
  number,
  { readonly version: number; readonly keys: number; readonly translatedKeysByLanguage: ReadonlyMap<string, number> }
>

const COLUMNS = `id, projects.name AS name, project_token AS "projectToken", api_key AS "apiKey", version,
  rows_version AS "rowsVersion", publish_count AS "publishCount", unpublished_changes AS "unpublishedChanges"`
const SELECT = `SELECT ${COLUMNS} FROM projects`

export class ProjectStore {
  /** By project ID. */
  private readonly changes = new Map<number, Changes>()
  private readonly locks = new Set<string>()

  constructor(
    private readonly database: Queries,
    private readonly credentials: CredentialStore,
    private readonly now: () => string,
    private readonly countsCache: CountsCache,
  ) {}

  /** Creates a project. Must be called in a transaction. */
  async create(name: string, defaultLanguage: string): Promise<ProjectRecord> {
    const apiKey = randomToken()
    const row = {
      name,
      project_token: randomToken(),
      api_key: apiKey,
      unpublished_changes: 0,
      created_at: this.now(),
    }
    const [{ id }] = (await this.database.insertReturning('projects', [row], 'id')) as [{ id: number }]
    await this.credentials.keep(id, apiKey, '', null)
    await this.addLanguages(id, [{ key: defaultLanguage }], true)
    return (await this.get(id)) as ProjectRecord
  }

  all(): Promise<ProjectRecord[]> {
    return this.database.all<ProjectRecord>(`${SELECT} ORDER BY id`)
  }

  /** Returns a number that changes with each write to any project. */
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

  /** Finds the project by the key's digest, which is compared in constant time. */
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

  /** Sets the main key. Must be called in a transaction that also stores the key as a credential. */
  async setApiKey(id: number, apiKey: string): Promise<void> {
    await this.database.run('UPDATE projects SET api_key = ? WHERE id = ?', apiKey, id)
  }

  /**
   * Locks the data that a write depends on: the keys and texts in `namespaces`, or all other data of the project. Must
   * be called before that data is read. No other transaction can write to it until this one ends. A transaction that
   * needs both must lock the namespaces first.
   */
  async lock(projectId: number, namespaces?: readonly string[]): Promise<void> {
    // Changes to keys and texts are counted when they are written, because a request may be refused.
    if (!namespaces) this.changesOf(projectId)
    const project = `project ${projectId}`
    // Hashes limit the number of locks, because a database has room for only a few thousand.
    const names = namespaces?.map((name) => `${project} ${hashOf(name, 2)}`) ?? [project]
    const wanted = [...new Set(names)].filter((name) => !this.locks.has(name))
    for (const name of wanted) this.locks.add(name)
    // The names are sorted so that transactions do not deadlock.
    if (wanted.length > 0) await this.database.lock(...wanted.sort())
  }

  /**
   * Counts unpublished changes. `rowNamespace` is set if a key or a text was added or removed. Must be called in a
   * transaction that locks the namespace.
   */
  addUnpublishedChanges(projectId: number, unpublished: number, rowNamespace?: string): void {
    const changes = this.changesOf(projectId)
    changes.unpublished += unpublished
    if (rowNamespace !== undefined) changes.rowNamespaces.add(rowNamespace)
  }

  private changesOf(projectId: number): Changes {
    const changes = this.changes.get(projectId) ?? { unpublished: 0, rowNamespaces: new Set() }
    this.changes.set(projectId, changes)
    return changes
  }

  /** Stores a transaction's changes, once per project, because bulk requests write thousands of texts. */
  flushChanges(): void {
    for (const [projectId, { unpublished, rowNamespaces }] of this.changes) {
      this.database.atCommit(
        `UPDATE projects SET version = version + 1, rows_version = rows_version + ?,
         unpublished_changes = unpublished_changes + ? WHERE id = ?`,
        ...[rowNamespaces.size > 0 ? 1 : 0, unpublished, projectId],
      )
      if (rowNamespaces.size === 0) continue
      this.database.atCommit(
        `INSERT INTO changed_namespaces (project_id, namespace, rows_version)
         SELECT id, changed.column1, rows_version
         FROM projects, (VALUES ${[...rowNamespaces].map(() => '(?)').join(', ')}) AS changed WHERE id = ?
         ON CONFLICT (project_id, namespace) DO UPDATE SET rows_version = excluded.rows_version`,
        ...rowNamespaces,
        projectId,
      )
    }
  }

  /** Counts once per version of the project. */
  async counts({ id, version }: Pick<ProjectRecord, 'id' | 'version'>) {
    const cached = this.countsCache.get(id)
    if (cached?.version === version) return cached
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
    const counts = { version, keys: keys?.n ?? 0, translatedKeysByLanguage }
    this.countsCache.set(id, counts)
    return counts
  }

  async namespaces(projectId: number): Promise<string[]> {
    const sql = 'SELECT DISTINCT namespace FROM translation_keys WHERE project_id = ? ORDER BY namespace'
    return (await this.database.all<{ namespace: string }>(sql, projectId)).map(({ namespace }) => namespace)
  }

  async languages(projectId: number): Promise<LanguageRecord[]> {
    const rows = await this.database.all<Omit<LanguageRecord, 'isDefault'> & { isDefault: number }>(
      `SELECT key, name, is_default AS "isDefault", position AS "order" FROM languages
       WHERE project_id = ? ORDER BY position`,
      projectId,
    )
    return rows.map((row) => ({ ...row, isDefault: row.isDefault === 1 }))
  }

  /** Adds missing languages, in the given order. Must be called in a transaction. */
  async addLanguages(
    projectId: number,
    declared: readonly { readonly key: string; readonly name?: string | undefined }[],
    isDefault = false,
  ): Promise<void> {
    // Most imports need no lock, because languages are never removed.
    const before = new Set((await this.languages(projectId)).map(({ key }) => key))
    if (declared.every(({ key }) => before.has(key))) return
    await this.lock(projectId)
    const known = await this.languages(projectId)
    const keys = new Set(known.map(({ key }) => key))
    const missing = declared.filter(({ key }) => !keys.has(key) && keys.add(key))
    if (missing.length > 0 && keys.size > LIMITS.languages) throw tooManyLanguages(LIMITS.languages)
    const start = (known.at(-1)?.order ?? -1) + 1
    const rows = missing.map(({ key, name = languageName(key) }, i) => {
      return { project_id: projectId, key, name, is_default: isDefault ? 1 : 0, position: start + i }
    })
    await this.database.insert('languages', rows)
  }

  async hasLanguage(projectId: number, key: string): Promise<boolean> {
    const sql = 'SELECT 1 FROM languages WHERE project_id = ? AND key = ?'
    return (await this.database.get(sql, projectId, key)) !== undefined
  }

  customers(projectId: number): Promise<{ key: string; description: string }[]> {
    const sql = 'SELECT key, description FROM customers WHERE project_id = ? ORDER BY position'
    return this.database.all(sql, projectId)
  }

  async hasCustomer(projectId: number, key: string): Promise<boolean> {
    const sql = 'SELECT 1 FROM customers WHERE project_id = ? AND key = ?'
    return (await this.database.get(sql, projectId, key)) !== undefined
  }

  /** Must be called in a transaction. */
  async addCustomer(
    projectId: number,
    { key, description = '' }: { readonly key: string; readonly description?: string | undefined },
  ): Promise<void> {
    const before = await this.customers(projectId)
    if (before.some((known) => known.key === key && known.description === description)) return
    await this.lock(projectId)
    await this.database.insert(
      'customers',
      [{ project_id: projectId, key, description, position: (await this.customers(projectId)).length }],
      'ON CONFLICT (project_id, key) DO UPDATE SET description = excluded.description',
    )
  }

  /** In publishing order. `_latest` is first. */
  async environments(projectId: number): Promise<string[]> {
    const sql = 'SELECT key FROM environments WHERE project_id = ? ORDER BY position'
    return (await this.database.all<{ key: string }>(sql, projectId)).map(({ key }) => key)
  }

  /** Sets the order. Existing environments that are not in `keys` come last. Must be called in a transaction. */
  async setEnvironments(projectId: number, keys: readonly string[]): Promise<void> {
    const before = await this.environments(projectId)
    if ([...new Set([...keys, ...before])].every((key, position) => key === before[position])) return
    await this.lock(projectId)
    const ordered = new Set([...keys, ...(await this.environments(projectId))])
    await this.database.insert(
      'environments',
      [...ordered].map((key, position) => ({ project_id: projectId, key, position })),
      'ON CONFLICT (project_id, key) DO UPDATE SET position = excluded.position',
    )
  }
}

export function defaultLanguageOf(languages: readonly LanguageRecord[]): string {
  return (languages.find(({ isDefault }) => isDefault) ?? languages[0])?.key ?? ''
}
