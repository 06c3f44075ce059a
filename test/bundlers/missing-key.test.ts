/**
 * A service that is configured and whose key is missing: no production build goes on with local files, and development
 * says so once.
 */
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { allBundlers, type Bundler, builtPlugin, bundlers } from '../helpers/bundlers.ts'
import { startProject } from '../helpers/project.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const service = { baseUrl: 'http://127.0.0.1:9' }
const MAIN = `import texts from 'virtual:translations/en/common'\nglobalThis.collect = () => texts.title\n`
const FILES = { 'package.json': { type: 'module' }, 'main.js': MAIN, 'locales/en/common.json': { title: 'Title' } }

async function project(files: Readonly<Record<string, string | object>> = {}): Promise<string> {
  const root = await tempFolder()
  await writeTree(root, { ...FILES, ...files })
  return root
}

function listen(): () => string {
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  onTestFinished(() => void vi.restoreAllMocks())
  return () => said.join('')
}

const warnings = (said: string) => said.match(/warning: a service is configured/g)?.length ?? 0

const REFUSED = /a service is configured, but LOCALIZATION_API_KEY is not set\. Set it in .*source: 'files'/

test.each(bundlers)('$name fails and names the variable', async ({ build }) => {
  const root = await project()
  const outcome = build({ root, entries: { main: 'main.js' }, options: { configFile: false, service } })
  await expect(outcome).rejects.toThrow(REFUSED)
  await expect(access(join(root, 'dist'))).rejects.toThrow('ENOENT')
})

/** What the configuration decides: one bundler is enough. */
const { build } = allBundlers.find(({ name }) => name === 'esbuild') ?? (allBundlers[0] as Bundler)

test.each([{ onServiceError: 'snapshot' }, { onServiceError: 'files' }, { source: 'query' }] as const)(
  'so does every other way to use a service: %j',
  async (more) => {
    const options = { configFile: false, service, ...more } as const
    const outcome = build({ root: await project(), entries: { main: 'main.js' }, options })
    await expect(outcome).rejects.toThrow(REFUSED)
  },
)

test("source: 'files' builds from files", async () => {
  const options = { configFile: false, service, source: 'files' } as const
  const output = await build({ root: await project(), entries: { main: 'main.js' }, options })
  expect(await runEntry(output.entryFile('main'))).toBe('Title')
})

test("a secret that is set to nothing, as CI does with one it does not have, overrides a file's", async () => {
  const root = await project({ '.env.local': 'LOCALIZATION_API_KEY=from-a-file\n' })
  vi.stubEnv('LOCALIZATION_API_KEY', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const outcome = build({ root, entries: { main: 'main.js' }, options: { configFile: false, service } })
  await expect(outcome).rejects.toThrow('LOCALIZATION_API_KEY is not set')
})

test.each(['vite', 'vite7'])(
  '%s: the key stands in envDir, the address in it through another variable',
  async (name) => {
    const { baseUrl, apiKey, importTexts } = await startProject({ service: { languages: [] } })
    await importTexts('en', 'common', { title: 'From the service' })
    const root = await project({
      'env/.env': `LOCALIZATION_BASE_URL=\${SERVICE}\n`,
      'env/.env.production': `LOCALIZATION_API_KEY=${apiKey}\nSERVICE=${baseUrl}\n`,
    })
    const { build } = (await import(name)) as typeof import('vite')
    const rollupOptions = {
      input: join(root, 'main.js'),
      output: { entryFileNames: 'main.mjs' },
      preserveEntrySignatures: 'strict',
    } as const
    await build({
      root,
      envDir: 'env',
      configFile: false,
      logLevel: 'silent',
      plugins: [(await builtPlugin('vite', {})) as never],
      build: { rollupOptions },
    })
    expect(await runEntry(join(root, 'dist/main.mjs'))).toBe('From the service')
  },
)

describe('development', () => {
  test("Vite's server warns once and shows the files", async () => {
    const said = listen()
    const root = await project()
    const { createServer } = await import('vite')
    const server = await createServer({
      root,
      configFile: false,
      logLevel: 'silent',
      plugins: [(await builtPlugin('vite', { configFile: false, service })) as never],
      server: { middlewareMode: true, ws: false },
    })
    try {
      await server.ssrLoadModule('/main.js')
      expect((globalThis as { collect?: () => unknown }).collect?.()).toBe('Title')
      await server.transformRequest('/main.js')
    } finally {
      await server.close()
    }
    expect(warnings(said())).toBe(1)
    expect(said()).toContain('LOCALIZATION_API_KEY is not set')
  })

  test('so does a build in mode development', async () => {
    const said = listen()
    const root = await project()
    const { build } = await import('vite')
    await build({
      root,
      mode: 'development',
      configFile: false,
      logLevel: 'silent',
      plugins: [(await builtPlugin('vite', { configFile: false, service })) as never],
      build: { rollupOptions: { input: join(root, 'main.js') } },
    })
    expect(warnings(said())).toBe(1)
  })

  test('and Rollup, which has no mode, with NODE_ENV=development', async () => {
    vi.stubEnv('NODE_ENV', 'development')
    onTestFinished(() => void vi.unstubAllEnvs())
    const said = listen()
    const root = await project()
    const rollup = allBundlers.find(({ name }) => name === 'rollup')
    await rollup?.build({ root, entries: { main: 'main.js' }, options: { configFile: false, service } })
    expect(warnings(said())).toBe(1)
  })
})
