/** The published files of each environment. */
import { hashOf } from '../../shared/hash.ts'
import type { GzipFile } from '../json-file.ts'
import type { Queries } from './driver.ts'
import type { ProjectRecord, ProjectStore } from './projects.ts'
import type { ContentStore } from './stored-files.ts'

export interface Publication {
  readonly createdAt: string
  readonly numberOfKeys: number
  readonly numberOfLanguages: number
  readonly numberOfNonEmptyTranslations: number
}

/** A hosted file. `path` is relative to the project and environment. Its segments are percent-encoded. */
export interface ResourceRecord {
  readonly path: string
  /** True if the environment's status lists the file. */
  readonly listed: boolean
  readonly language?: string | undefined
  readonly namespace?: string | undefined
  readonly customer?: string | undefined
  /** The uncompressed size. */
  readonly size: number
  readonly hash: string
}

export interface PublishedStatus {
  /** The status in the contract's format. */
  readonly json: string
  /** The digest of all files in the environment, including languages and customers. Equal content has equal digests. */
  readonly digest: string
}

/** By project and environment. */
export type StatusCache = Map<string, PublishedStatus & Pick<ProjectRecord, 'publishCount'>>

/** The number of cached statuses is limited because each lists every file in its environment. */
const MAX_STATUSES = 20

type ListedResource = Pick<ResourceRecord, 'path' | 'size'> &
  Record<'language' | 'namespace' | 'customer', string | null>

/** SQL condition for the file with a project token, environment and path. */
const BY_PATH = 'p.project_token = ? AND f.environment = ? AND f.path = ?'

export class PublicationStore {
  constructor(
    private readonly database: Queries,
    private readonly projects: ProjectStore,
    private readonly contents: ContentStore,
    private readonly statuses: StatusCache,
  ) {}

  get(projectId: number, environment: string): Promise<Publication | undefined> {
    return this.database.get<Publication>(
      `SELECT created_at AS "createdAt", number_of_keys AS "numberOfKeys", number_of_languages AS "numberOfLanguages",
              number_of_texts AS "numberOfNonEmptyTranslations"
       FROM publications WHERE project_id = ? AND environment = ?`,
      projectId,
      environment,
    )
  }

  /**
   * Replaces an environment's files, and subtracts `changes` from the project's unpublished changes. Must be called in
   * a transaction.
   */
  async replace(
    projectId: number,
    environment: string,
    publication: Publication,
    resources: readonly ResourceRecord[],
    contents: readonly GzipFile[],
    changes: number,
  ): Promise<void> {
    await this.put(projectId, environment, publication, async () => {
      await this.contents.add(contents)
      const rows = resources.map((resource, position) => ({
        project_id: projectId,
        environment,
        path: resource.path,
        position,
        listed: resource.listed ? 1 : 0,
        language: resource.language ?? null,
        namespace: resource.namespace ?? null,
        customer: resource.customer ?? null,
        size: resource.size,
        content_hash: resource.hash,
      }))
      await this.database.insert('resources', rows)
      this.projects.addUnpublishedChanges(projectId, -changes)
    })
  }

  /** Copies the files of `source`, which must be published, to `target`. Must be called in a transaction. */
  async copy(projectId: number, source: string, target: string, publication: Publication): Promise<void> {
    await this.put(projectId, target, publication, async () => {
      await this.database.run(
        `INSERT INTO resources
           (project_id, environment, path, position, listed, language, namespace, customer, size, content_hash)
         SELECT project_id, ?, path, position, listed, language, namespace, customer, size, content_hash
         FROM resources WHERE project_id = ? AND environment = ?`,
        target,
        projectId,
        source,
      )
    })
  }

  /** Returns the cached status, or `undefined` if there is none or the project has been published since. */
  knownStatus(project: ProjectRecord, environment: string): PublishedStatus | undefined {
    const known = this.statuses.get(JSON.stringify([project.id, environment]))
    return known?.publishCount === project.publishCount ? known : undefined
  }

  /** Returns `undefined` if the environment is not published yet. Must be called in a snapshot. */
  async status(project: ProjectRecord, environment: string): Promise<PublishedStatus | undefined> {
    const id = JSON.stringify([project.id, environment])
    const publication = await this.get(project.id, environment)
    if (!publication) return undefined
    const resources = await this.listed(project, environment)
    const status = {
      publishCount: project.publishCount,
      json: JSON.stringify({ ...publication, resources }),
      digest: await this.digest(project.id, environment),
    }
    this.statuses.delete(id)
    this.statuses.set(id, status)
    const [oldest = ''] = this.statuses.keys()
    if (this.statuses.size > MAX_STATUSES) this.statuses.delete(oldest)
    return status
  }

  /** Returns links to the listed files, in publishing order. */
  async listed(project: { readonly id: number; readonly projectToken: string }, environment: string) {
    const rows = await this.database.all<ListedResource>(
      `SELECT path, language, namespace, customer, size FROM resources
       WHERE project_id = ? AND environment = ? AND listed = 1 ORDER BY position`,
      project.id,
      environment,
    )
    return rows.map(({ path, size, language, namespace, customer }) => ({
      link: `${project.projectToken}/${environment}/${path}`,
      size,
      language: language ?? undefined,
      namespace: namespace ?? undefined,
      customer: customer ?? undefined,
    }))
  }

  private async digest(projectId: number, environment: string): Promise<string> {
    const rows = await this.database.all<{ path: string; hash: string }>(
      'SELECT path, content_hash AS hash FROM resources WHERE project_id = ? AND environment = ?',
      projectId,
      environment,
    )
    return hashOf(
      rows
        .map(({ path, hash }) => `${path} ${hash}`)
        .sort()
        .join('\n'),
      32,
    )
  }

  /** Returns the hash of one file. */
  async findHash(projectToken: string, environment: string, path: string): Promise<string | undefined> {
    const found = await this.database.get<{ hash: string }>(
      `SELECT f.content_hash AS hash FROM resources f JOIN projects p ON p.id = f.project_id WHERE ${BY_PATH}`,
      projectToken,
      environment,
      path,
    )
    return found?.hash
  }

  /** One file. A single statement reads digest and bytes, because a publish replaces both. */
  findContent(projectToken: string, environment: string, path: string): Promise<GzipFile | undefined> {
    return this.contents.find(
      `FROM resources f JOIN projects p ON p.id = f.project_id JOIN contents c ON c.hash = f.content_hash
       WHERE ${BY_PATH}`,
      projectToken,
      environment,
      path,
    )
  }

  /** The hashes of the contents in all environments. None of these contents is removed during a publish. */
  async contentHashes(projectId: number): Promise<ReadonlySet<string>> {
    const sql = 'SELECT DISTINCT content_hash AS hash FROM resources WHERE project_id = ?'
    return new Set((await this.database.all<{ hash: string }>(sql, projectId)).map(({ hash }) => hash))
  }

  private async put(
    projectId: number,
    environment: string,
    publication: Publication,
    addFiles: () => Promise<void>,
  ): Promise<void> {
    await this.projects.lock(projectId)
    await this.contents.lock()
    // This statement runs last to lock the row only briefly, because writes of texts update the same row.
    this.database.atCommit('UPDATE projects SET publish_count = publish_count + 1 WHERE id = ?', projectId)
    const before = await this.database.all<{ hash: string }>(
      'SELECT DISTINCT content_hash AS hash FROM resources WHERE project_id = ? AND environment = ?',
      projectId,
      environment,
    )
    await this.database.run('DELETE FROM resources WHERE project_id = ? AND environment = ?', projectId, environment)
    await this.database.run('DELETE FROM publications WHERE project_id = ? AND environment = ?', projectId, environment)
    await addFiles()
    const row = {
      project_id: projectId,
      environment,
      created_at: publication.createdAt,
      number_of_keys: publication.numberOfKeys,
      number_of_languages: publication.numberOfLanguages,
      number_of_texts: publication.numberOfNonEmptyTranslations,
    }
    await this.database.insert('publications', [row])
    const kept = await this.contentHashes(projectId)
    await this.contents.removeUnused(before.flatMap(({ hash }) => (kept.has(hash) ? [] : [hash])))
  }
}
