/** The store of one service, over one database. */
import type { Database } from './driver.ts'
import { JobStore } from './jobs.ts'
import { KeyStore } from './keys.ts'
import { ProjectStore } from './projects.ts'
import { PublicationStore } from './publications.ts'
import { TranslationQuery } from './query.ts'
import { TranslationStore } from './translations.ts'

export type Store = ReturnType<typeof createStore>

export function createStore(database: Database, now: () => string) {
  const projects = new ProjectStore(database, now)
  const keys = new KeyStore(database, projects, now)
  const translations = new TranslationStore(database, projects, keys, now)
  return {
    database,
    projects,
    keys,
    translations,
    query: new TranslationQuery(database, projects),
    publications: new PublicationStore(database, projects),
    jobs: new JobStore(database, translations),
  }
}
