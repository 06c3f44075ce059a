/** The API key and the personal token as canaries: nowhere in what a build writes or says. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { importing, loadingEverything } from '../helpers/apps.ts'
import { builtPlugin, bundlers } from '../helpers/bundlers.ts'
import { type LocalProject, startTestProject } from '../helpers/local-project.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const PERSONAL_TOKEN = 'canary-personal-token/+?c04d'

async function smallProject(): Promise<LocalProject> {
  const project = await startTestProject({ personalToken: PERSONAL_TOKEN })
  await project.importTexts('en', '', { title: 'Title' })
  await project.publish()
  return project
}

const optionsOf = ({ apiKey, baseUrl, cdnUrl }: LocalProject, more: PluginOptions = {}): PluginOptions => ({
  configFile: false,
  service: { apiKey, baseUrl, cdnUrl, personalToken: PERSONAL_TOKEN },
  ...more,
})

/** Plain and as people and bundlers encode it. */
const spellings = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
]

async function filesHolding(folder: string, secret: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const content = await readFile(path)
    if (spellings(secret).some((spelling) => content.includes(spelling))) found.push(path.slice(folder.length + 1))
  }
  return found
}

/** What the plugin says on standard error; Farm's build has a process of its own and is read from its failure. */
function listen(): () => string {
  const lines: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    lines.push(String(chunk))
    return true
  })
  onTestFinished(() => spy.mockRestore())
  return () => lines.join('')
}

describe.each(bundlers)('$name', (bundler) => {
  it.each(['export', 'hosting', 'query'] as const)('keeps secrets out of everything, source %s', async (source) => {
    const root = await tempFolder()
    const project = await smallProject()
    const said = listen()
    await writeTree(root, { 'main.js': loadingEverything, 'other.js': importing(['virtual:translations/en']) })
    const output = await bundler.build({
      root,
      entries: { main: 'main.js', other: 'other.js' },
      options: optionsOf(project, { source }),
      sourcemap: true,
      ...(/webpack|rspack/.test(bundler.name) && { cacheFolder: join(root, 'cache') }),
    })
    expect([...output.files.keys()].some((file) => file.endsWith('.map'))).toBe(true)
    expect(await runEntry(output.entryFile('other'), root)).toEqual([{ default: { title: 'Title' } }])
    // The snapshot is there, so it was searched as well.
    expect((await readdir(join(root, '.localization'))).some((file) => file.startsWith('snapshot-'))).toBe(true)
    for (const secret of [project.apiKey, PERSONAL_TOKEN]) {
      expect(await filesHolding(root, secret)).toEqual([])
      expect(said()).not.toContain(secret)
    }
  })

  it.each([
    ['plain', (secret: string) => JSON.stringify(secret)],
    ['in base64', (secret: string) => JSON.stringify(Buffer.from(`key:${secret};`).toString('base64'))],
    // A minifier makes one string of it.
    ['in pieces', (secret: string) => `${JSON.stringify(secret.slice(0, 5))} + ${JSON.stringify(secret.slice(5))}`],
  ] as const)('fails when the app itself puts the key into its output, %s', async (how, spell) => {
    const inPieces = how === 'in pieces'
    const root = await tempFolder()
    const project = await smallProject()
    const said = listen()
    for (const secret of [project.apiKey, PERSONAL_TOKEN]) {
      await writeTree(root, {
        'main.js': `import m from 'virtual:translations/en/default'\nglobalThis.collect = () => [m, ${inPieces ? spell(secret) : '__LEAKED__'}]\n`,
      })
      const message = await bundler
        .build({
          root,
          entries: { main: 'main.js' },
          options: optionsOf(project),
          define: inPieces ? {} : { __LEAKED__: spell(secret) },
        })
        .then(
          () => expect.fail('the build went through'),
          (error: Error) => error.message,
        )
      expect(message).toMatch(
        /the localization service secret \(\S+, [\w ,-]+\) is in the emitted file .*main\S*js:\d+:\d+/,
      )
      expect(message).toContain('replace the')
      expect(`${message}${said()}`).not.toContain(secret)
      // Nothing was written, or what was is gone again.
      expect(await filesHolding(root, secret)).toEqual([])
    }
  })
})

test.each(['vite', 'vite7'])(
  '%s: a key in a variable that its envPrefix puts into the page is refused',
  async (name) => {
    const root = await tempFolder()
    const { build } = (await import(name)) as typeof import('vite')
    await writeTree(root, {
      'main.js': importing(['virtual:translations']),
      '.env': 'OWN_LOCALIZATION_API_KEY=canary-71\n',
    })
    const attempt = build({
      root,
      configFile: false,
      logLevel: 'silent',
      envPrefix: ['OWN_'],
      plugins: [(await builtPlugin('vite', {})) as never],
      build: { rollupOptions: { input: join(root, 'main.js') } },
    })
    await expect(attempt).rejects.toThrow(
      /OWN_LOCALIZATION_API_KEY in \.env is set, and variables that begin with OWN_/,
    )
  },
)
