/** The store of one service, over one database. */
import type { Database, Queries } from './driver.ts'
import { JobStore } from './jobs.ts'
import { KeyStore } from './keys.ts'
import { type CountsCache, ProjectStore } from './projects.ts'
import { PublicationStore } from './publications.ts'
import { type QueryCache, TranslationQuery } from './query.ts'
import { TranslationStore } from './translations.ts'

/**
 * The data as one scope sees it. Whoever writes, or checks before a write, uses the store that `transaction` passes:
 * the outer store would wait for the transaction to end.
 */
export interface Store {
  readonly projects: ProjectStore
  readonly keys: KeyStore
  readonly translations: TranslationStore
  readonly query: TranslationQuery
  readonly publications: PublicationStore
  readonly jobs: JobStore
  /** All or nothing, on disk when the promise resolves. Inside another transaction it is part of that one. */
  transaction<T>(work: (tx: Store) => Promise<T>): Promise<T>
  /** Everything that `work` reads through `read` is one state of the data. */
  snapshot<T>(work: (read: Store) => Promise<T>): Promise<T>
}

/** What was computed for one version of a project. */
interface StoreCaches {
  readonly counts: CountsCache
  readonly queries: QueryCache
}

const createCaches = (): StoreCaches => ({ counts: new Map(), queries: new Map() })

export function createStore(database: Database, now: () => string): Store {
  const caches = createCaches()
  return bind(database, now, caches, {
    // A transaction that is rolled back must leave nothing in the caches.
    transaction: (work) =>
      database.transaction(async (tx) => {
        const store = bind(tx, now, createCaches())
        const result = await work(store)
        await store.projects.flushChanges()
        return result
      }),
    snapshot: (work) => database.snapshot((read) => work(bind(read, now, caches))),
  })
}

function bind(
  queries: Queries,
  now: () => string,
  caches: StoreCaches,
  scopes?: Pick<Store, 'transaction' | 'snapshot'>,
): Store {
  const projects = new ProjectStore(queries, now, caches.counts)
  const keys = new KeyStore(queries, projects, now)
  const translations = new TranslationStore(queries, projects, keys, now)
  const store: Store = {
    projects,
    keys,
    translations,
    query: new TranslationQuery(queries, caches.queries),
    publications: new PublicationStore(queries, projects),
    jobs: new JobStore(queries, projects, translations),
    transaction: scopes?.transaction ?? ((work) => work(store)),
    snapshot: scopes?.snapshot ?? ((work) => work(store)),
  }
  return store
}
