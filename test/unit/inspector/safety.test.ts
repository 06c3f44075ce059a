/** Who is answered, and what is written: other sites, foreign names and paths outside the patterns get nothing. */
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { createServer, get } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { type AskedBy, createInspector, refusalOf } from '../../../src/inspector/handler.ts'
import { type AskOptions, startInspector, type TestInspector } from '../../helpers/inspector.ts'
import { startProject } from '../../helpers/project.ts'
import { type Tree, tempFolder, writeTree } from '../../helpers/temp.ts'
import { listen } from '../../helpers/throwaway-server.ts'

const FILES = { 'locales/en/common.json': { title: 'Title' }, 'locales/de/common.json': { title: 'Titel' } }

const start = (more: Tree = {}) => startProject({ files: { ...FILES, ...more }, inspector: true })

const editOf = (ref: object, text = 'changed', expected?: string) => ({ ref, text, expected })
const TITLE = { language: 'de', namespace: 'common', key: 'title' }

describe('who asks', () => {
  const askers: [string, (inspector: TestInspector) => AskOptions][] = [
    ['without the token', ({ origin }) => ({ headers: { origin } })],
    ['with a wrong token', ({ origin, token }) => ({ headers: { origin, 'x-localization-token': `${token}x` } })],
    [
      'from another origin',
      ({ token }) => ({ headers: { origin: 'http://localhost:1', 'x-localization-token': token } }),
    ],
    ['from a page without an origin', ({ token }) => ({ headers: { origin: 'null', 'x-localization-token': token } })],
    [
      'under a foreign name (DNS rebinding)',
      ({ origin, token }) => {
        const host = `rebound.example:${new URL(origin).port}`
        return { headers: { host, origin: `http://${host}`, 'x-localization-token': token } }
      },
    ],
    [
      'by its name with another one in front',
      ({ origin, token }) => {
        const host = `localhost.rebound.example:${new URL(origin).port}`
        return { headers: { host, origin: `http://${host}`, 'x-localization-token': token } }
      },
    ],
    [
      'from another site, says the browser',
      ({ origin, token }) => ({ headers: { origin, 'sec-fetch-site': 'same-site', 'x-localization-token': token } }),
    ],
    [
      'through a proxy that passes requests of others on',
      ({ origin, token }) => ({ headers: { origin, 'x-forwarded-for': '192.0.2.1', 'x-localization-token': token } }),
    ],
  ]

  test.each(askers)('%s: nothing is shown or written', async (_, options) => {
    const { root, inspector } = await start()
    const { headers = {} } = options(inspector)
    for (const path of ['overview', 'rows', 'sync', 'log', 'events', 'projects', 'key?namespace=common&key=title']) {
      const answer = await inspector.ask(`/__localization/api/${path}`, { headers })
      expect(answer, path).toMatchObject({ status: 403 })
      expect(answer.text).not.toContain('Titel')
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    }
    const written = await inspector.ask('/__localization/api/edit', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(editOf(TITLE, 'changed', 'Titel')),
    })
    expect(written.status).toBe(403)
    expect(await readFile(join(root, 'locales/de/common.json'), 'utf8')).toContain('Titel')
  })

  test('an edit without an origin is refused, and one of the page goes through', async () => {
    const { root, inspector } = await start()
    const headers = { 'content-type': 'application/json', 'x-localization-token': inspector.token }
    const body = JSON.stringify(editOf(TITLE, 'changed', 'Titel'))
    const refused = await inspector.ask('/__localization/api/edit', { method: 'POST', headers, body })
    expect(refused).toMatchObject({ status: 403, json: { error: 'the request has no Origin header' } })
    expect(await inspector.post('edit', editOf(TITLE, 'changed', 'Titel'))).toMatchObject({
      status: 200,
      json: { done: 1, problems: [] },
    })
    expect(JSON.parse(await readFile(join(root, 'locales/de/common.json'), 'utf8'))).toEqual({ title: 'changed' })
  })

  test('the page is for people who go there, not for frames and scripts of other sites', async () => {
    const { inspector } = await start()
    const open = (headers: Record<string, string>) => inspector.ask('/__localization/', { headers })
    expect((await open({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status).toBe(200)
    expect((await open({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).status).toBe(403)
    expect((await open({ 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' })).status).toBe(403)
    expect((await open({ host: 'rebound.example' })).status).toBe(403)
    const { headers } = await open({})
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(/script-src 'self'.*frame-ancestors 'none'/),
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  test('each start has a token of its own', async () => {
    const [{ inspector: a }, { inspector: b }] = [await start(), await start()]
    expect(a.token).toMatch(/^[\w-]{32}$/)
    expect(a.token).not.toBe(b.token)
  })

  const rules = { token: 'token', hosts: ['dev.example', '.box.example'], network: false }
  const by = (host: string, remoteAddress = '127.0.0.1', more = {}): AskedBy => ({
    method: 'GET',
    headers: { host, 'x-localization-token': 'token', ...more },
    socket: { remoteAddress },
  })
  test.each([
    'localhost:5173',
    'app.localhost',
    '127.0.0.1:80',
    '127.8.0.1',
    '[::1]:5173',
    'dev.example:443',
    'x.box.example',
    'LOCALHOST',
  ])('%s is a name of this machine', (host) => {
    expect(refusalOf('data', by(host), rules)).toBeUndefined()
    expect(refusalOf('data', by(host, '::ffff:127.0.0.1'), rules)).toBeUndefined()
  })
  test.each([
    '',
    'example.com',
    'localhost.example.com',
    'notlocalhost',
    'box.example.com',
    'evil-dev.example',
    '192.168.1.5',
    '127.0.0.1@example.com',
    'example.com/localhost',
    'localhost#',
  ])('%j is none', (host) => {
    expect(refusalOf('data', by(host), rules)).toMatch(/not available under the host name/)
  })
  test('other machines are answered only where that was asked for, and then by an address', () => {
    expect(refusalOf('data', by('localhost', '192.168.1.7'), rules)).toMatch(/only to this machine/)
    const network = { ...rules, network: true }
    expect(refusalOf('data', by('192.168.1.5:5173', '192.168.1.7'), network)).toBeUndefined()
    expect(refusalOf('data', by('[fe80::1]:5173', 'fe80::2'), network)).toBeUndefined()
    expect(refusalOf('data', by('rebound.example', '192.168.1.7'), network)).toMatch(
      /not available under the host name/,
    )
  })
})

describe('what is written', () => {
  const NAMES = ['../../outside', '..', '/etc/passwd', 'de/../../../outside', 'CON', 'de\u0000', '', 'xx']
  test.each(NAMES)('no file for the language %j', async (language) => {
    const { root, inspector } = await start()
    const before = await tree(root)
    const answer = await inspector.post('edit', editOf({ ...TITLE, language }, 'changed'))
    expect(answer.status === 400 || answer.json.done === 0, answer.text).toBe(true)
    expect(await tree(root)).toEqual(before)
  })
  test.each(NAMES)('no file for the namespace %j, nor for a customer of that name', async (name) => {
    const { root, inspector } = await start()
    const before = await tree(root)
    for (const ref of [
      { ...TITLE, namespace: name },
      { ...TITLE, customer: name },
    ]) {
      const answer = await inspector.post('edit', editOf(ref, 'changed'))
      expect(answer.status === 400 || answer.json.done === 0, answer.text).toBe(true)
    }
    expect(await tree(root)).toEqual(before)
  })

  test('the engine itself keeps names inside the patterns, whoever asks', async () => {
    const outer = await tempFolder()
    const root = join(outer, 'one', 'two')
    await writeTree(root, { 'locales/en/common.json': { title: 'Title' } })
    const { engine } = await startInspector({ root })
    for (const language of ['../../outside', '..', '/etc']) {
      await engine.edit([{ ref: { ...TITLE, language }, text: 'x', expected: undefined }]).catch(() => undefined)
    }
    for (const path of await tree(outer)) expect(path.startsWith(join(outer, 'one'))).toBe(true)
    for (const path of await tree(join(outer, 'one'))) expect(path.startsWith(root)).toBe(true)
    for (const path of await tree(root)) expect(path).toMatch(/\/two\/(?:locales|package\.json)/)
  })

  test('a folder that links out of the patterns is not written to', async () => {
    const { root } = await startProject({ files: { ...FILES, 'locales/en/more.json': { title: 'Title' } } })
    const outside = await tempFolder()
    await mkdir(join(root, 'locales'), { recursive: true })
    await symlink(outside, join(root, 'locales/pl'))
    const inspector = await startInspector({ root, options: { languages: ['en', 'de', 'pl'] } })
    await expect(
      inspector.engine.edit([{ ref: { ...TITLE, language: 'pl' }, text: 'x', expected: undefined }]),
    ).rejects.toMatchObject({ code: 'FILE_WRITE', message: expect.stringMatching(/outside the folders/) })
    expect(await readdir(outside)).toEqual([])
  })

  test('what the person did not see is not written over', async () => {
    const { root, inspector } = await start()
    await writeTree(root, { 'locales/de/common.json': { title: 'Titel 2' } })
    const answer = await inspector.post('edit', editOf(TITLE, 'changed', 'Titel'))
    expect(answer.json).toMatchObject({ done: 0, problems: [expect.stringMatching(/changed it in the meantime/)] })
    expect(await readFile(join(root, 'locales/de/common.json'), 'utf8')).toContain('Titel 2')
  })

  test('bodies have a limit and a shape', async () => {
    const { inspector } = await start()
    expect((await inspector.post('edit', { ref: TITLE, text: 'x'.repeat(70_000) })).status).toBe(400)
    expect((await inspector.post('edit', { ref: { ...TITLE, more: 1 }, text: '' })).status).toBe(400)
    expect((await inspector.post('trace', { texts: ['x'.repeat(5_000_000)], loaded: [] })).status).toBe(413)
    const { origin, token } = inspector
    const headers = { origin, 'x-localization-token': token }
    const post = (body: string, type: string) =>
      inspector.ask('/__localization/api/push', { method: 'POST', headers: { ...headers, 'content-type': type }, body })
    expect((await post('{}', 'text/plain')).status).toBe(415)
    expect((await post('{', 'application/json')).status).toBe(400)
    expect((await inspector.ask('/__localization/api/push', { headers })).status).toBe(405)
    expect((await inspector.get('constructor')).status).toBe(404)
    expect((await inspector.get('__proto__')).status).toBe(404)
  })
})

test('no path leads to another file than the page has', async () => {
  const { inspector } = await start({ 'secret.json': { secret: 'canary' } })
  for (const path of [
    '/../secret.json',
    '/..%2fsecret.json',
    '/%2e%2e/secret.json',
    '/../../etc/passwd',
    '/constructor',
  ]) {
    const answer = await inspector.ask(`/__localization${path}`)
    expect(answer.status, path).toBe(404)
    expect(answer.text).not.toContain('canary')
  }
  expect(await inspector.ask('/__localizations')).toMatchObject({ text: 'not the inspector' })
  expect(await inspector.ask('/__localization?x')).toMatchObject({ status: 302 })
})

test('the API key is in no answer, whatever fails', async () => {
  vi.stubEnv('CI', '')
  const { inspector, ...service } = await startProject({ files: FILES, service: { alone: true }, inspector: true })
  await service.close()
  const answers = [
    await inspector.ask('/__localization/'),
    ...(await Promise.all(
      ['overview', 'rows', 'sync', 'log', 'jobs', 'environments', 'projects'].map((path) => inspector.get(path)),
    )),
    await inspector.post('push', {}),
    await inspector.post('refresh', {}),
    await inspector.post('publish', { environment: '_latest' }),
    await inspector.post('translate', { languages: ['de'], provider: 'PROVIDER_A', replace: false }),
  ]
  for (const { text } of answers) expect(text).not.toContain(service.apiKey)
  expect(answers.some(({ status }) => status >= 400)).toBe(true)
  vi.unstubAllEnvs()
})

/** Every file and folder, but for the ones that are no concern of the inspector's. */
async function tree(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .map(({ parentPath, name }) => `${parentPath}/${name}`)
    .filter((path) => !/\.localization|inspector-page/.test(path))
    .sort()
}

test('an address that begins as the pages do and leads out of them is not found', async () => {
  const { inspector } = await start()
  for (const path of ['/__localization/../main.js', '/__localization/%2e%2e/main.js', '/__localization/api/../../x']) {
    expect((await inspector.ask(path)).status, path).toBe(404)
    expect((await inspector.ask(path)).text, path).not.toContain('not the inspector')
  }
  expect((await inspector.ask('/__localizations')).text).toBe('not the inspector')
  expect((await inspector.get('overview')).status).toBe(200)
})

describe('new keys', () => {
  const create = (more: object = {}) => ({
    namespace: 'common',
    key: 'fresh',
    texts: [{ language: 'en', text: 'Fresh' }],
    ...more,
  })

  test('are written into the files of the named languages, and into no others', async () => {
    const { root, inspector } = await start()
    const both = [
      { language: 'en', text: 'Fresh' },
      { language: 'de', text: 'Frisch' },
    ]
    expect((await inspector.post('create', create({ texts: both }))).json).toEqual({ done: 2, problems: [] })
    const inFile = async (path: string) => JSON.parse(await readFile(join(root, path), 'utf8'))
    expect(await inFile('locales/en/common.json')).toEqual({ title: 'Title', fresh: 'Fresh' })
    expect(await inFile('locales/de/common.json')).toEqual({ title: 'Titel', fresh: 'Frisch' })
  })

  const refused: [string, object][] = [
    ['a key that is there', { key: 'title' }],
    ['a namespace that is not there', { namespace: '../../outside' }],
    ['a language that is not there', { texts: [{ language: '../fr', text: 'x' }] }],
    ['a key with a line break', { key: 'a\nb' }],
    ['a key of spaces', { key: '  ' }],
    ['no text', { texts: [] }],
  ]
  test.each(refused)('%s: nothing is written', async (_, more) => {
    const { root, inspector } = await start()
    const { status, json } = await inspector.post('create', create(more))
    expect(status === 400 || json.done === 0).toBe(true)
    expect(JSON.parse(await readFile(join(root, 'locales/en/common.json'), 'utf8'))).toEqual({ title: 'Title' })
    expect((await readdir(join(root, 'locales'))).sort()).toEqual(['de', 'en'])
  })

  test("a text that the app's library refuses is not written", async () => {
    const { root, inspector } = await start({
      'package.json': { dependencies: { 'react-intl': '12' } },
      'locales/en/common.json': { title: 'Title' },
    })
    const { json } = await inspector.post('create', create({ texts: [{ language: 'en', text: '<b>{' }] }))
    expect(json).toMatchObject({ done: 0, problems: [expect.stringMatching(/^en "fresh" is not a valid ICU message/)] })
    expect(JSON.parse(await readFile(join(root, 'locales/en/common.json'), 'utf8'))).toEqual({ title: 'Title' })
  })

  test('a plural form that a language needs is written, and one that nobody needs is not', async () => {
    const { inspector } = await start({
      'locales/en/common.json': { title: 'Title', item_one: '{{count}} item', item_other: '{{count}} items' },
      'locales/pl/common.json': { item_one: '{{count}} rzecz', item_many: '{{count}} rzeczy' },
    })
    const form = (key: string) => editOf({ language: 'pl', namespace: 'common', key }, 'x')
    expect((await inspector.post('edit', form('item_few'))).json).toEqual({ done: 1, problems: [] })
    expect((await inspector.post('edit', form('other_few'))).json).toMatchObject({ done: 0 })
  })
})

test("source lines are shown only around a text that was asked for, and never the project's other files", async () => {
  const line = `const label = "${'x'.repeat(300)}"; show('Written by   hand'); const after = "${'y'.repeat(300)}"`
  const { inspector } = await start({
    'src/app.ts': `// first\n${line}\n`,
    'notes.txt': 'Written by hand',
    '.env': 'Written by hand',
    'node_modules/x/index.js': 'Written by hand',
  })
  const { json } = await inspector.get('literal?text=Written%20by%20hand')
  expect(json).toHaveLength(1)
  expect(json[0].place).toBe('src/app.ts:2:325')
  expect(json[0].line).toContain("show('Written by   hand')")
  expect(json[0].line.length).toBeLessThan(180)
  expect((await inspector.get('literal?text=x')).status).toBe(400)
})

test('a text is checked while it is typed, and nothing is written', async () => {
  const { root, inspector } = await start({
    'locales/en/common.json': { title: 'Hello, {name}, {n, plural, one {# file} other {# files}}' },
  })
  const check = async (text: string) => (await inspector.post('check', { ref: TITLE, text })).json
  expect(await check('{n, plural, one {# Datei} other {# Dateien}}')).toEqual({
    problems: [{ severity: 'error', message: '"title" lacks {name}' }],
    previews: [
      { example: 'n = 1', text: '1 Datei' },
      { example: 'n = 0', text: '0 Dateien' },
    ],
  })
  const { problems, previews } = await check('{name} {n, plural, one {')
  expect(problems[0].message).toMatch(/is not a valid ICU message/)
  expect(previews).toEqual([])
  expect(JSON.parse(await readFile(join(root, 'locales/de/common.json'), 'utf8'))).toEqual({ title: 'Titel' })
})

test('a page that leaves before its project is open gets no event stream', async () => {
  const listeners = new Set<object>()
  const activity = {
    subscribe(listener: object) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  let open = () => {}
  const isOpen = new Promise<void>((resolve) => {
    open = resolve
  })
  const inspector = createInspector({
    projects: async () => [],
    open: async () => {
      await isOpen
      return { activity } as never
    },
    access: { token: 'token', hosts: [], network: false },
  })
  const server = createServer()
  const port = await listen(server)
  const asked = once(server, 'request')
  const headers = { 'x-localization-token': 'token' }
  const page = get(`http://127.0.0.1:${port}/__localization/api/events`, { headers }).on('error', () => {})
  const [request, response] = await asked
  const handled = inspector.handle(request, response)
  page.destroy()
  await once(response, 'close')
  open()
  await handled
  expect(listeners.size).toBe(0)
})
