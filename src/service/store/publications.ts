/** What is published: one row per environment, and its files. */
import type { Database } from './driver.ts'

export interface Publication {
  readonly createdAt: string
  readonly numberOfKeys: number
  readonly numberOfLanguages: number
  readonly numberOfNonEmptyTranslations: number
}

/** One hosted file. `path` is its address below project and environment, segments percent-encoded. */
export interface ResourceRecord {
  readonly path: string
  /** Named in the environment's status. */
  readonly listed: boolean
  readonly language?: string | undefined
  readonly namespace?: string | undefined
  readonly customer?: string | undefined
  /** Bytes, before compression. */
  readonly size: number
  readonly hash: string
}

export type PublicationStore = ReturnType<typeof createPublicationStore>

export function createPublicationStore(database: Database) {
  const drop = (projectId: number, environment: string) => {
    database.run('DELETE FROM resources WHERE project_id = ? AND environment = ?', projectId, environment)
  }
  const dropUnused = () => {
    database.run(
      'DELETE FROM contents WHERE NOT EXISTS (SELECT 1 FROM resources r WHERE r.content_hash = contents.hash)',
    )
  }
  const put = (projectId: number, environment: string, publication: Publication) => {
    database.run(
      `INSERT INTO publications
         (project_id, environment, created_at, number_of_keys, number_of_languages, number_of_texts)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (project_id, environment) DO UPDATE SET created_at = excluded.created_at,
         number_of_keys = excluded.number_of_keys, number_of_languages = excluded.number_of_languages,
         number_of_texts = excluded.number_of_texts`,
      projectId,
      environment,
      publication.createdAt,
      publication.numberOfKeys,
      publication.numberOfLanguages,
      publication.numberOfNonEmptyTranslations,
    )
  }
  const get = (projectId: number, environment: string): Publication | undefined =>
    database.get<Publication>(
      `SELECT created_at AS "createdAt", number_of_keys AS "numberOfKeys", number_of_languages AS "numberOfLanguages",
              number_of_texts AS "numberOfNonEmptyTranslations"
       FROM publications WHERE project_id = ? AND environment = ?`,
      projectId,
      environment,
    )

  return {
    get,

    /** Replaces an environment's files, all or nothing, and takes `changes` off the project's unpublished ones. */
    replace(
      projectId: number,
      environment: string,
      publication: Publication,
      resources: readonly ResourceRecord[],
      contents: ReadonlyMap<string, Uint8Array>,
      changes: number,
    ): void {
      database.transaction(() => {
        drop(projectId, environment)
        for (const [hash, compressed] of contents) {
          database.run(
            'INSERT INTO contents (hash, compressed) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING',
            hash,
            compressed,
          )
        }
        for (const [position, resource] of resources.entries()) {
          database.run(
            `INSERT INTO resources
               (project_id, environment, path, position, listed, language, namespace, customer, size, content_hash)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
            projectId,
            environment,
            resource.path,
            position,
            resource.listed ? 1 : 0,
            resource.language ?? null,
            resource.namespace ?? null,
            resource.customer ?? null,
            resource.size,
            resource.hash,
          )
        }
        put(projectId, environment, publication)
        dropUnused()
        database.run(
          'UPDATE projects SET unpublished_changes = unpublished_changes - ? WHERE id = ?',
          changes,
          projectId,
        )
      })
    },

    /** Makes `target` the same as `source`. */
    copy(projectId: number, source: string, target: string, createdAt: string): void {
      database.transaction(() => {
        const publication = get(projectId, source)
        if (!publication) return
        drop(projectId, target)
        database.run(
          `INSERT INTO resources
             (project_id, environment, path, position, listed, language, namespace, customer, size, content_hash)
           SELECT project_id, ?, path, position, listed, language, namespace, customer, size, content_hash
           FROM resources WHERE project_id = ? AND environment = ?`,
          target,
          projectId,
          source,
        )
        put(projectId, target, { ...publication, createdAt })
        dropUnused()
      })
    },

    /** The files that the status lists, in publishing order. */
    listed: (projectId: number, environment: string): Omit<ResourceRecord, 'hash' | 'listed'>[] =>
      database
        .all<{
          path: string
          language: string | null
          namespace: string | null
          customer: string | null
          size: number
        }>(
          `SELECT path, language, namespace, customer, size FROM resources
           WHERE project_id = ? AND environment = ? AND listed = 1 ORDER BY position`,
          projectId,
          environment,
        )
        .map((row) => ({
          path: row.path,
          size: row.size,
          language: row.language ?? undefined,
          namespace: row.namespace ?? undefined,
          customer: row.customer ?? undefined,
        })),

    /** The digest and size of one file, by project token. */
    find: (projectToken: string, environment: string, path: string): { hash: string; size: number } | undefined =>
      database.get(
        `SELECT r.content_hash AS hash, r.size AS size FROM resources r JOIN projects p ON p.id = r.project_id
         WHERE p.project_token = ? AND r.environment = ? AND r.path = ?`,
        projectToken,
        environment,
        path,
      ),

    /** Whether the project's own files hold this content already: only those cannot vanish while it publishes. */
    hasContent: (projectId: number, hash: string): boolean =>
      database.get(
        'SELECT 1 AS found FROM resources WHERE content_hash = ? AND project_id = ? LIMIT 1',
        hash,
        projectId,
      ) !== undefined,

    /** A file's bytes, compressed with gzip. */
    content: (hash: string): Uint8Array | undefined =>
      database.get<{ compressed: Uint8Array }>('SELECT compressed FROM contents WHERE hash = ?', hash)?.compressed,
  }
}
