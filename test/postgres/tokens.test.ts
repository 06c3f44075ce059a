/** Personal tokens of starts on a database: any number of starts adds none but the first. */
import { expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { createLocalService } from '../../src/service.ts'
import { whenOver } from '../helpers/closing.ts'
import { emptySchema } from '../helpers/postgres.ts'
import { request } from '../helpers/service.ts'
import { spawnServe } from '../helpers/service-process.ts'

const server = process.env.TEST_POSTGRES_URL ?? ''

test('the first start makes a token, later ones none; a given one is added, and is not printed', async () => {
  const databaseUrl = await emptySchema(server)
  const first = await spawnServe(['--database', databaseUrl])
  expect(await first.end('SIGTERM')).toBe(0)
  const second = await spawnServe(['--database', databaseUrl])
  expect(second.personalToken).toBe(null)
  expect(await second.end('SIGTERM')).toBe(0)
  const third = await spawnServe(['--database', databaseUrl], { LOCALIZATION_PERSONAL_TOKEN: 'canary-given-token' })
  expect(third.personalToken).toBe(null)
  expect(third.out() + third.err()).not.toContain('canary-given-token')
  for (const personalToken of [first.personalToken, 'canary-given-token']) {
    const client = createClient({ baseUrl: third.baseUrl, personalToken })
    whenOver(() => client.close())
    expect(await client.credentials.list({})).toHaveLength(2)
  }
  expect(await third.end('SIGTERM')).toBe(0)
})

test('in code, a start on such a database gets a token that only its process takes', async () => {
  const databaseUrl = await emptySchema(server)
  const first = await createLocalService({ databaseUrl })
  expect(first.isOwnToken).toBe(false)
  await first.close()
  const second = await createLocalService({ databaseUrl })
  expect(second.isOwnToken).toBe(true)
  const status = async (baseUrl: string, authorization: string) =>
    (await request(`${baseUrl}/api/v2/projects`, { headers: { authorization } })).status
  expect(await status(second.baseUrl, second.personalToken)).toBe(200)
  expect(await status(second.baseUrl, first.personalToken)).toBe(200)
  await second.close()
  const third = await createLocalService({ databaseUrl })
  whenOver(() => third.close())
  expect(await status(third.baseUrl, second.personalToken)).toBe(403)
})
