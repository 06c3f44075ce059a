/** Exported files on PostgreSQL: what one process keeps, another one serves. */
import { expect, test } from 'vitest'
import { createLocalService } from '../../src/service.ts'
import { whenOver } from '../helpers/closing.ts'
import { emptySchema, onServer } from '../helpers/postgres.ts'
import { createProject, projectOf, request } from '../helpers/service.ts'

const server = process.env.TEST_POSTGRES_URL ?? ''

async function start(databaseUrl: string) {
  const service = await createLocalService({ databaseUrl })
  whenOver(() => service.close())
  return service
}

test('files of one process are served by another one, and exports at the same time keep equal contents once', async () => {
  const databaseUrl = await emptySchema(server)
  const services = [await start(databaseUrl), await start(databaseUrl)] as const
  const project = await createProject(services[0])
  const texts = { en: { a: 'A'.repeat(5000) } }
  await project.import(texts)
  const exports = Array.from({ length: 8 }, async (_, i) => {
    const [own, other] = i % 2 ? services : services.toReversed()
    const { body } = await projectOf(own as (typeof services)[0], project).get(
      '/api/v3/export?downloadFormat=multi-language-json',
    )
    return body.data.url.replace(own?.filesUrl, other?.filesUrl)
  })
  const addresses = await Promise.all(exports)
  expect(new Set(addresses.map((address) => new URL(address).pathname)).size).toBe(8)
  for (const address of addresses) expect((await request(address)).body).toEqual(texts)
  const rows = await onServer(databaseUrl, 'SELECT COUNT(*) AS n FROM contents')
  expect(rows).toEqual([{ n: '1' }])
})
