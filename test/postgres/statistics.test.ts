/** A page of texts costs the same right after an import, before the server's own analysis of the tables. */
import { expect, test } from 'vitest'
import { createLocalService } from '../../src/service.ts'
import { whenOver } from '../helpers/closing.ts'
import { emptySchema, onServer } from '../helpers/postgres.ts'
import { createProject } from '../helpers/service.ts'

test('tables that an import filled are analyzed after it', async () => {
  const databaseUrl = await emptySchema(process.env.TEST_POSTGRES_URL ?? '')
  const service = await createLocalService({ databaseUrl })
  whenOver(() => service.close())
  const project = await createProject(service)
  const filled = ['languages', 'translation_keys', 'translations']
  await onServer(databaseUrl, ...filled.map((table) => `ALTER TABLE ${table} SET (autovacuum_enabled = false)`))
  const texts = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`key${i}`, `Text ${i}`]))
  await project.import({ en: texts })
  const analyzed = async () => {
    const rows = await onServer(
      databaseUrl,
      "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND reltuples > 0 AND relname IN ('languages', 'translation_keys', 'translations')",
    )
    return (rows as { relname: string }[]).map(({ relname }) => relname).sort()
  }
  await expect.poll(analyzed).toEqual(filled)
})
