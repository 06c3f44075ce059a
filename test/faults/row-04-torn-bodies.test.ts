/** Row 4: a body that is not whole. The client against a service that does it. */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startClient } from '../helpers/api-client.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { buildFrom, command, startExportService } from '../helpers/hostile-build.ts'
import { expectApiError, sendAndReset, sendRaw } from '../helpers/hostile-server.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { sendData, startServer } from '../helpers/throwaway-server.ts'

const row = faultRow(4)

const whole = JSON.stringify({ a: 'x'.repeat(1000) })
const half = whole.slice(0, 500)
const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json'
const gzip = gzipSync(whole)
const faults: [string, Parameters<typeof startServer>[0]][] = [
  ['reset in the middle', (_, response) => sendAndReset(response, head, `content-length: ${whole.length}`, '', half)],
  ['closed before its length', (_, response) => sendRaw(response, head, `content-length: ${whole.length}`, '', half)],
  [
    'closed before its length, connection: close',
    (_, response) => sendRaw(response, head, 'connection: close', `content-length: ${whole.length}`, '', half),
  ],
  [
    'a chunk missing',
    (_, response) => sendRaw(response, head, 'transfer-encoding: chunked', '', half.length.toString(16), half, ''),
  ],
  ['no length, cut by close', (_, response) => sendRaw(response, head, 'connection: close', '', half)],
  [
    'a gzip stream that stops',
    (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzip.subarray(0, gzip.length - 12))
    },
  ],
]
test.each(faults)('%s: rejected each time, no part of it given out', async (_, handler) => {
  const server = await startServer(handler)
  const client = startClient(server.url)
  const error = await client.exports.downloadJson(`${server.url}/f`).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ attempts: 4, code: expect.stringMatching(/^API_(NETWORK|UNEXPECTED_ANSWER)$/) })
  expect(server.requests).toHaveLength(4)
})
test.each(faults)('%s: whole at the second attempt', async (_, handler) => {
  const server = await startServer((seen, response, index) =>
    index === 0 ? handler(seen, response, index) : void response.end(whole),
  )
  expect(await startClient(server.url).exports.downloadJson(`${server.url}/f`)).toEqual(JSON.parse(whole))
})
test('the same holds for an answer of the service itself', async () => {
  const server = await startServer((_, response) =>
    sendRaw(response, head, 'content-length: 900', '', '{"data":[{"name":"x","apiKey":"other-secret"'),
  )
  const error = await expectApiError(startClient(server.url).projects.list(), 'API_NETWORK')
  expect(error.message).not.toContain('other-secret')
})
test('a whole answer that is no JSON is not asked for again', async () => {
  const server = await startServer((_, response) => void response.end('{"data":[{"apiKey":"other-secret"'))
  const error = await expectApiError(startClient(server.url).projects.list(), 'API_UNEXPECTED_ANSWER')
  expect(error.attempts).toBe(1)
  expect(JSON.stringify(error) + String(error.cause)).not.toContain('other')
})

test.each(faults)('%s, on the way to a build: the snapshot stays byte for byte, and stands in', async (_, handler) => {
  let broken = false
  const service = await startExportService({
    before: (seen, response, index) => broken && seen.path === '/files/1.json' && void handler(seen, response, index),
  })
  const root = await tempFolder()
  const options = { service: { retries: 0 }, onServiceError: 'snapshot' } as const
  expect((await buildFrom(service.url, options, root)).texts).toEqual({ title: 'Title' })
  const snapshot = async () => {
    const folder = join(root, '.localization')
    const [name = ''] = (await readdir(folder)).filter((file) => file.startsWith('snapshot-'))
    return readFile(join(folder, name))
  }
  const before = await snapshot()
  broken = true
  row.kept((await buildFrom(service.url, options, root)).texts ?? {}, { title: 'Title' })
  expect((await snapshot()).equals(before)).toBe(true)
})

test.each(faults)('%s, on the way to `export` and `pull`: the old files stay byte for byte', async (_, handler) => {
  const service = await startServer((seen, response, index) => {
    if (seen.path === '/api/v4/export') {
      sendData(response, { files: [{ url: `${service.url}/f`, language: 'en', namespace: 'common' }] })
    } else void handler(seen, response, index)
  })
  const root = await tempFolder()
  const content = '{\r\n\t"title": "Title"\r\n}'
  await writeTree(root, {
    'locales/en/common.json': content,
    'localization.config.json': { source: 'files', service: { retries: 0 } },
  })
  for (const name of ['export', 'pull']) {
    const { code, stderr } = await command(root, service.url, [name])
    expect([code, await readFile(join(root, 'locales/en/common.json'), 'utf8')], stderr).toEqual([1, content])
    expect(await readdir(join(root, 'locales/en'))).toEqual(['common.json'])
  }
})
