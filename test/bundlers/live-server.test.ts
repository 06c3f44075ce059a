/** A server with `delivery: 'live'`: new texts without a restart, and one version for each request. */
import fs from 'node:fs'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test, vi } from 'vitest'
import { builtPlugin, bundlers } from '../helpers/bundlers.ts'
import { startProject } from '../helpers/project.ts'
import { save } from '../helpers/temp.ts'

const CONFIG = { delivery: 'live', defaultLanguage: 'en', defaultNamespace: 'common', library: false } as const

/** A request begins, waits for what happens outside, and reads its other texts. */
const MAIN = `
import * as translations from 'virtual:translations'
globalThis.liveServer = {
  ...translations,
  async request(wait) {
    const texts = translations.snapshot()
    const common = await texts.load('en')
    await wait()
    const shop = await texts.load('en', 'shop')
    return { version: texts.version(), texts: [common.title, shop.buy], all: await texts.loadLanguage('pl') }
  },
}
`
const TABLE = 'assets/localization/table.json'
const FILES = {
  'package.json': { type: 'module' },
  'localization.config.json': CONFIG,
  'main.js': MAIN,
  'locales/en/common.json': { title: 'Title 0' },
  'locales/en/shop.json': { buy: 'Buy 0' },
  'locales/pl/common.json': { title: 'Tytuł' },
}

interface LiveServer {
  load(language: string, namespace?: string): Promise<{ readonly [key: string]: string }>
  version(): string
  request(wait: () => Promise<unknown>): Promise<{ readonly version: string; readonly texts: readonly string[] }>
}

async function startServer(build: (root: string) => Promise<string>) {
  const project = await startProject({ files: FILES })
  const { root } = project
  const file = await build(root)
  await import(pathToFileURL(file).href)
  const { liveServer } = globalThis as unknown as { readonly liveServer: LiveServer }
  const release = async (round: number) => {
    await save(join(root, 'locales/en/common.json'), { title: `Title ${round}` })
    await save(join(root, 'locales/en/shop.json'), { buy: `Buy ${round}` })
    const run = await project.run('release', 'dist')
    expect(run.code, run.output).toBe(0)
  }
  return { root, server: liveServer, release }
}

async function expectVersions({ server, release }: Awaited<ReturnType<typeof startServer>>) {
  const first = await server.load('en')
  expect(first).toEqual({ title: 'Title 0' })
  const during = await server.request(() => release(1))
  expect(during.texts).toEqual(['Title 0', 'Buy 0'])
  const after = await server.request(async () => {})
  expect(after.texts).toEqual(['Title 1', 'Buy 1'])
  expect(after.version).not.toBe(during.version)
  expect(server.version()).toBe(after.version)
  expect(await server.load('en')).toEqual({ title: 'Title 1' })
  // A request that is under way keeps its object.
  expect(first).toEqual({ title: 'Title 0' })
}

const writers = bundlers.filter(({ name }) => !/farm|bun/.test(name))

describe.each(writers)('$name', ({ build }) => {
  test('loads a new table without a restart, and a request has one version', async () => {
    await expectVersions(
      await startServer(async (root) => {
        const output = await build({ root, entries: { main: 'main.js' }, options: {} })
        return output.entryFile('main')
      }),
    )
  })
})

const buildServer = async (root: string) => {
  const { build } = await import('vite')
  const plugins = [(await builtPlugin('vite', {})) as never]
  await build({ root, configFile: false, logLevel: 'silent', plugins, build: { ssr: 'main.js' } })
  return join(root, 'dist/main.js')
}

test("Vite's server build has files of its own with library: false", async () => {
  const started = await startServer(buildServer)
  await expectVersions(started)
  const path = join(started.root, 'dist', TABLE)
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ version: started.server.version() })
})

test('finds texts that arrive after the table, and reads it again after a failure', async () => {
  const { root, server, release } = await startServer(async (root) => {
    await buildServer(root)
    await cp(join(root, 'dist'), join(root, 'server'), { recursive: true })
    return join(root, 'server/main.js')
  })
  expect(await server.load('en')).toEqual({ title: 'Title 0' })
  await release(1)
  await cp(join(root, 'dist', TABLE), join(root, 'server', TABLE))
  expect(await server.load('en')).toEqual({ title: 'Title 0' })
  await cp(join(root, 'dist'), join(root, 'server'), { recursive: true, force: false })
  // As with too many open files.
  vi.spyOn(fs, 'readFileSync').mockImplementationOnce(() => {
    throw new Error('EMFILE')
  })
  expect(await server.load('en')).toEqual({ title: 'Title 0' })
  expect(await server.load('en')).toEqual({ title: 'Title 1' })
})
