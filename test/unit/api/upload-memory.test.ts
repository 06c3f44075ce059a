/** An upload is never whole in memory: a stream is read as fast as the service takes it, and no faster. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startClient } from '../../helpers/api-client.ts'

const CHUNK = Buffer.alloc(65_536, 0x20)
const CHUNKS = 1024

test('a stream of 64 MiB is never far ahead of the service that reads it', async () => {
  let made = 0
  let taken = 0
  let furthest = 0
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      taken += chunk.length
      furthest = Math.max(furthest, made - taken)
    })
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      response.end('{"numberOfKeysFound":0,"numberOfUniqueKeysFound":0,"foundLanguages":[]}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  async function* file() {
    for (let i = 0; i < CHUNKS; i++) {
      made += CHUNK.length
      yield CHUNK
    }
  }
  const client = startClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await client.imports.upload({ uploadFormat: 'multi-language-json', file: file() })
  expect(made).toBe(CHUNKS * CHUNK.length)
  expect(taken).toBeGreaterThan(made)
  expect(furthest).toBeLessThan(32 * 1024 * 1024)
})
