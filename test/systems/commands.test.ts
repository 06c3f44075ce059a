/** The commands as processes, in a folder whose name every system treats in its own way. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { oddFolder, withService } from './app.ts'

const CONFIG = `export default { defaultLanguage: 'en', files: ['locales\\\\{language}\\\\{namespace}.json'] }`
const CRLF = (texts: object) => `${JSON.stringify(texts, null, 2)}\n`.replaceAll('\n', '\r\n')

async function app() {
  const root = await oddFolder({
    'package.json': { type: 'module' },
    'localization.config.mjs': CONFIG,
    // As Git writes it with "core.autocrlf".
    'locales/en/shop.json': CRLF({ title: 'Shop', old: 'Old' }),
    'locales/pl/shop.json': CRLF({ title: 'Sklep', old: 'Stary' }),
    'src/main.js': "import texts from 'virtual:translations/en/shop'\nconsole.log(texts.title)\n",
  })
  const service = await withService(root)
  const run = async (...args: readonly string[]) => {
    const ended = await service.runAlone(args)
    expect(ended.output).not.toMatch(/\(node:\d+\)|\bat .*:\d+:\d+\)/)
    return ended
  }
  return { ...service, root, run, read: (path: string) => readFile(join(root, path), 'utf8') }
}

test('push, pull and resolve keep the line ends of CRLF files', async () => {
  const { root, run, client, read } = await app()
  expect(await run('push')).toMatchObject({ code: 0 })
  const at = { language: 'pl', namespace: 'shop' }
  const { translations } = await client.translations.query(at)
  expect(translations.map(({ key, text }) => [key, text]).sort()).toEqual([
    ['old', 'Stary'],
    ['title', 'Sklep'],
  ])
  await client.translations.set({ ...at, key: 'title', text: 'Sklepik' })
  expect(await run('pull')).toMatchObject({ code: 0 })
  expect(await read('locales/pl/shop.json')).toBe(CRLF({ title: 'Sklepik', old: 'Stary' }))
  // A conflict: both sides change one text.
  await client.translations.set({ ...at, key: 'title', text: 'Theirs' })
  await writeFile(join(root, 'locales/pl/shop.json'), CRLF({ title: 'Ours', old: 'Stary' }))
  expect((await run('push')).output).toMatch(/conflict/)
  expect(await run('resolve', '--theirs')).toMatchObject({ code: 0 })
  expect(await read('locales/pl/shop.json')).toBe(CRLF({ title: 'Theirs', old: 'Stary' }))
  // A name that Windows reserves, with trailing dots and spaces, below a path of more than 260 characters.
  const namespace = ['CON', 'aux. ', 'a'.padEnd(50, ':'), 'b'.padEnd(50, ':')].join('/')
  await client.keys.create({ namespace, key: 'deep' })
  await client.translations.set({ ...at, namespace, key: 'deep', text: 'Głęboko' })
  expect(await run('pull')).toMatchObject({ code: 0 })
  const files = await readdir(join(root, 'locales/pl'), { recursive: true })
  const deep = files.find((file) => file.endsWith('.json') && file.includes('%3A')) ?? ''
  expect(join(root, 'locales/pl', deep).length).toBeGreaterThan(260)
  expect(deep.replaceAll('\\', '/')).toMatch(/^%43ON\/aux%2E%20\//)
  expect(JSON.parse(await read(join('locales/pl', deep)))).toEqual({ deep: 'Głęboko' })
  expect((await run('status')).output).not.toMatch(/conflict|waiting/)
})

test('check, doctor, generate and mcp name files with slashes', async () => {
  const { root, run, runAlone } = await app()
  await writeFile(join(root, 'locales/pl/shop.json'), '{ "title": "Sklep", "title": "Sklepik" }\r\n')
  const check = await run('check')
  expect(check.code).toBe(1)
  expect(check.output).toContain('locales/pl/shop.json')
  await writeFile(join(root, 'locales/pl/shop.json'), CRLF({ title: 'Sklep', old: 'Stary' }))
  expect((await run('doctor')).output).toContain('localization.config.mjs')
  expect(await run('generate')).toMatchObject({ code: 0 })
  expect((await readdir(join(root, '.localization/modules'))).length).toBeGreaterThan(1)
  const call = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const asked = call(1, 'initialize', hello) + call(2, 'tools/list', {})
  const { stdout } = await runAlone(['mcp'], asked)
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result: object })
  expect(answers.map(({ id, result }) => [id, Object.keys(result).length > 0])).toEqual([
    [1, true],
    [2, true],
  ])
})

test('init writes a configuration', async () => {
  const root = await oddFolder({
    'package.json': { type: 'module', devDependencies: { vite: '*' } },
    'src/main.js': '',
  })
  const { runAlone } = await withService(root)
  const { code, output } = await runAlone(['init', '--yes', '--no-build'])
  expect(code, output).toBe(0)
  expect(await readdir(root)).toEqual(expect.arrayContaining([expect.stringMatching(/^localization\.config\./)]))
})
