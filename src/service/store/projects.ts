/** Projects, their languages, customers and environments, and the tokens that open them. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { languageName } from '../../shared/language-name.ts'
import { tooManyLanguages } from '../http-error.ts'
import { LIMITS } from '../limits.ts'
import type { CustomerDeclaration, LanguageDeclaration } from '../options.ts'
import type { Database } from './driver.ts'

export interface ProjectRecord {
  readonly id: number
  readonly name: string
  readonly projectToken: string
  readonly apiKey: string
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

export class ProjectStore {
  private readonly byKeyHash = new Map<string, ProjectRecord>()
  private readonly personalHashes = new Set<string>()
  private readonly versions = new Map<number, number>()
  private readonly countsCache = new Map<number, { version: number; counts: ProjectCounts }>()

  constructor(
    private readonly database: Database,
    private readonly now: () => string,
  ) {
    const projects = database.all<ProjectRecord>(
      'SELECT id, name, project_token AS "projectToken", api_key AS "apiKey" FROM projects',
    )
    for (const project of projects) this.byKeyHash.set(digest(project.apiKey), project)
    for (const { hash } of database.all<{ hash: string }>('SELECT hash FROM personal_tokens')) {
      this.personalHashes.add(hash)
    }
  }

  /** Creates a project with `defaultLanguage` as its first language, and whatever `declare` adds, all or nothing. */
  create(name: string, defaultLanguage: string, declare: (projectId: number) => void = () => {}): ProjectRecord {
    const id = Math.max(0, ...this.all().map((project) => project.id)) + 1
    const project: ProjectRecord = { id, name, projectToken: randomToken(), apiKey: randomToken() }
    this.database.transaction(() => {
      this.database.insert('projects', {
        id,
        name,
        project_token: project.projectToken,
        api_key: project.apiKey,
        unpublished_changes: 0,
        created_at: this.now(),
      })
      this.addLanguages(id, [{ key: defaultLanguage }], true)
      declare(id)
    })
    this.byKeyHash.set(digest(project.apiKey), project)
    return project
  }

  all(): ProjectRecord[] {
    return [...this.byKeyHash.values()].sort((a, b) => a.id - b.id)
  }

  /** The project an API key opens. Looked up by digest and compared in constant time. */
  byApiKey(apiKey: string): ProjectRecord | undefined {
    const project = this.byKeyHash.get(digest(apiKey))
    return project && isSameToken(project.apiKey, apiKey) ? project : undefined
  }

  /** Keeps the token's digest; `only` makes every other one invalid. */
  addPersonalToken(token: string, only: boolean): void {
    const hash = digest(token)
    this.database.transaction(() => {
      if (only) this.database.run('DELETE FROM personal_tokens WHERE hash <> ?', hash)
      this.database.insert('personal_tokens', { hash, created_at: this.now() }, 'ON CONFLICT (hash) DO NOTHING')
    })
    if (only) this.personalHashes.clear()
    this.personalHashes.add(hash)
  }

  hasPersonalToken(token: string): boolean {
    const hash = digest(token)
    // Every known token is compared: the time must not show which one fits.
    return [...this.personalHashes].filter((known) => isSameToken(known, hash)).length > 0
  }

  /** Notes that the project's data changed. `changes`: how many of the changes a publish would show. */
  changed(projectId: number, changes: number): void {
    this.versions.set(projectId, this.version(projectId) + 1)
    if (changes > 0) this.addUnpublishedChanges(projectId, changes)
  }

  /** Counts up with every write to the project: what was computed for another version is out of date. */
  version(projectId: number): number {
    return this.versions.get(projectId) ?? 0
  }

  addUnpublishedChanges(projectId: number, changes: number): void {
    const sql = 'UPDATE projects SET unpublished_changes = unpublished_changes + ? WHERE id = ?'
    this.database.run(sql, changes, projectId)
  }

  unpublishedChanges(projectId: number): number {
    const sql = 'SELECT unpublished_changes AS n FROM projects WHERE id = ?'
    return this.database.get<{ n: number }>(sql, projectId)?.n ?? 0
  }

  /** Counted once per version of the project. */
  counts(projectId: number): ProjectCounts {
    const version = this.version(projectId)
    const cached = this.countsCache.get(projectId)
    if (cached?.version === version) return cached.counts
    const keys = this.database.get<{ n: number }>(
      'SELECT COUNT(*) AS n FROM translation_keys WHERE project_id = ?',
      projectId,
    )
    const translated = this.database.all<{ language: string; n: number }>(
      `SELECT l.key AS language, COUNT(*) AS n
       FROM translation_keys k JOIN translations t ON t.key_id = k.id
       JOIN languages l ON l.project_id = k.project_id AND l.key = t.language
       WHERE k.project_id = ? AND t.customer = '' AND t.text <> '' GROUP BY l.key, l.position ORDER BY l.position`,
      projectId,
    )
    const translatedKeysByLanguage = new Map(translated.map(({ language, n }) => [language, n]))
    const counts = { keys: keys?.n ?? 0, translatedKeysByLanguage }
    this.countsCache.set(projectId, { version, counts })
    return counts
  }

  namespaces(projectId: number): string[] {
    const sql = 'SELECT DISTINCT namespace FROM translation_keys WHERE project_id = ? ORDER BY namespace'
    return this.database.all<{ namespace: string }>(sql, projectId).map(({ namespace }) => namespace)
  }

  languages(projectId: number): LanguageRecord[] {
    const sql = 'SELECT key, name, is_default, position FROM languages WHERE project_id = ? ORDER BY position'
    return this.database
      .all<{ key: string; name: string; is_default: number; position: number }>(sql, projectId)
      .map(({ key, name, is_default, position }) => ({ key, name, isDefault: is_default === 1, order: position }))
  }

  /** Adds the languages that are missing, in their order. */
  addLanguages(projectId: number, declared: readonly LanguageDeclaration[], isDefault = false): void {
    const known = this.languages(projectId)
    const keys = new Set(known.map(({ key }) => key))
    const missing = declared.filter(({ key }) => !keys.has(key) && keys.add(key))
    if (missing.length > 0 && keys.size > LIMITS.languages) throw tooManyLanguages(LIMITS.languages)
    let position = (known.at(-1)?.order ?? -1) + 1
    for (const { key, name = languageName(key) } of missing) {
      const is_default = isDefault ? 1 : 0
      this.database.insert('languages', { project_id: projectId, key, name, is_default, position: position++ })
    }
  }

  hasLanguage(projectId: number, key: string): boolean {
    return this.database.get('SELECT 1 FROM languages WHERE project_id = ? AND key = ?', projectId, key) !== undefined
  }

  defaultLanguage(projectId: number): string {
    const languages = this.languages(projectId)
    return (languages.find(({ isDefault }) => isDefault) ?? languages[0])?.key ?? ''
  }

  customers(projectId: number): CustomerRecord[] {
    const sql = 'SELECT key, description FROM customers WHERE project_id = ? ORDER BY position'
    return this.database.all<CustomerRecord>(sql, projectId)
  }

  hasCustomer(projectId: number, key: string): boolean {
    return this.database.get('SELECT 1 FROM customers WHERE project_id = ? AND key = ?', projectId, key) !== undefined
  }

  addCustomer(projectId: number, { key, description = '' }: CustomerDeclaration): void {
    this.database.insert(
      'customers',
      { project_id: projectId, key, description, position: this.customers(projectId).length },
      'ON CONFLICT (project_id, key) DO UPDATE SET description = excluded.description',
    )
  }

  /** Environments in publishing order, `_latest` first. */
  environments(projectId: number): string[] {
    const sql = 'SELECT key FROM environments WHERE project_id = ? ORDER BY position'
    return this.database.all<{ key: string }>(sql, projectId).map(({ key }) => key)
  }

  /** Sets the order; environments that are published but no longer named come last. */
  setEnvironments(projectId: number, keys: readonly string[]): void {
    const ordered = new Set([...keys, ...this.environments(projectId)])
    for (const [position, key] of [...ordered].entries()) {
      this.database.insert(
        'environments',
        { project_id: projectId, key, position },
        'ON CONFLICT (project_id, key) DO UPDATE SET position = excluded.position',
      )
    }
  }
}

/** Letters and digits, which headers, addresses and shells leave alone. */
export function randomToken(): string {
  return randomBytes(20).toString('hex')
}

function digest(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function isSameToken(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
