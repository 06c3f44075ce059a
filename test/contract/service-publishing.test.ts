/** Contract: Publishing and environments, Environment status, Resource. Facts: Hosting. */
import { request as httpRequest } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { holdFirstPublish } from '../helpers/held-publish.ts'
import { createProject, DRIVERS, request, shareService } from '../helpers/service.ts'

const SINGLE = 'uploadFormat=single-language-json'

describe.each(DRIVERS)('publishing on %s', (driver) => {
  const setUp = async (options = {}) => {
    const service = await shareService({ driver, customers: ['acme'], environments: ['staging', 'qa'], ...options })
    const project = await createProject(service)
    return { service, project }
  }

  test('Publish answers success; Environment status has every field', async () => {
    const { project } = await setUp()
    await project.import({ en: { a: 'A', b: 'B' }, pl: { a: 'Ą', b: '' } })
    await project.import({ a: 'N' }, `${SINGLE}&languageKey=en&namespace=views/settings`)
    await project.import({ a: 'for acme' }, `${SINGLE}&languageKey=pl&customerId=acme`)
    const published = await project.publish()
    expect(published).toMatchObject({ status: 200, body: { msg: 'OK', status: 200 } })
    const { body } = await project.api('GET', '/api/v2/environments/_latest', undefined, { accept: 'application/json' })
    const base = `${project.projectToken}/_latest`
    expect(body).toEqual({
      msg: 'OK',
      status: 200,
      data: {
        numberOfKeys: 3,
        numberOfLanguages: 2,
        numberOfNonEmptyTranslations: 5,
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        resources: [
          // An index resource carries only link and size.
          { link: `${base}/_index`, size: expect.any(Number) },
          { link: `${base}/en/`, size: 17, language: 'en', namespace: '' },
          { link: `${base}/en/views%2Fsettings`, size: 9, language: 'en', namespace: 'views/settings' },
          { link: `${base}/pl/`, size: 17, language: 'pl', namespace: '' },
          { link: `${base}/pl_acme/`, size: 16, language: 'pl', namespace: '', customer: 'acme' },
        ],
      },
    })
  })

  test('Resource link and size: {cdn_url}/ followed by the link is the file, of that many bytes', async () => {
    const { service, project } = await setUp()
    await project.import({ en: { a: 'A' }, pl: { a: 'Ą' } })
    await project.import(
      { n: 'N' },
      `${SINGLE}&languageKey=en&namespace=odd %/?#&ns`.replace('odd %/?#&ns', encodeURIComponent('odd %/?#&ns')),
    )
    await project.publish()
    const { resources } = (await project.get('/api/v2/environments/_latest')).body.data
    const contents = []
    for (const { link, size } of resources) {
      const file = await request(`${service.cdnUrl}/${link}`)
      expect(file.status).toBe(200)
      expect(Buffer.byteLength(file.text)).toBe(size)
      contents.push(file.body)
    }
    expect(contents).toEqual([{ en: { a: 'A', n: 'N' }, pl: { a: 'Ą' } }, { a: 'A' }, { n: 'N' }, { a: 'Ą' }])
  })

  test('hosting: _index, _languages, _customers, {language}, {language}/{namespace}, {language}_{customer}', async () => {
    const { project } = await setUp()
    await project.import({ en: { a: 'A', both: 'default' }, pl: {} })
    await project.import({ b: 'B', both: 'other' }, `${SINGLE}&languageKey=en&namespace=views/settings`)
    await project.import({ a: 'A for acme' }, `${SINGLE}&languageKey=en&customerId=acme`)
    await project.import({ b: 'B for acme' }, `${SINGLE}&languageKey=en&customerId=acme&namespace=views/settings`)
    await project.publish()
    const hosted = async (path: string) => (await project.hosted(path)).body
    expect(await hosted('_index')).toEqual({ en: { a: 'A', b: 'B', both: 'default' }, pl: {} })
    expect(await hosted('_languages')).toEqual([
      { key: 'en', name: 'English', isDefault: true },
      { key: 'pl', name: 'Polish', isDefault: false },
    ])
    expect(await hosted('_customers')).toEqual([{ key: 'acme', description: '' }])
    expect(await hosted('en')).toEqual({ a: 'A', b: 'B', both: 'default' })
    expect(await hosted('en/')).toEqual({ a: 'A', both: 'default' })
    expect(await hosted('en/views%2Fsettings')).toEqual({ b: 'B', both: 'other' })
    expect(await hosted('en/views/settings')).toEqual({ b: 'B', both: 'other' })
    expect(await hosted('%65n/views%2fsettings')).toEqual({ b: 'B', both: 'other' })
    expect(await hosted('pl')).toEqual({})
    expect(await hosted('en_acme')).toEqual({ a: 'A for acme', b: 'B for acme' })
    expect(await hosted('en_acme/views/settings')).toEqual({ b: 'B for acme' })
    for (const missing of ['de', 'pl/', 'en/nothing', 'pl_acme', '../_latest/xx', '']) {
      expect((await project.hosted(missing)).status, missing).toBe(404)
    }
  })

  test("hosting: a language whose key looks like another one's with a customer keeps its address", async () => {
    const { service, project } = await setUp({ customers: ['BR', 'x_BR'] })
    await project.import({ pt: { a: 'general' }, pt_x: { a: 'x' }, pt_x_BR: { a: 'Brazil' } })
    await project.import({ a: 'for BR' }, `${SINGLE}&languageKey=pt_x&customerId=BR`)
    await project.import({ a: 'for x_BR' }, `${SINGLE}&languageKey=pt&customerId=x_BR`)
    await project.publish()
    expect((await project.hosted('pt_x_BR')).body).toEqual({ a: 'Brazil' })
    const { resources } = (await project.get('/api/v2/environments/_latest')).body.data
    const customers = resources.filter(({ customer }: { customer?: string }) => customer !== undefined)
    const texts = customers.map(async ({ link }: { link: string }) => (await request(`${service.cdnUrl}/${link}`)).body)
    expect(await Promise.all(texts)).toEqual([{ a: 'for BR' }, { a: 'for x_BR' }])
  })

  test('before the first publish everything is 404', async () => {
    const { project } = await setUp()
    await project.import({ en: { a: 'A' } })
    expect(await project.get('/api/v2/environments/_latest')).toMatchObject({
      status: 404,
      body: { code: 'NOT_PUBLISHED' },
    })
    expect((await project.hosted('_index')).status).toBe(404)
  })

  test('what is published stays as it was until the next publish', async () => {
    const { project } = await setUp()
    await project.import({ en: { a: 'A', b: 'B' } })
    await project.publish()
    await project.api('PATCH', '/api/v2/translations', { key: 'a', language: 'en', text: 'A2' })
    await project.api('DELETE', '/api/v1/translation-keys?key=b')
    expect((await project.hosted('en')).body).toEqual({ a: 'A', b: 'B' })
    await project.publish()
    expect((await project.hosted('en')).body).toEqual({ a: 'A2' })
    expect((await project.get('/api/v2/environments/_latest')).body.data.numberOfKeys).toBe(1)
  })

  test('sources: _latest from the editor, _production from _latest, a custom one from the one before it', async () => {
    const { project } = await setUp()
    const text = async (environment: string) => (await project.hosted('en', environment)).body.a
    const edit = (value: string) =>
      project.import(
        { en: { a: value } },
        'uploadFormat=multi-language-json&importOptions=REPLACE_TRANSLATION_IF_FOUND',
      )
    await edit('one')
    // Nothing to publish from yet.
    for (const environment of ['_production', 'staging', 'qa']) {
      expect((await project.publish(environment)).status).toBe(400)
    }
    await project.publish('_latest')
    expect((await project.publish('qa')).status).toBe(400)
    expect((await project.publish('staging')).status).toBe(200)
    await edit('two')
    await project.publish('_latest')
    expect((await project.publish('qa')).status).toBe(200)
    expect((await project.publish('_production')).status).toBe(200)
    expect(await text('_latest')).toBe('two')
    expect(await text('staging')).toBe('one')
    expect(await text('qa')).toBe('one')
    expect(await text('_production')).toBe('two')
    await edit('three')
    await project.publish('_production')
    expect(await text('_production')).toBe('two')
    const { link } = (await project.get('/api/v2/environments/staging')).body.data.resources[0]
    expect(link).toBe(`${project.projectToken}/staging/_index`)
  })

  test('the order of environments can be given whole', async () => {
    const { project } = await setUp({ environments: ['_production', 'archive'] })
    await project.import({ en: { a: 'A' } })
    await project.publish('_latest')
    expect((await project.publish('archive')).status).toBe(400)
    await project.publish('_production')
    expect((await project.publish('archive')).status).toBe(200)
  })

  test('an unknown environment is 404', async () => {
    const { project } = await setUp()
    for (const key of ['nothing', '__proto__', encodeURIComponent('../x')]) {
      expect(await project.publish(key)).toMatchObject({ status: 404, body: { code: 'ENVIRONMENT_NOT_FOUND' } })
      expect((await project.get(`/api/v2/environments/${key}`)).status).toBe(404)
    }
  })

  test('one publish at a time: a second one gets an error while the first is running; other projects are free', async () => {
    const { duringPublish, started, end } = holdFirstPublish()
    const { service, project } = await setUp({ duringPublish })
    const other = await createProject(service)
    await project.import({ en: { a: 'A' } })
    const running = project.publish()
    await started()
    const second = await project.publish()
    expect(second.status).toBe(409)
    expect(second.body).toMatchObject({ status: 409, title: 'Conflict', code: 'PUBLISH_RUNNING' })
    expect((await project.publish('_production')).status).toBe(409)
    expect((await other.publish()).status).toBe(200)
    end()
    expect((await running).status).toBe(200)
    expect((await project.publish('_production')).status).toBe(200)
  })

  test('25 languages and 28 namespaces: 700 listed files, each with its texts', async () => {
    const { project } = await setUp()
    for (let n = 0; n < 28; n++) {
      const content = Object.fromEntries(
        Array.from({ length: 25 }, (_, l) => [`l${l}`, { [`k${n}`]: `text ${l} ${n}`, shared: `${l} ${n}` }]),
      )
      await project.import(content, `uploadFormat=multi-language-json&namespace=ns${n}`)
    }
    expect((await project.publish()).status).toBe(200)
    const { resources, numberOfNonEmptyTranslations } = (await project.get('/api/v2/environments/_latest')).body.data
    expect(numberOfNonEmptyTranslations).toBe(1400)
    expect(resources).toHaveLength(701)
    expect((await project.hosted('l24/ns27')).body).toEqual({ k27: 'text 24 27', shared: '24 27' })
    expect(Object.keys((await project.hosted('l3')).body)).toHaveLength(29)
  })

  test('ETag, 304, Cache-Control, compression, CORS', async () => {
    const { service, project } = await setUp()
    await project.import({ en: { a: 'A'.repeat(1000) } })
    await project.publish()
    await project.publish('_production')
    const first = await project.hosted('en')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect(first.headers.get('access-control-allow-origin')).toBe('*')
    expect(first.headers.get('content-type')).toMatch('application/json')
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const cached = (await project.hosted('en', '_production')).headers.get('cache-control')
    expect(cached).toBe('public, max-age=3600, stale-while-revalidate=300')

    const unchanged = await project.hosted('en', '_latest', { 'if-none-match': etag })
    expect(unchanged).toMatchObject({ status: 304, text: '' })
    expect(unchanged.headers.get('etag')).toBe(etag)
    expect((await project.hosted('en', '_latest', { 'if-none-match': `"x", W/${etag}` })).status).toBe(304)
    expect((await project.hosted('en', '_latest', { 'if-none-match': '"x"' })).status).toBe(200)
    await project.publish()
    expect((await project.hosted('en', '_latest', { 'if-none-match': etag })).status).toBe(304)
    await project.api('PATCH', '/api/v2/translations', { key: 'a', language: 'en', text: 'new' })
    await project.publish()
    expect(await project.hosted('en', '_latest', { 'if-none-match': etag })).toMatchObject({
      status: 200,
      body: { a: 'new' },
    })

    const raw = (headers: Record<string, string>) =>
      new Promise<{ encoding: string | undefined; bytes: Buffer }>((resolve, reject) => {
        httpRequest(`${service.cdnUrl}/${project.projectToken}/_production/en`, { headers }, (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk) => chunks.push(chunk))
          answer.on('end', () =>
            resolve({ encoding: answer.headers['content-encoding'], bytes: Buffer.concat(chunks) }),
          )
        })
          .on('error', reject)
          .end()
      })
    const zipped = await raw({ 'accept-encoding': 'br, gzip;q=0.5' })
    expect(zipped.encoding).toBe('gzip')
    expect(zipped.bytes.length).toBeLessThan(200)
    expect(JSON.parse(gunzipSync(zipped.bytes).toString())).toEqual({ a: 'A'.repeat(1000) })
    for (const headers of [{}, { 'accept-encoding': 'gzip;q=0' }, { 'accept-encoding': 'br' }] as Record<
      string,
      string
    >[]) {
      const plain = await raw(headers)
      expect(plain.encoding).toBe(undefined)
      expect(JSON.parse(plain.bytes.toString())).toEqual({ a: 'A'.repeat(1000) })
    }

    const preflight = await request(`${service.cdnUrl}/${project.projectToken}/_latest/en`, {
      method: 'OPTIONS',
      headers: { origin: 'http://app.example', 'access-control-request-method': 'GET' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect((await request(`${service.cdnUrl}/${project.projectToken}/_latest/en`, { method: 'HEAD' })).text).toBe('')
    // The API is for servers: a page elsewhere cannot call it.
    expect((await project.get('/api/v1/jobs')).headers.get('access-control-allow-origin')).toBe(null)
  })

  test('hosting needs no credentials, and shows one project only by its token', async () => {
    const { service, project } = await setUp()
    await project.import({ en: { a: 'A' } })
    await project.publish()
    expect((await request(`${service.cdnUrl}/${project.projectToken}/_latest/en`)).status).toBe(200)
    for (const token of ['', 'x', project.apiKey]) {
      expect((await request(`${service.cdnUrl}/${token}/_latest/en`)).status).toBe(404)
    }
  })
})
