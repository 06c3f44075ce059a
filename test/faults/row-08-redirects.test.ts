/** Row 8: redirects. The client against a service that does it. */
import { expect, test } from 'vitest'
import type { Client } from '../../src/client.ts'
import { API_KEY, startClient } from '../helpers/api-client.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom, command } from '../helpers/hostile-build.ts'
import { expectApiError } from '../helpers/hostile-server.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { sendData, startServer } from '../helpers/throwaway-server.ts'

faultRow(8)

const setText = (client: Client) => client.translations.set({ key: 'a', language: 'en', text: 'A' })

test.each([301, 302, 303, 307, 308])(
  '%i from the service is refused, to another origin and to its own',
  async (status) => {
    const other = await startServer((_, response) => sendData(response, []))
    const server = await startServer(
      (_, response, index) =>
        void response
          .writeHead(status, { location: index === 0 ? `${other.url}/x?sig=${API_KEY}` : '/api/v1/elsewhere' })
          .end(),
    )
    const client = startClient(server.url)
    const error = await expectApiError(client.jobs.list(), 'API_REDIRECT')
    expect(error.message).toContain(other.url)
    await expectApiError(setText(client), 'API_REDIRECT')
    expect([server.requests.length, other.requests.length]).toEqual([2, 0])
  },
)

test('a file is followed through 3, across origins and without credentials; a fourth is refused', async () => {
  const other = await startServer((_, response) => void response.end('{"a":"b"}'))
  const server = await startServer((seen, response) => {
    const left = Number(seen.query.get('left'))
    const location = left > 1 ? `/f?left=${left - 1}` : `${other.url}/f`
    response.writeHead(302, { location }).end()
  })
  const { exports, hosting } = startClient(server.url)
  expect(await exports.downloadJson(`${server.url}/f?left=3`)).toEqual({ a: 'b' })
  await expectApiError(exports.downloadJson(`${server.url}/f?left=4`), 'API_REDIRECT')
  expect(await hosting.resource('pt/_latest/en')).toMatchObject({ kind: 'ok' })
  expect(other.requests).toHaveLength(2)
  for (const { headers } of [...server.requests, ...other.requests]) {
    expect(Object.keys(headers)).not.toContain('authorization')
    expect(JSON.stringify(headers)).not.toContain('canary')
  }
})

test.each(['http://files.example/f', 'file:///etc/passwd', 'ftp://files.example/f', 'https://u:p@files.example/f'])(
  'a file that redirects to %s is refused',
  async (location) => {
    const server = await startServer((_, response) => void response.writeHead(302, { location }).end())
    await expectApiError(startClient(server.url).exports.download(`${server.url}/f`), 'API_ORIGIN')
    expect(server.requests).toHaveLength(1)
  },
)

test('a build and the commands do not follow the service elsewhere', async () => {
  const other = await startServer((_, response) => sendData(response, []))
  const service = await startServer(
    (seen, response) => void response.writeHead(307, { location: `${other.url}${seen.url}` }).end(),
  )
  expect((await buildFrom(service.url)).failure).toMatch(/redirect/)
  const root = await tempFolder()
  await writeTree(root, { 'locales/en/common.json': { title: 'Title' } })
  for (const args of [['push'], ['pull'], ['publish', '_latest'], ['status'], ['translations', 'list']]) {
    const { code, stderr } = await command(root, service.url, args)
    expect([args, code, /redirect/.test(stderr)]).toEqual([args, 1, true])
  }
  expect(other.requests).toEqual([])
})
