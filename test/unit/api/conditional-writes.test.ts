/** The client's half of conditional writes. Digests are literals here. */
import { expect, test } from 'vitest'
import type { Client } from '../../../src/client.ts'
import { textDigest, textsDigest } from '../../../src/shared/hash.ts'
import { startClient } from '../../helpers/api-client.ts'
import { expectApiError } from '../../helpers/hostile-server.ts'
import { sendData, sendJson, startServer } from '../../helpers/throwaway-server.ts'

const TEXT = { key: 'title', language: 'en', text: 'Welcome' }
const FILE = { uploadFormat: 'single-language-json', languageKey: 'en', file: '{"a":"A2"}' } as const
const IMPORTED = { numberOfKeysFound: 1, numberOfUniqueKeysFound: 1, foundLanguages: [] }
const ANNOUNCED = { 'conditional-writes': 'text-digest=sha-256' }

test('the digest of a text', () => {
  expect(textDigest('')).toBe('e3b0c44298fc1c149afbf4c8996fb924')
  expect(textDigest('Hello')).toBe('185f8db32271fe25f561a6fc938b2e26')
  expect(textDigest('Zażółć 🦊')).toBe('2025cb05aaccef847a2b6b7a928935d9')
})

test('the digest of several texts: sorted by code unit, without empty ones', () => {
  expect(textsDigest([])).toBe('4f53cda18c2baa0c0354bb5f9a3ecbe5')
  expect(textsDigest(new Map([['none', '']]))).toBe('4f53cda18c2baa0c0354bb5f9a3ecbe5')
  expect(textsDigest(Object.entries({ 'b.c': 'B', none: '', a: 'A' }))).toBe('625faf7eb937a019c3909414d344ebec')
  expect(textsDigest(Object.entries({ é: 'e', a: 'A', Z: 'z' }))).toBe('414a9c76ec38044893257a9b53b4e9a5')
  expect(textsDigest(Object.entries({ '～': 'tilde', '🦊': 'fox' }))).toBe('7231dc9cef55c99a0dd79578a039b87a')
})

test('set: `expected` becomes a condition, null and the empty text the one for no text, undefined none', async () => {
  const server = await startServer((_, response) => void response.end())
  const { translations } = startClient(server.url)
  for (const expected of ['Hello', '', null, undefined]) await translations.set(TEXT, { expected })
  await translations.set(TEXT)
  expect(server.requests.map(({ headers }) => [headers['if-match'], headers['if-none-match']])).toEqual([
    ['"185f8db32271fe25f561a6fc938b2e26"', undefined],
    [undefined, '*'],
    [undefined, '*'],
    [undefined, undefined],
    [undefined, undefined],
  ])
  for (const { body } of server.requests) expect(JSON.parse(body)).toEqual(TEXT)
})

test('upload: `expected` becomes the digest of the texts that are not empty', async () => {
  const server = await startServer((_, response) => sendJson(response, IMPORTED))
  const { imports } = startClient(server.url)
  await imports.upload(FILE, { expected: new Map([['a', 'A']]) })
  await imports.upload(FILE, { expected: [['a', '']] })
  await imports.upload(FILE, { expected: [] })
  await imports.upload(FILE)
  expect(server.requests.map(({ headers }) => headers['if-match'])).toEqual([
    '"9acd18d4614e1b64b1aac4f20a487655"',
    '"4f53cda18c2baa0c0354bb5f9a3ecbe5"',
    '"4f53cda18c2baa0c0354bb5f9a3ecbe5"',
    undefined,
  ])
})

const conditional: [string, (client: Client) => Promise<unknown>][] = [
  ['set', (client) => client.translations.set(TEXT, { expected: 'Hello' })],
  ['upload', (client) => client.imports.upload(FILE, { expected: [['a', 'A']] })],
]

test.each(conditional)('%s: a 412 is API_PRECONDITION_FAILED, and is not repeated', async (_, write) => {
  const server = await startServer((_, response) =>
    sendJson(response, { status: 412, msg: 'another text', code: 'PRECONDITION_FAILED' }, 412),
  )
  const error = await expectApiError(write(startClient(server.url)), 'API_PRECONDITION_FAILED')
  expect(error).toMatchObject({ status: 412, serviceMessage: 'another text', attempts: 1, uncertain: false })
  expect(error.hint).toContain('Read it again')
  expect(server.requests).toHaveLength(1)
})

test.each(conditional)('%s: what may have been written is not repeated; what was not is', async (_, write) => {
  const broken = await startServer((_, response) => void response.destroy())
  const error = await expectApiError(write(startClient(broken.url)), 'API_NETWORK')
  expect(error).toMatchObject({ attempts: 1, uncertain: true, hint: expect.stringContaining('translations.query()') })
  expect(broken.requests).toHaveLength(1)

  const busy = await startServer((_, response, index) => {
    if (index === 0) response.writeHead(429).end()
    else sendJson(response, IMPORTED)
  })
  await write(startClient(busy.url))
  expect(busy.requests).toHaveLength(2)
})

test('conditionalWrites: what the last API answer announced, errors included', async () => {
  const answers: [status: number, headers: Record<string, string>, expected: boolean][] = [
    [200, {}, false],
    [200, ANNOUNCED, true],
    [404, ANNOUNCED, true],
    [404, {}, false],
    [200, { 'conditional-writes': 'other=1, text-digest=sha-256' }, true],
    [200, { 'conditional-writes': 'text-digest=sha-512' }, false],
    [412, ANNOUNCED, true],
    [302, {}, false],
  ]
  const server = await startServer((_, response, index) => {
    const [status, headers] = answers[index] ?? [500, {}]
    sendJson(response, { data: [], ...(status >= 400 && { status }) }, status, headers)
  })
  const client = startClient(server.url)
  expect(client.conditionalWrites).toBe(false)
  for (const [, , expected] of answers) {
    await client.jobs.list({ retries: 0 }).catch(() => {})
    expect(client.conditionalWrites).toBe(expected)
  }
})

test('conditionalWrites: downloads and hosting do not matter', async () => {
  const server = await startServer((seen, response) => {
    if (seen.path.startsWith('/api')) sendJson(response, { data: [] }, 200, ANNOUNCED)
    else sendJson(response, {})
  })
  const client = startClient(server.url)
  await client.jobs.list()
  await client.exports.downloadJson(`${server.url}/files/en.json`)
  await client.hosting.resource('project/_latest/en')
  expect(client.conditionalWrites).toBe(true)
})

test('the query goes past caches', async () => {
  const server = await startServer((_, response) => sendData(response, []))
  const client = startClient(server.url)
  await client.translations.query()
  await client.jobs.list()
  expect(server.requests.map(({ headers }) => headers['cache-control'])).toEqual(['no-cache', undefined])
})
