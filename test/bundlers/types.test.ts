/** The options `types` and `pseudo`, in real builds and a real dev server. */
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decode } from '@jridgewell/sourcemap-codec'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { importing } from '../helpers/apps.ts'
import { bundlers } from '../helpers/bundlers.ts'
import { firstDevServer } from '../helpers/dev-servers.ts'
import { startProject } from '../helpers/project.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const OPTIONS: PluginOptions = { configFile: false, pseudo: 'en-XA', types: 'types/localization.d.ts' }
const FILES = {
  'locales/en/common.json': { title: 'Title', greeting: 'Hello, {name}' },
  'locales/pl/common.json': { title: 'Tytuł' },
  'main.js': `
import { languages, load } from 'virtual:translations'
import direct from 'virtual:translations/en-XA/common'
globalThis.collect = async () => ({ languages, direct, lazy: await load('en-XA', 'common') })
`,
}
const PSEUDO = { greeting: '[Ĥééļļöö, {name}]', title: '[Ţîîţļéé]' }

const read = (root: string, name = 'types/localization.d.ts') => readFile(join(root, name), 'utf8')

describe.each(bundlers)('$name', (bundler) => {
  test('has the pseudo-language, and writes the declaration once', async () => {
    const root = await tempFolder()
    await writeTree(root, FILES)
    const build = () => bundler.build({ root, entries: { main: 'main.js' }, options: OPTIONS })
    const output = await build()
    expect(await runEntry(output.entryFile('main'))).toEqual({
      languages: [
        { key: 'en', name: 'English', isDefault: true },
        { key: 'pl', name: 'Polish', isDefault: false },
        { key: 'en-XA', name: 'Pseudo (en-XA)', isDefault: false },
      ],
      direct: PSEUDO,
      lazy: PSEUDO,
    })
    const declaration = await read(root)
    expect(declaration).toContain("readonly languages: 'en' | 'en-XA' | 'pl'")
    expect(declaration).toContain("'greeting': Placeholders<'name'>")
    const written = await stat(join(root, 'types/localization.d.ts'))
    await build()
    expect(await stat(join(root, 'types/localization.d.ts'))).toMatchObject({
      mtimeMs: written.mtimeMs,
      ino: written.ino,
    })
    expect(await readdir(join(root, 'locales'))).toEqual(['en', 'pl'])
  })
})

const [vite] = bundlers
const buildWithVite = async (root: string, options: PluginOptions) => {
  const output = await vite?.build({ root, entries: { main: 'main.js' }, options })
  return output?.entryFile('main') ?? ''
}

test('nothing but the bundle holds the pseudo-language', async () => {
  const root = await tempFolder()
  const project = await startProject({ service: { customers: ['acme'], languages: [] } })
  await project.importTexts('en', 'common', { title: 'Title' })
  await project.importTexts('en', 'common', { title: 'Acme' }, 'acme')
  project.requests.length = 0
  await writeTree(root, { 'main.js': importing(['virtual:translations/en-XA/common?customer=acme']) })
  const entry = await buildWithVite(root, {
    ...OPTIONS,
    languages: ['en', 'en-XA'],
    customers: ['acme'],
    service: { apiKey: project.apiKey, baseUrl: project.baseUrl },
  })
  expect(await runEntry(entry)).toEqual([{ title: '[ÅÅçɱéé]' }])
  const kept = await readdir(join(root, '.localization'), { recursive: true, withFileTypes: true })
  const files = kept.filter((file) => file.isFile())
  expect(files.length).toBeGreaterThan(0)
  for (const { parentPath, name } of files)
    expect(await readFile(join(parentPath, name), 'utf8')).not.toMatch(/en-XA|é/)
  expect(project.requests.length).toBeGreaterThan(0)
  expect(project.requests.filter((line) => !line.startsWith('GET '))).toEqual([])
})

test('a real language is not replaced', async () => {
  const root = await tempFolder()
  await writeTree(root, FILES)
  await expect(buildWithVite(root, { ...OPTIONS, pseudo: 'pl' })).rejects.toThrow(
    /"pseudo" names "pl", a language that has texts.*no language uses/,
  )
})

test("somebody's own file is not written over, and the build goes on", async () => {
  const root = await tempFolder()
  const own = 'export const mine = 1\n'
  await writeTree(root, { ...FILES, 'types/localization.d.ts': own })
  const warnings = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => void warnings.mockRestore())
  const entry = await buildWithVite(root, OPTIONS)
  expect(warnings.mock.calls.join('\n')).toMatch(/types\/localization\.d\.ts: not overwritten/)
  expect(await read(root)).toBe(own)
  expect(await runEntry(entry)).toMatchObject({ direct: PSEUDO })
})

test("libraries' types are written beside it", async () => {
  const root = await tempFolder()
  await writeTree(root, FILES)
  await buildWithVite(root, { ...OPTIONS, types: { file: 'l.d.ts', i18next: true, vueI18n: true } })
  expect(await read(root, 'l.d.ts')).toContain("declare module 'virtual:translations'")
  expect(await read(root, 'l.i18next.d.ts')).toContain('resources: LanguageMessages')
  expect(await read(root, 'l.vue-i18n.d.ts')).toContain("readonly 'title': string")
})

test('a dev server keeps the declaration current, and outlives a real language of that code', async () => {
  const { root, server } = await startProject({ files: FILES, plugin: { kind: firstDevServer(), options: OPTIONS } })
  const pseudo = async () => {
    const answer = await fetch(new URL('/@id/__x00__localization/namespace/en-XA.common.js', server.address))
    return answer.text()
  }
  await vi.waitFor(async () => expect(await read(root)).toContain("'greeting'"), WAIT)
  expect(await pseudo()).toContain('Ĥééļļöö')
  const places = async () => {
    const { sources, mappings } = JSON.parse(await read(root, 'types/localization.d.ts.map'))
    const lines = (await read(root)).split('\n')
    const found = decode(mappings).flatMap((segments, line) =>
      segments.slice(0, 1).map((each) => [lines[line], each[2]]),
    )
    return { sources, found: Object.fromEntries(found.map(([text, at]) => [/'(.*)'/.exec(`${text}`)?.[1], at])) }
  }
  await vi.waitFor(async () => expect(await places()).toMatchObject({ found: { title: 1, greeting: 2 } }), WAIT)
  const edited = { title: 'Title', parting: 'Bye, {who}' }
  await writeFile(join(root, 'locales/en/common.json'), `\n\n${JSON.stringify(edited, undefined, 2)}`)
  await vi.waitFor(async () => expect(await read(root)).toContain("'parting': Placeholders<'who'>"), WAIT)
  expect(await read(root)).not.toContain("'greeting'")
  const moved = { sources: ['../locales/en/common.json'], found: { title: 3, parting: 4 } }
  await vi.waitFor(async () => expect(await places()).toEqual(moved), WAIT)
  await vi.waitFor(async () => expect(await pseudo()).toContain('Ɓýýéé'), WAIT)
  await writeTree(root, { 'locales/en-XA/common.json': { title: 'Real' } })
  await vi.waitFor(async () => expect(await pseudo()).toContain('"title":"Real"'), WAIT)
})

const WAIT = { timeout: 60_000, interval: 50 }
