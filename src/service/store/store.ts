import type { GzipFile } from '../json-file.ts'
import { CredentialStore } from './credentials.ts'
import type { Database, Queries, Scopes } from './driver.ts'
import { JobStore } from './jobs.ts'
import { KeyStore } from './keys.ts'
import { type CountsCache, ProjectStore } from './projects.ts'
import { PublicationStore, type StatusCache } from './publications.ts'
import { type QueryCache, TranslationQuery } from './query.ts'
import { EarlierKeys } from './recent-writes.ts'
import { importStaged } from './staged-import.ts'
import { ContentStore, ExportedFileStore, inTransactions } from './stored-files.ts'
import { type ImportTexts, type StagedTexts, TranslationStore } from './translations.ts'

/** The data in one scope. */
export interface Store {
  readonly credentials: CredentialStore
  readonly projects: ProjectStore
  readonly keys: KeyStore
  readonly translations: TranslationStore
  readonly query: TranslationQuery
  readonly publications: PublicationStore
  readonly exportedFiles: ExportedFileStore
  readonly jobs: JobStore
}

/**
 * The data outside of transactions. Writes, and checks before a write, must use the store that `transaction` passes.
 * During a transaction, this store would wait for the transaction to end.
 */
export interface ServiceStore extends Store, Pick<Database, 'checkWritable' | 'connections'> {
  /** See `Scopes.transaction`. */
  transaction<T>(work: (tx: Store) => Promise<T>, options?: { readonly isBeside?: boolean }): Promise<T>
  /** All reads through `read` see the same state of the data. Set `isLong` if `work` reads all texts of a project. */
  snapshot<T>(work: (read: Store) => Promise<T>, options?: { readonly isLong?: boolean }): Promise<T>
  /**
   * Adds contents in separate transactions, before the transaction that needs them. That transaction then only needs to
   * add contents that were unused and therefore removed in the meantime.
   */
  addContents(contents: readonly GzipFile[]): Promise<void>
  /**
   * Creates languages, keys and texts, all or none, without blocking other work for long. `authorize` is called in the
   * transaction, before the import becomes visible.
   */
  importTexts(projectId: number, request: ImportTexts, authorize: (tx: Store) => Promise<unknown>): Promise<void>
  /**
   * Runs `work`. Returns `false` without running it if work with the same name is running in another process. `work`
   * must use the store that it is given.
   */
  exclusive(name: string, work: (store: ExclusiveStore) => Promise<void>): Promise<boolean>
}

export type ExclusiveStore = Omit<ServiceStore, 'exclusive'>

const createCaches = (longReads: Set<EarlierKeys>) => ({
  counts: new Map() as CountsCache,
  queries: new Map() as QueryCache,
  statuses: new Map() as StatusCache,
  longReads,
})

export function createStore(database: Database, now: () => string): ServiceStore {
  const caches = createCaches(new Set())
  // Each transaction has its own caches, because a rollback must leave nothing in the shared ones.
  const transactionOf =
    (scopes: Scopes): ServiceStore['transaction'] =>
    (work, options) =>
      scopes.transaction(async (tx) => {
        const store = bind(tx, now, createCaches(caches.longReads))
        const result = await work(store)
        store.projects.flushChanges()
        return result
      }, options)
  const within = (scopes: Scopes): ExclusiveStore => ({
    ...bind(scopes, now, caches),
    transaction: transactionOf(scopes),
    importTexts(projectId, request, authorize) {
      const commit = async (staged?: StagedTexts) => {
        const written = await transactionOf(scopes)(async (tx) => {
          await authorize(tx)
          return tx.translations.importTexts(projectId, request, staged)
        })
        database.textsAdded?.(written)
      }
      const { keys } = bind(scopes, now, caches)
      return database.isSerial ? importStaged(scopes, keys, projectId, request, now, commit) : commit()
    },
    async addContents(files) {
      for (const some of inTransactions(files)) {
        await scopes.transaction(async (tx) => {
          const contents = new ContentStore(tx)
          await contents.lock()
          await contents.add(some)
        })
      }
    },
    snapshot(work, options = {}) {
      if (!database.isSerial || !options.isLong) {
        return scopes.snapshot((read) => work(bind(read, now, caches)), options)
      }
      const earlier = new EarlierKeys()
      return scopes
        .snapshot((read) => {
          caches.longReads.add(earlier)
          return work(bind(read, now, caches, earlier))
        }, options)
        .finally(() => caches.longReads.delete(earlier))
    },
    checkWritable: database.checkWritable,
    connections: database.connections,
  })
  return {
    ...within(database),
    exclusive: (name, work) => database.exclusive(name, (scopes) => work(within(scopes))),
  }
}

function bind(
  queries: Queries,
  now: () => string,
  caches: ReturnType<typeof createCaches>,
  earlier?: EarlierKeys,
): Store {
  const credentials = new CredentialStore(queries, now)
  const projects = new ProjectStore(queries, credentials, now, caches.counts)
  const keys = new KeyStore(queries, projects, now, caches.longReads, earlier)
  const translations = new TranslationStore(queries, projects, keys, now, earlier)
  const contents = new ContentStore(queries)
  return {
    credentials,
    projects,
    keys,
    translations,
    query: new TranslationQuery(queries, caches.queries),
    publications: new PublicationStore(queries, projects, contents, caches.statuses),
    exportedFiles: new ExportedFileStore(queries, contents, now),
    jobs: new JobStore(queries, projects, translations),
  }
}
