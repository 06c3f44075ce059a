/** What changes a fingerprint, what does not, and what it costs. */
import { describe, expect, test } from 'vitest'
import { createClient } from '../../../src/api/client.ts'
import type { LocalizationOptions as Options } from '../../../src/config/options.ts'
import { loadConfig } from '../../../src/config/resolve.ts'
import { fingerprintOf } from '../../../src/sources/fingerprint.ts'
import { whenOver } from '../../helpers/closing.ts'
import { createProject, startService } from '../../helpers/service.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { startServer } from '../../helpers/throwaway-server.ts'

type Service = Parameters<typeof startService>[0]

/** A project, and the fingerprint of a configuration in a folder of its own each time. */
async function start(options: Service = {}) {
  const requests: string[] = []
  const service = await startService({
    languages: ['de'],
    ...options,
    onRequest: ({ method, path }) => requests.push(`${method} ${path}`),
  })
  const project = await createProject(service)
  const { baseUrl, cdnUrl } = service
  const { apiKey, projectToken } = project
  const fingerprint = async (given: Options = {}, credentials: object = { apiKey }) => {
    const service = { baseUrl, cdnUrl, ...credentials, retries: 0 }
    const config = await loadConfig({
      root: await tempFolder(),
      configFile: false,
      env: {},
      options: { environment: '_latest', ...given, service: { ...service, ...given.service } },
    })
    const client = createClient({ ...config.service, apiKey: config.service.apiKey })
    whenOver(() => client.close())
    return (await fingerprintOf(config, async () => client)).fingerprint
  }
  const set = (text: string, more: object = {}) =>
    project.api('PATCH', '/api/v2/translations', { key: 'title', language: 'en', text, ...more })
  return { ...project, service, requests, fingerprint, set, publicFiles: { projectToken } }
}

const hosting = { source: 'hosting' } as const
const texts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, `text ${i}`]))

describe('hosting', () => {
  test('changes with the published content, and only with it', async () => {
    const { fingerprint, requests, ...project } = await start({ customers: ['acme'], environments: ['_production'] })
    await project.import({ en: { title: 'Cart', hint: 'Go' }, de: { title: 'Korb' } })
    await project.import({ en: { title: 'Shop' } }, 'uploadFormat=multi-language-json&namespace=shop')
    await project.publish()
    requests.length = 0
    const first = await fingerprint(hosting)
    expect(requests).toHaveLength(2)
    expect(first).toMatch(/^[0-9a-f]{32}$/)

    // Another publish of the same texts, at another time. An unpublished text.
    await project.publish()
    expect(await fingerprint(hosting)).toBe(first)
    await project.set('Bag')
    expect(await fingerprint(hosting)).toBe(first)
    const seen = new Set([first])
    const expectNew = async () => {
      await project.publish()
      const next = await fingerprint(hosting)
      expect(seen).not.toContain(next)
      expect(await fingerprint(hosting)).toBe(next)
      seen.add(next)
    }
    await expectNew()
    // The same size, of a key that another namespace has too.
    await project.set('Shed', { namespace: 'shop' })
    await expectNew()
    await project.set('Acme', { customerId: 'acme' })
    await expectNew()
    await project.import({ en: { about: 'About' } }, 'uploadFormat=multi-language-json&namespace=new')
    await expectNew()
    await project.import({ fr: {} })
    await expectNew()
    await project.api('DELETE', '/api/v1/translation-keys?key=hint')
    await expectNew()
    // Back to earlier texts.
    await project.set('Cart')
    await project.publish()
    const cart = await fingerprint(hosting)
    await project.set('Bag')
    await project.publish()
    expect(seen).toContain(await fingerprint(hosting))
    expect(seen).not.toContain(cart)
  })

  test('depends on the options that select texts, not on credentials', async () => {
    const { fingerprint, ...project } = await start()
    await project.import({ en: { title: 'Cart' } })
    await project.publish()
    const first = await fingerprint(hosting)
    const projectToken = project.projectToken
    expect(await fingerprint(hosting, { apiKey: project.apiKey, projectToken, personalToken: 'other' })).toBe(first)
    expect(await fingerprint({ ...hosting, service: { timeoutMs: 5000 }, report: false })).toBe(first)
    const options: Options[] = [
      { languages: ['en'] },
      { namespaces: ['shop'] },
      { customers: ['acme'] },
      { languageMap: { en: 'en-GB' } },
      { defaultLanguage: 'de' },
    ]
    const others = await Promise.all(options.map((option) => fingerprint({ ...hosting, ...option })))
    expect(new Set([first, ...others]).size).toBe(options.length + 1)
  })

  test('without an API key: the public files', async () => {
    const { fingerprint, requests, publicFiles, ...project } = await start()
    await expect(fingerprint(hosting, publicFiles)).rejects.toMatchObject({ code: 'API_NOT_FOUND' })
    await project.import({ en: { title: 'Cart' } })
    await project.publish()
    requests.length = 0
    const first = await fingerprint(hosting, publicFiles)
    expect(requests.map((request) => request.replace(/\S+\//, ''))).toEqual(['GET _languages', 'HEAD _index'])
    await project.publish()
    expect(await fingerprint(hosting, publicFiles)).toBe(first)
    await project.set('Bags')
    await project.publish()
    expect(await fingerprint(hosting, publicFiles)).not.toBe(first)
    for (const option of [{ namespaces: ['shop'] }, { customers: ['acme'] }]) {
      await expect(fingerprint({ ...hosting, ...option }, publicFiles)).rejects.toMatchObject({
        code: 'FINGERPRINT_UNKNOWN',
        message: expect.stringContaining('LOCALIZATION_API_KEY'),
      })
    }
  })

  test.each([
    ['no ETag', {}],
    ['weak ETag W/"a"', { etag: 'W/"a"' }],
  ])('without an API key, %s', async (reason, headers) => {
    const { fingerprint } = await start()
    const { url } = await startServer(({ path }, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers })
      response.end(path.endsWith('/_languages') ? '[{"key":"en","name":"English","isDefault":true}]' : '{}')
    })
    const publicFiles = { projectToken: 'token', cdnUrl: url }
    await expect(fingerprint(hosting, publicFiles)).rejects.toMatchObject({
      code: 'FINGERPRINT_UNKNOWN',
      message: expect.stringContaining(reason),
    })
  })

  test('of a service without the digest: the time of publishing, ten seconds later', async () => {
    let time = Date.parse('2026-01-01T12:00:00Z')
    const features = { publishedDigest: false }
    const { fingerprint, ...project } = await start({ features, now: () => time })
    await project.import({ en: { title: 'Cart' } })
    // Answers are dated by this machine's clock.
    time = Date.now()
    await project.publish()
    await expect(fingerprint(hosting)).rejects.toMatchObject({
      code: 'FINGERPRINT_UNKNOWN',
      message: expect.stringContaining('less than 10 seconds ago'),
    })
    time -= 60_000
    await project.publish()
    const first = await fingerprint(hosting)
    expect(await fingerprint(hosting)).toBe(first)
    time += 1
    await project.publish()
    expect(await fingerprint(hosting)).not.toBe(first)
  })
})

describe.each(['export', 'query'] as const)('%s', (source) => {
  test('changes with a text, a key, a language and a customer, and with nothing else', async () => {
    const { fingerprint, ...project } = await start({ customers: ['acme'] })
    await project.import({ en: { title: 'Cart', hint: 'Go' }, de: { title: 'Korb' } })
    const first = await fingerprint({ source })
    // The same text again has a new time. A publish changes nothing here, and so does another customer.
    await project.set('Cart')
    await project.publish()
    await project.set('Acme', { customerId: 'acme' })
    expect(await fingerprint({ source })).toBe(first)

    const seen = new Set([first])
    const expectNew = async (given: Options = {}) => {
      const next = await fingerprint({ source, ...given })
      expect(seen).not.toContain(next)
      seen.add(next)
    }
    await project.set('Bags')
    await expectNew()
    await project.api('DELETE', '/api/v1/translation-keys?key=hint')
    await expectNew()
    await project.import({ en: { title: 'Shop' } }, 'uploadFormat=multi-language-json&namespace=shop')
    await expectNew()
    await project.import({ fr: {} })
    await expectNew()
    await expectNew({ customers: ['acme'] })
    await project.set('Acme Inc.', { customerId: 'acme' })
    await expectNew({ customers: ['acme'] })
  })

  test('sees one of many texts, in the same tick, on a service without totals', async () => {
    const { fingerprint, ...project } = await start({ features: { pageDetails: false }, now: () => 1e12 })
    await project.import({ en: texts(600) })
    const first = await fingerprint({ source })
    expect(await fingerprint({ source })).toBe(first)
    await project.set('other', { key: 'k300' })
    expect(await fingerprint({ source })).not.toBe(first)
  })
})

test('reviewed texts', async () => {
  const { fingerprint, ...project } = await start()
  await project.import({ en: { title: 'Cart' } })
  const options = { source: 'query', reviewed: true } as const
  const first = await fingerprint(options)
  await project.set('Bags')
  expect(await fingerprint(options)).toBe(first)
  await project.set('Bags', { reviewStatus: 'REVIEWED' })
  expect(await fingerprint(options)).not.toBe(first)
})

test('files', async () => {
  const { fingerprint, requests } = await start()
  requests.length = 0
  await expect(fingerprint({ source: 'files' })).rejects.toMatchObject({ code: 'FINGERPRINT_UNKNOWN' })
  expect(requests).toEqual([])
})

test.each([
  [401, 'API_AUTHENTICATION'],
  [403, 'API_AUTHENTICATION'],
  [404, 'API_NOT_FOUND'],
  [429, 'API_RATE_LIMIT'],
  [500, 'API_SERVER'],
])('an answer of %d', async (status, code) => {
  const { fingerprint } = await start()
  const { url: baseUrl } = await startServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '100' }).end('{}')
  })
  for (const source of ['hosting', 'export'] as const) {
    await expect(fingerprint({ source, service: { baseUrl } })).rejects.toMatchObject({ code })
  }
})

test('no answer', async () => {
  const { fingerprint } = await start()
  const { url: baseUrl } = await startServer(() => {})
  await expect(fingerprint({ ...hosting, service: { baseUrl, timeoutMs: 200 } })).rejects.toMatchObject({
    code: 'API_TIMEOUT',
  })
})
