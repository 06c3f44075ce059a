import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { checkProxy, proxyFromEnvironment, proxySecrets } from '../../../src/api/proxy.ts'
import { type ClientOptions, createClient, LocalizationError } from '../../../src/client.ts'
import { API_KEY, createTestClock, PERSONAL_TOKEN, startClient } from '../../helpers/api-client.ts'
import { everythingOf, expectApiError } from '../../helpers/hostile-server.ts'
import { sendData, startServer } from '../../helpers/throwaway-server.ts'

const invalid: [string, ClientOptions, string][] = [
  ['a key with a newline', { apiKey: `${API_KEY}\n` }, 'service.apiKey'],
  ['a key with a header after it', { apiKey: `${API_KEY}\r\nx: y` }, 'service.apiKey'],
  ['a key with a letter no header can hold', { apiKey: `${API_KEY}ż` }, 'service.apiKey'],
  ['a token with a space before it', { personalToken: ` ${PERSONAL_TOKEN}` }, 'service.personalToken'],
  ['a header name with a colon', { tokenHeader: 'X-Token:' }, 'service.tokenHeader'],
  ['a header that is not for tokens', { tokenHeader: 'Host' }, 'service.tokenHeader'],
  ['a base address that is none', { baseUrl: 'localhost:1' }, 'service.baseUrl'],
  ['a base address that is a file', { baseUrl: 'file:///x' }, 'service.baseUrl'],
  ['a base address with a password', { baseUrl: `https://u:${API_KEY}@example.com` }, 'service.baseUrl'],
  ['a hosting address with a query', { cdnUrl: `https://example.com?${API_KEY}` }, 'service.cdnUrl'],
  ['a negative limit', { retries: -1 }, 'service.retries'],
  ['a time limit that is no number', { timeoutMs: Number.NaN }, 'service.timeoutMs'],
  ['no place for any call', { concurrency: 0 }, 'service.concurrency'],
  ['a proxy of another kind', { proxy: { http: `ftp://u:${API_KEY}@proxy:8080` } }, 'proxy'],
  ['a header that HTTP itself needs', { headers: { Host: API_KEY } }, 'service.headers'],
  ['a header with a line break', { headers: { 'x-a': `${API_KEY}\n` } }, 'service.headers["x-a"]'],
]
test.each(invalid)('%s: refused by its name, its value not shown', (_, options, option) => {
  const error = (() => {
    try {
      createClient(options)
    } catch (thrown) {
      return thrown
    }
  })()
  if (!(error instanceof LocalizationError)) throw error
  expect(error.code).toBe('CONFIG_INVALID')
  expect(error.message).toContain(option)
  expect(everythingOf(error)).not.toContain('canary')
})

test('a client shows no token when it is printed', () => {
  expect(inspect(startClient('http://127.0.0.1:1'), { depth: 20, showHidden: true })).not.toContain('canary')
})

test('without an address, the error names the option and the variable', async () => {
  const client = startClient('http://127.0.0.1:1', { baseUrl: undefined, cdnUrl: '' })
  await expect(client.jobs.list()).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('LOCALIZATION_BASE_URL'),
  })
  await expect(client.hosting.resource('a')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('LOCALIZATION_CDN_URL'),
  })
})

test('a base address may have a path, with or without a slash; the header has the name it was given', async () => {
  const server = await startServer((_, response) => sendData(response, []))
  for (const path of ['/app', '/app/']) {
    await startClient(server.url, { baseUrl: server.url + path, tokenHeader: 'X-Other' }).jobs.list()
  }
  expect(server.requests.map(({ path, headers }) => [path, headers['x-other'], headers['x-service-token']])).toEqual([
    ['/app/api/v1/jobs', API_KEY, undefined],
    ['/app/api/v1/jobs', API_KEY, undefined],
  ])
})

test('a signal ends a call: before it begins, while it waits for the answer, while it waits to repeat', async () => {
  const server = await startServer((seen, response) => {
    if (seen.path.includes('retry')) response.writeHead(429).end()
  })
  const client = startClient(server.url)
  const early = client.environments.publish('_latest', { signal: AbortSignal.abort(new Error(API_KEY)) })
  expect(await expectApiError(early, 'API_ABORTED')).toMatchObject({ attempts: 0, uncertain: false })
  expect(server.requests).toHaveLength(0)

  const answer = new AbortController()
  const waiting = client.environments.publish('_latest', { signal: answer.signal })
  await expect.poll(() => server.requests.length).toBe(1)
  answer.abort(new Error(API_KEY))
  const error = await expectApiError(waiting, 'API_ABORTED')
  expect(error.uncertain).toBe(true)
  expect(String(error.cause)).toContain('***')

  const repeat = new AbortController()
  const clock = createTestClock()
  const stopping = startClient(server.url, {
    clock: {
      ...clock,
      async sleep(_, signal) {
        repeat.abort()
        signal.throwIfAborted()
      },
    },
  })
  expect(
    await expectApiError(stopping.environments.publish('retry', { signal: repeat.signal }), 'API_ABORTED'),
  ).toMatchObject({
    attempts: 1,
    uncertain: false,
  })
})

test("the client's own signal and close() end every call, queued ones too", async () => {
  const server = await startServer(() => {})
  const controller = new AbortController()
  const client = startClient(server.url, { signal: controller.signal, concurrency: 1 })
  const calls = [client.jobs.list(), client.jobs.list()]
  await expect.poll(() => server.requests.length).toBe(1)
  controller.abort()
  for (const call of calls) await expectApiError(call, 'API_ABORTED')

  const other = startClient(server.url)
  const pending = expectApiError(other.jobs.list(), 'API_ABORTED')
  await expect.poll(() => server.requests.length).toBe(2)
  await other.close()
  await pending
  await expectApiError(other.jobs.list(), 'API_ABORTED')
  expect(server.requests).toHaveLength(2)
})

test('no more calls at once than `concurrency`', async () => {
  let open = 0
  let most = 0
  const answers: (() => void)[] = []
  const server = await startServer((_, response) => {
    most = Math.max(most, ++open)
    answers.push(() => {
      open--
      sendData(response, [])
    })
  })
  const client = startClient(server.url, { concurrency: 3 })
  const calls = Array.from({ length: 10 }, () => client.jobs.list())
  for (let answered = 0; answered < 10; answered++) {
    const expected = Math.min(10 - answered, 3)
    await expect.poll(() => open).toBe(expected)
    answers.shift()?.()
  }
  await Promise.all(calls)
  expect(most).toBe(3)
})

test('no more requests a minute than told, and waiting for them is nobody’s timeout; files do not count', async () => {
  const server = await startServer((_, response) => sendData(response, []))
  const clock = createTestClock()
  const client = startClient(server.url, { clock, requestsPerMinute: 2, timeoutMs: 1000 })
  for (let i = 0; i < 5; i++) await client.jobs.list()
  expect(clock.now()).toBe(120_000)
  for (let i = 0; i < 5; i++) await client.exports.download(`${server.url}/f`)
  expect(clock.now()).toBe(120_000)
})

test('proxies from the environment: either case, lower first, nothing where there is none', () => {
  expect(proxyFromEnvironment({})).toBeUndefined()
  expect(proxyFromEnvironment({ no_proxy: 'x', http_proxy: '' })).toBeUndefined()
  expect(
    proxyFromEnvironment({ HTTP_PROXY: 'http://a', http_proxy: 'http://b', HTTPS_PROXY: 'http://c', NO_PROXY: 'd' }),
  ).toEqual({
    http: 'http://b',
    https: 'http://c',
    no: 'd',
    variables: { http: 'http_proxy', https: 'HTTPS_PROXY' },
  })
  expect(proxyFromEnvironment({ ALL_PROXY: 'x', all_proxy: 'a:1', https_proxy: 'c:1' })).toEqual({
    http: 'a:1',
    https: 'c:1',
    no: undefined,
    variables: { http: 'all_proxy', https: 'https_proxy' },
  })
})

test('a proxy without a scheme is an http proxy; socks5h is what socks5 is here', () => {
  expect(checkProxy({ http: 'proxy.test:3128', https: ' u:p@10.0.0.1 ' })).toMatchObject({
    http: 'http://proxy.test:3128',
    https: 'http://u:p@10.0.0.1',
  })
  expect(checkProxy({ http: 'socks5h://proxy.test' })).toMatchObject({ http: 'socks5://proxy.test' })
  expect(proxySecrets({ http: 'u:hunter22@proxy' })).toContain('hunter22')
})

test('a proxy is used for http and https, not for loopback, and not for hosts that are excepted', async () => {
  const seen: string[] = []
  const proxy = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`)
    response.setHeader('content-type', 'application/json')
    response.end('{"data":[]}')
  })
  proxy.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const { port } = proxy.address() as AddressInfo
  const address = { http: `http://user:pa55word@127.0.0.1:${port}`, no: 'excepted.invalid' }
  const basic = `Basic ${Buffer.from('user:pa55word').toString('base64')}`

  expect(await startClient('http://service.invalid', { proxy: address }).jobs.list()).toEqual([])
  expect(seen).toEqual([`GET http://service.invalid/api/v1/jobs ${basic}`])

  const tunnel = startClient('https://service.invalid', { proxy: address, retries: 0 })
  const refused = await expectApiError(tunnel.jobs.list(), 'API_NETWORK')
  expect(everythingOf(refused)).not.toContain('pa55word')
  expect(seen[1]).toBe('CONNECT service.invalid:443')

  const server = await startServer((_, response) => sendData(response, []))
  await startClient(server.url, { proxy: address }).jobs.list()
  await expectApiError(
    startClient('http://excepted.invalid', { proxy: address, retries: 0 }).jobs.list(),
    'API_NETWORK',
  )
  expect(seen).toHaveLength(2)
})
