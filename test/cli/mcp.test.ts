/** `localization mcp`, called by the client of the Model Context Protocol's own SDK. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { builtPlugin, repository } from '../helpers/bundlers.ts'
import { secretsIn } from '../helpers/canary.ts'
import { startCli } from '../helpers/cli.ts'
import { whenOver } from '../helpers/closing.ts'
import { startVite } from '../helpers/dev-servers.ts'
import { bareEnvironment } from '../helpers/processes.ts'
import { startProject } from '../helpers/project.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = {
  'localization.config.mjs': "console.log('printed by the configuration')\nexport default { defaultLanguage: 'en' }\n",
  'locales/en/shop.json': {
    title: 'Your cart',
    greeting: 'Hello {name}, welcome',
    items: '{count, plural, one {# item} other {# items}}',
    old: 'Nobody shows this',
  },
  'locales/pl/shop.json': { title: 'Koszyk', greeting: 'Cześć {nome}' },
  'locales/de/shop.json': { title: 'Warenkorb', greeting: 'Hallo {name}, willkommen', items: '', old: 'Alt' },
  'src/app.js':
    "import { useTranslation } from 'react-i18next'\nexport function App() {\n  const { t } = useTranslation('shop')\n" +
    "  return t('title') + t('greeting') + t('items') + t('gone')\n}\nexport function B() {\n" +
    "  const { t } = useTranslation('shop')\n  return t('title')\n}\n",
}

const CLI = join(repository, 'dist/cli.js')

async function connect(cwd: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', ...args],
    cwd,
    env: bareEnvironment(cwd, env) as Record<string, string>,
    stderr: 'pipe',
  })
  let log = ''
  transport.stderr?.on('data', (chunk) => {
    log += chunk
  })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  whenOver(() => client.close())
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: given })
    const [{ text }] = content as [{ text: string }]
    expect(secretsIn(text)).toEqual([])
    return { isError, ...JSON.parse(text) }
  }
  return { client, call, log: () => log }
}

async function project(more: Readonly<Record<string, string | object>> = {}): Promise<string> {
  const folder = await tempFolder()
  await writeTree(folder, { ...FILES, ...more })
  return folder
}

test('an agent finds texts, keys, places and problems', async () => {
  const cwd = await project()
  const { client, call, log } = await connect(cwd)
  expect(client.getServerVersion()).toMatchObject({ name: 'localization', version: manifest.version })
  expect(client.getInstructions()).toContain('find_shown')
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).not.toContain('write_texts')
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
  expect(tools.find(({ name }) => name === 'find_shown')?.inputSchema).toMatchObject({ required: ['texts'] })
  await client.ping()

  // 1 and 2: by what a page shows, with filled placeholders and in the page's language.
  const shown = await call('find_shown', { texts: ['Hello Ann,  welcome', '3 items', 'no such text'] })
  expect(shown.texts.map(({ matches }: { matches: { key: string }[] }) => matches.map(({ key }) => key))).toEqual([
    ['greeting'],
    ['items'],
    [],
  ])
  const polish = await call('find_shown', { texts: ['Koszyk'], language: 'pl' })
  expect(polish.texts[0].matches).toEqual([
    { language: 'pl', namespace: 'shop', key: 'title', message: 'Koszyk', isExact: true },
  ])

  // 3 and 4: by words of a key or a text.
  expect(await call('find_keys', { search: 'WARENKORB' })).toMatchObject({
    total: 1,
    keys: [{ namespace: 'shop', key: 'title', text: 'Your cart', foundIn: ['de'] }],
  })
  expect(await call('find_keys', { search: 'e', limit: 1 })).toMatchObject({ total: 3, keys: [{ key: 'title' }] })

  // 5: everything about a key.
  const key = await call('show_key', { key: 'greeting' })
  expect(key).toMatchObject({ namespace: 'shop', key: 'greeting', judgement: 'key', usedAt: ['src/app.js:4:23'] })
  const texts = new Map(key.texts.map((text: { language: string }) => [text.language, text]))
  expect(texts.get('en')).toMatchObject({ at: 'locales/en/shop.json:3:3', findings: [] })
  expect(texts.get('pl')).toMatchObject({ text: 'Cześć {nome}', findings: [expect.stringContaining('nome')] })
  // 6: both places of the other one.
  expect((await call('show_key', { key: 'title' })).usedAt).toEqual(['src/app.js:4:10', 'src/app.js:8:10'])

  // 7 and 8: missing.
  expect(await call('missing_texts')).toMatchObject({ total: 3, defaultLanguage: 'en' })
  expect((await call('missing_texts', { language: ['de'] })).missing).toEqual([
    { language: 'de', namespace: 'shop', key: 'items', source: FILES['locales/en/shop.json'].items },
  ])
  // 9: unused, and used without a text.
  const keys = await call('check_keys')
  expect(keys.findings.map(({ rule, key: name }: { rule: string; key: string }) => [rule, name]).sort()).toEqual([
    ['missing-in-code', 'gone'],
    ['unused', 'old'],
  ])
  // 10: the checks of the texts.
  expect(await call('check_texts', { language: ['pl'] })).toMatchObject({ ok: false, languages: ['pl'] })
  // 11: what stands where.
  const state = await call('status', { offline: true })
  expect(state.languages.find(({ language }: { language: string }) => language === 'pl')).toMatchObject({
    texts: 2,
    translated: 2,
  })
  // 12: nothing is stale yet.
  expect(await call('stale_texts')).toMatchObject({ total: 0, stale: [] })
  expect(log()).toContain('printed by the configuration')
})

test('a plural form that a language does not use is not missing', async () => {
  const texts = { bags_one: '{{count}} bag', bags_other: '{{count}} bags' }
  const files = { 'locales/en/bag.json': texts, 'locales/ja/bag.json': { bags_other: '{{count}}袋' } }
  const { call } = await connect(await project(files))
  const { missing } = await call('missing_texts', { namespace: ['bag'] })
  expect(missing.map(({ language, key }: Record<string, string>) => `${language} ${key}`)).toEqual([
    'de bags_one',
    'de bags_other',
    'pl bags_one',
    'pl bags_other',
  ])
  const { languages } = await call('status', { offline: true, namespace: ['bag'] })
  expect(languages.find(({ language }: { language: string }) => language === 'ja')).toMatchObject({
    translated: 1,
    expected: 1,
  })
})

test('proposals are checked, and written only where the user asked for it', async () => {
  const cwd = await project()
  const texts = (pl: string) => [
    { language: 'en', key: 'greeting', text: 'Good day {name}', expected: 'Hello {name}, welcome' },
    { language: 'pl', key: 'greeting', text: pl },
  ]
  const { client, call } = await connect(cwd, ['--write'])
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('write_texts')
  const before = await readFile(join(cwd, 'locales/pl/shop.json'), 'utf8')

  // 13: a lost placeholder is an error, and nothing is written.
  const lost = await call('propose_texts', { texts: texts('Dzień dobry') })
  expect(lost).toMatchObject({ ok: false, isError: false })
  expect(lost.findings).toEqual([expect.objectContaining({ language: 'pl', key: 'greeting', severity: 'error' })])
  // The texts of the files that a proposal does not name count too.
  const alone = await call('propose_texts', { texts: [{ language: 'pl', key: 'greeting', text: 'Dzień dobry' }] })
  expect(alone).toMatchObject({ ok: false, without: [] })
  expect(alone.findings).toEqual([expect.objectContaining({ language: 'pl', key: 'greeting', severity: 'error' })])
  // 14: the same when it is to be written.
  expect(await call('write_texts', { texts: texts('Dzień dobry') })).toMatchObject({ written: 0, isError: true })
  expect(await readFile(join(cwd, 'locales/pl/shop.json'), 'utf8')).toBe(before)

  // 15: a correct proposal says where each text would go, and which languages would lack one.
  const fresh = await call('propose_texts', {
    texts: [
      { language: 'en', key: 'pay', text: 'Pay now' },
      { language: 'pl', key: 'pay', text: 'Zapłać' },
    ],
  })
  expect(fresh).toMatchObject({ ok: true, findings: [] })
  expect(fresh.without).toEqual([{ namespace: 'shop', key: 'pay', languages: ['de'] }])
  expect(fresh.texts[1]).toMatchObject({ before: null, after: 'Zapłać', file: 'locales/pl/shop.json' })

  // 16: written, with one line changed.
  expect(await call('write_texts', { texts: texts('Dzień dobry {name}') })).toMatchObject({ ok: true, written: 2 })
  expect(await readFile(join(cwd, 'locales/pl/shop.json'), 'utf8')).toBe(
    before.replace('Cześć {nome}', 'Dzień dobry {name}'),
  )
  // 17: somebody else was faster.
  const late = await call('write_texts', { texts: texts('Witaj {name}') })
  expect(late).toMatchObject({ isError: true, error: { message: expect.stringContaining('different text') } })
  // 18: names that do not exist, with the nearest that does.
  const wrong = await call('write_texts', { texts: [{ language: 'p', key: 'x', text: 'x' }] })
  expect(wrong).toMatchObject({ isError: true, error: { code: 'UNKNOWN_LANGUAGE' } })
  const outside = await call('write_texts', { texts: [{ language: 'en', namespace: '../../x', key: 'x', text: 'x' }] })
  expect(outside).toMatchObject({ isError: true, error: { code: 'UNKNOWN_NAMESPACE' } })
})

test('a proposal may refer to a text of another namespace, or of the same proposal, and to nothing else', async () => {
  const files = { 'package.json': { dependencies: { i18next: '26' } }, 'locales/en/bag.json': { name: 'Bag' } }
  const { call } = await connect(await project(files))
  const text = (key: string, value: string) => ({ language: 'en', namespace: 'shop', key, text: value })
  const right = await call('propose_texts', { texts: [text('a', '$t(bag:name) $t(b)'), text('b', 'B')] })
  expect(right.findings).toEqual([])
  const { ok, findings } = await call('propose_texts', { texts: [text('a', '$t(bag:nothing)')] })
  expect({ ok, findings }).toMatchObject({ ok: false, findings: [{ rule: 'reference', key: 'a' }] })
})

test('the service is read, and errors are those of the protocol', async () => {
  const shop = await startProject({ files: FILES, service: true })
  await shop.run('push', '--create-languages')
  await writeTree(shop.root, { 'locales/pl/shop.json': { title: 'Kosz', greeting: 'Cześć {name}' } })
  await shop.api('PATCH', '/api/v2/translations', {
    key: 'title',
    text: 'Wózek',
    language: 'pl',
    namespace: 'shop',
  })
  const { client, call } = await connect(shop.root, ['--write'], shop.env)
  // 19: a conflict, with all three texts.
  expect((await call('differences', { kind: 'conflict' })).differences).toEqual([
    expect.objectContaining({ language: 'pl', key: 'title', base: 'Koszyk', ours: 'Kosz', theirs: 'Wózek' }),
  ])
  await call('write_texts', { texts: [{ language: 'pl', key: 'title', text: 'Twój koszyk' }] })
  expect((await call('differences', { kind: 'conflict' })).differences[0]).toMatchObject({ theirs: 'Wózek' })

  // 20: wrong calls. The call is wrong for the server, the arguments for the agent.
  const unknown = await client.callTool({ name: 'push' }).catch((error: unknown) => error)
  expect(unknown).toBeInstanceOf(McpError)
  expect((unknown as McpError).code).toBe(ErrorCode.InvalidParams)
  expect(await call('find_shown', { texts: [] })).toMatchObject({ isError: true, error: { code: 'USAGE' } })
  await expect(client.listResources()).rejects.toThrow()
  // A cancelled call has no answer, and the next one has.
  const cancel = new AbortController()
  const cancelled = client.callTool({ name: 'differences' }, undefined, { signal: cancel.signal })
  cancel.abort('enough')
  await expect(cancelled).rejects.toThrow('enough')
  expect(await call('status', { offline: true })).toMatchObject({ defaultLanguage: 'en' })
})

test('a running dev server is asked for what its pages have and what waits', async () => {
  const shop = await startProject({ files: FILES, service: true })
  await shop.run('push', '--create-languages')
  const { call } = await connect(shop.root, [], shop.env)
  expect(await call('dev_server')).toMatchObject({ isRunning: false })
  expect(await call('find_shown', { texts: ['Koszyk'] })).toMatchObject({ searched: 'project' })

  const { baseUrl, apiKey } = shop
  const options = { service: { baseUrl, apiKey }, pull: { intervalMs: 200 } }
  await writeTree(shop.root, { 'main.js': "import 'virtual:translations/en/shop'", 'index.html': '' })
  const plugins = [(await builtPlugin('vite', options)) as never]
  const server = await startVite({ root: shop.root, configFile: false, plugins })
  server.printUrls()
  const address = server.resolvedUrls?.local[0]
  const running = async () => (await call('dev_server')).sync?.role
  await expect.poll(running, { timeout: 60_000 }).toBe('writer')
  // The service has a text that no file has.
  await shop.api('PATCH', '/api/v2/translations', { language: 'pl', namespace: 'shop', key: 'old', text: 'Stary' })
  const found = async () => (await call('find_shown', { texts: ['Stary'] })).texts[0].matches[0]?.key
  await expect.poll(found, { timeout: 60_000 }).toBe('old')
  const state = await call('dev_server', { limit: 1 })
  expect(state).toMatchObject({ isRunning: true, pid: process.pid, inspector: `${address}__localization/` })
  expect(state.log).toHaveLength(1)

  await server.close()
  expect(await call('dev_server')).toMatchObject({ isRunning: false })
  // What a killed server leaves behind is nobody, and another project's server is not asked.
  await writeTree(shop.root, { '.localization/dev-server.json': { pid: 1, address: shop.baseUrl } })
  expect(await call('dev_server')).toMatchObject({ isRunning: false })
})

test('nothing but answers on standard output', async () => {
  const cwd = await project()
  const request = (id: unknown, method: string, params?: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const input = [
    request(1, 'initialize', { protocolVersion: '2024-11-05' }),
    request(2, 'initialize', { protocolVersion: '1999-01-01' }),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","method":"nobody/knows/this"}',
    '{"jsonrpc":"2.0","id":9,"result":{}}',
    'not json',
    '',
    '{"id":3,"method":"ping"}',
    request(4, 'resources/list'),
    `[${request('a', 'ping')},${request('b', 'ping')}]`,
    request(5, 'tools/call', { name: 'status', arguments: { offline: true } }),
  ]
  const { run } = startCli(['mcp', '--quiet'], { cwd, input: input.join('\n') })
  const { code, stdout } = await run
  expect(code).toBe(0)
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const byId = (id: unknown) => answers.find((answer) => answer.id === id)
  expect(byId(1).result.protocolVersion).toBe('2024-11-05')
  expect(byId(2).result.protocolVersion).toBe('2025-11-25')
  expect(answers.filter(({ id }) => id === null).map(({ error }) => error.code)).toEqual([-32700])
  expect(byId(3).error.code).toBe(-32600)
  expect(byId(4).error.code).toBe(-32601)
  expect(answers.find(Array.isArray)).toEqual([
    { jsonrpc: '2.0', id: 'a', result: {} },
    { jsonrpc: '2.0', id: 'b', result: {} },
  ])
  expect(JSON.parse(byId(5).result.content[0].text)).toMatchObject({ defaultLanguage: 'en' })
  expect(answers).toHaveLength(7)
})
