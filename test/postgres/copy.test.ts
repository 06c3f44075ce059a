/** `localization service copy`: from SQLite to PostgreSQL and back. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { copyData, NOT_COPIED, openPlace, readCatalog } from '../../src/service/copy.ts'
import { migrate } from '../../src/service/store/migrate.ts'
import { createLocalService } from '../../src/service.ts'
import { emptySchema, onServer } from '../helpers/postgres.ts'
import { createProject, projectOf, type TestProject, waitFor } from '../helpers/service.ts'
import { tempFolder } from '../helpers/temp.ts'

const server = process.env.TEST_POSTGRES_URL ?? ''
/** Characters of one to four bytes, which sort differently by UTF-16 units, and those that SQL and JSON escape. */
const TEXTS = { a: 'it\'s \\ "q" %_?$1', '\uffee': 'Zażółć', '😀': '😀\n\t\u2028', Ä: '', 'z.b': '<b>x</b>' }
const OPTIONS = { personalToken: 'fixed-token', customers: ['acme'], languages: ['pl'], environments: ['staging'] }

/** Everything that a client sees of a project. */
async function seen(project: TestProject) {
  const answers = await Promise.all([
    project.export('downloadFormat=multi-language-json'),
    project.get('/api/v2/translations?size=500'),
    project.get('/api/v2/project'),
    project.get('/api/v1/jobs'),
    project.get('/api/v2/environments/_latest'),
    project.hosted('_index'),
    project.hosted('en', '_production'),
  ])
  return answers.map((answer) => ('body' in answer ? answer.body : answer))
}

test('SQLite to PostgreSQL to SQLite: the same data, the same answers, and new ids after the copied ones', async () => {
  const folder = await tempFolder()
  const first = await createLocalService({ ...OPTIONS, dataDir: folder })
  const project = await createProject(first, "one 'two'")
  await createProject(first, 'empty')
  await project.import({ en: TEXTS, pl: TEXTS })
  await project.import({ en: { a: 'Acme' } }, 'uploadFormat=multi-language-json&customerId=acme')
  const many = Object.fromEntries(Array.from({ length: 2500 }, (_, i) => [`key ${i}`, `text ${i}`]))
  await project.import({ en: many }, 'uploadFormat=multi-language-json&namespace=many')
  for (const environment of ['_latest', '_production']) expect((await project.publish(environment)).status).toBe(200)
  await project.api('POST', '/api/v1/jobs/auto-translate', {
    translationProvider: 'PROVIDER_A',
    targetProjectLanguage: 'pl',
    targetLanguage: 'pl',
  })
  await waitFor(
    () => project.get('/api/v1/jobs'),
    ({ body }) => body.data[0].state === 'SUCCESS',
  )
  const before = await seen(project)
  await expect(copyData(folder, await emptySchema(server))).rejects.toMatchObject({
    code: 'SERVICE_LOCKED',
  })
  await first.close()

  const databaseUrl = await emptySchema(server)
  const dry = await copyData(folder, databaseUrl, true)
  const there = await copyData(folder, databaseUrl)
  expect(there).toEqual(dry)
  expect(there.filter(({ rows }) => rows === 0)).toEqual([])
  const again = copyData(folder, databaseUrl)
  await expect(again).rejects.toMatchObject({ message: expect.stringContaining('has data') })

  const second = await createLocalService({ ...OPTIONS, databaseUrl })
  expect(await seen(projectOf(second, project))).toEqual(before)
  const added = await createProject(second, 'new')
  await added.import({ en: { a: 'A' } })
  expect(await added.export()).toEqual({ en: { a: 'A' }, pl: {} })
  expect(await seen(projectOf(second, project))).toEqual(before)
  await second.close()

  const back = join(await tempFolder(), 'back')
  await copyData(databaseUrl, back)
  const third = await createLocalService({ ...OPTIONS, dataDir: back })
  expect(await seen(projectOf(third, project))).toEqual(before)
  await createProject(third, 'newer')
  await third.close()
})

test('both databases have the same tables, and every table is copied but those that are left out on purpose', async () => {
  const places = [await tempFolder(), await emptySchema(server)].map((address) => openPlace(address, 'target', migrate))
  const [names, others] = await Promise.all(
    places.map(async (opened) => {
      const place = await opened
      const tables = await readCatalog(place.database, place.dialect)
      await place.close()
      return tables.map(({ name, columns, primaryKey, hasBytes }) => ({ name, columns, primaryKey, hasBytes }))
    }),
  )
  expect(names).toEqual(others)
  expect(names?.filter(({ primaryKey }) => primaryKey.length === 0)).toEqual([])
  expect(names?.map(({ name }) => name).filter((name) => !NOT_COPIED.includes(name))).toEqual(
    expect.arrayContaining(['credentials', 'jobs', 'projects', 'resources', 'translations']),
  )
})

test('what PostgreSQL refuses or changes leaves the target empty', async () => {
  const folder = await tempFolder()
  const service = await createLocalService({ ...OPTIONS, dataDir: folder })
  await (await createProject(service)).import({ en: TEXTS })
  await service.close()
  const databaseUrl = await emptySchema(server)
  await (await openPlace(databaseUrl, 'target', migrate)).close()
  await onServer(
    databaseUrl,
    "CREATE FUNCTION change() RETURNS trigger AS $$ BEGIN NEW.text := NEW.text || '!'; RETURN NEW; END $$ LANGUAGE plpgsql",
    'CREATE TRIGGER change BEFORE INSERT ON translations FOR EACH ROW EXECUTE FUNCTION change()',
  )
  await expect(copyData(folder, databaseUrl)).rejects.toMatchObject({
    message: expect.stringContaining('the table translations differs after the copy: 5 rows'),
  })
  await onServer(databaseUrl, 'DROP TRIGGER change ON translations')
  expect(await copyData(folder, databaseUrl)).toContainEqual(
    expect.objectContaining({ table: 'translations', rows: 5 }),
  )
})
