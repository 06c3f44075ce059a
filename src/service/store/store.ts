/** All stores over one database. */
import type { Database } from './driver.ts'
import { createJobTextStore } from './job-texts.ts'
import { createJobStore } from './jobs.ts'
import { createKeyStore } from './keys.ts'
import { createProjectStore } from './projects.ts'
import { createPublicationStore } from './publications.ts'
import { createTranslationQuery } from './query.ts'
import { createTranslationStore } from './translations.ts'

export type Store = ReturnType<typeof createStore>

export function createStore(database: Database, now: () => string) {
  const projects = createProjectStore(database, now)
  const keys = createKeyStore(database, projects, now)
  const translations = createTranslationStore(database, projects, keys, now)
  return {
    database,
    projects,
    keys,
    translations,
    query: createTranslationQuery(database, projects),
    publications: createPublicationStore(database),
    jobs: createJobStore(database),
    ...createJobTextStore(database, translations),
  }
}
