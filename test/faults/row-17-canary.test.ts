/**
 * Row 17: the API key and the personal token as canaries: nowhere in what builds, dev servers and commands write, send
 * or say.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { importing, loadingEverything } from '../helpers/apps.ts'
import { launchChromium, noChromium, openPage } from '../helpers/browser.ts'
import { builtPlugin, bundlers } from '../helpers/bundlers.ts'
import { guardSecret, leaksBelow, secretsIn } from '../helpers/canary.ts'
import { createApp, DEV_BUNDLERS, serviceHas, startDevServer } from '../helpers/dev-process.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { startHoldingProxy } from '../helpers/holding-proxy.ts'
import { command } from '../helpers/hostile-build.ts'
import { type Project, startProject } from '../helpers/project.ts'
import { repeats } from '../helpers/repeats.ts'
import { runEntry } from '../helpers/run.ts'
import { save, tempFolder, writeTree } from '../helpers/temp.ts'

const row = faultRow(17)
const PERSONAL_TOKEN = guardSecret('canary-personal-token/+?c04d')

async function smallProject(): Promise<Project> {
  const project = await startProject({ service: { personalToken: PERSONAL_TOKEN, languages: [] } })
  await project.importTexts('en', '', { title: 'Title' })
  await project.publish()
  return project
}

const optionsOf = ({ apiKey, baseUrl, cdnUrl }: Project, more: PluginOptions = {}): PluginOptions => ({
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

const SOURCES = ['export', 'hosting', 'query'] as const
const SPELLINGS = [
  ['plain', (secret: string) => JSON.stringify(secret)],
  ['in base64', (secret: string) => JSON.stringify(Buffer.from(`key:${secret};`).toString('base64'))],
] as const

describe.each(bundlers.map((bundler, at) => ({ ...bundler, at })))('$name', ({ at, ...bundler }) => {
  /** A sample has one for each bundler, in turn. */
  const sampleOf = <T>(all: readonly T[]) => repeats(all.slice(at % all.length).slice(0, 1), all)

  it.each(sampleOf(SOURCES))('keeps secrets out of everything, source %s', async (source) => {
    const root = await tempFolder()
    const project = await smallProject()
    const said = listen()
    await writeTree(root, { 'main.js': loadingEverything, 'other.js': importing(['virtual:translations/en']) })
    const output = await bundler.build({
      root,
      entries: { main: 'main.js', other: 'other.js' },
      options: optionsOf(project, { source }),
      sourcemap: true,
      minify: repeats(false, true),
      ...(/webpack|rspack/.test(bundler.name) && { cacheFolder: join(root, 'cache') }),
    })
    expect([...output.files.keys()].some((file) => file.endsWith('.map'))).toBe(true)
    expect(await runEntry(output.entryFile('other'))).toEqual([{ default: { title: 'Title' } }])
    // The snapshot is there, so it was searched as well.
    expect((await readdir(join(root, '.localization'))).some((file) => file.startsWith('snapshot-'))).toBe(true)
    for (const secret of [project.apiKey, PERSONAL_TOKEN]) {
      expect(await filesHolding(root, secret)).toEqual([])
      expect(said()).not.toContain(secret)
    }
  })

  it.each(sampleOf(SPELLINGS))('fails when the app itself puts the key into its output, %s', async (_how, spell) => {
    const root = await tempFolder()
    const project = await smallProject()
    const said = listen()
    for (const secret of sampleOf([project.apiKey, PERSONAL_TOKEN])) {
      await writeTree(root, {
        'main.js': `import m from 'virtual:translations/en/default'\nglobalThis.collect = () => [m, __LEAKED__]\n`,
      })
      const message = await bundler
        .build({
          root,
          entries: { main: 'main.js' },
          options: optionsOf(project),
          define: { __LEAKED__: spell(secret) },
        })
        .then(
          () => expect.fail('the build went through'),
          (error: Error) => error.message,
        )
      expect(message).toMatch(
        /the output contains a secret of the localization service \(\S+, [\w ,-]+\): .*main\S*js:\d+:\d+/,
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
      /OWN_LOCALIZATION_API_KEY in \.env is set, and variables that start with OWN_/,
    )
  },
)

/** In `npm test`, the page of row 25 stands for it: with Vite, every answer and message is searched there. */
const PAGES = DEV_BUNDLERS.filter((name) => repeats(name !== 'vite', true))

test.skipIf(noChromium).each(PAGES)(
  '%s: what the dev server sends over its socket and in its answers, logs and leaves on the disk',
  async (bundler) => {
    const project = await startProject({ service: true })
    const proxy = await startHoldingProxy(project.baseUrl, 0)
    const agreed = { 'en/common': { title: 'Title' } }
    await project.fill(agreed)
    const root = await createApp(agreed, proxy)
    const server = await startDevServer(root, project.apiKey, proxy, { bundler })
    const browser = await launchChromium()
    onTestFinished(() => browser.close())
    const watched = await openPage(browser, server.address)
    const shows = (text: string) =>
      expect
        .poll(() => watched.page.evaluate<string>('document.body.dataset.texts'), { timeout: 90_000 })
        .toContain(text)
    await shows('Title')
    await save(join(root, 'locales/en/common.json'), { title: 'Edited' })
    await shows('Edited')
    await serviceHas(project, { 'en/common': { title: 'Edited' } })
    // A broken file, a conflict and a refused key are what errors are made of.
    await save(join(root, 'locales/en/common.json'), '{"title": "Ha')
    await expect.poll(() => server.lines().join('\n'), { timeout: 90_000 }).toContain('common.json')
    row.silent(...(await watched.bodies()), server.lines().join('\n'))
    await watched.close()
    await server.close()
    expect(await leaksBelow(root)).toEqual([])
  },
)

test('every command that fails, with everything it can say', async () => {
  const project = await startProject({ service: true })
  const root = await createApp({ 'en/common': { title: 'Title' } }, project)
  await project.close()
  for (const args of [
    ['push'],
    ['pull'],
    ['status'],
    ['publish', '_latest'],
    ['export'],
    ['environment', '_latest'],
    ['keys', 'add', 'x'],
    ['projects', 'list'],
  ]) {
    const { code, stdout, stderr } = await command(root, project.baseUrl, [...args, '--verbose'], {
      apiKey: project.apiKey,
      env: { LOCALIZATION_PERSONAL_TOKEN: project.personalToken },
    })
    expect([args, code]).toEqual([args, 1])
    row.silent(stdout, stderr)
    row.alsoTried(1)
  }
})

test('the canary itself: what is planted is found, and the helper that says nothing leaked can say that something did', async () => {
  const project = await startProject({ service: true })
  const folder = await tempFolder()
  for (const [name, content] of [
    ['plain.log', `token ${project.apiKey}`],
    ['deep/cache.bin', Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(project.personalToken)])],
    ['encoded.json', JSON.stringify({ a: Buffer.from(`${project.apiKey}:`).toString('base64') })],
    ['hex', Buffer.from(project.apiKey).toString('hex')],
  ] as const) {
    await writeTree(folder, { 'deep/folder': '' })
    await writeFile(join(folder, name), content)
    expect(await leaksBelow(folder)).toEqual([expect.stringContaining(name)])
    await writeFile(join(folder, name), '')
  }
  await writeFile(join(folder, '.env.local'), `LOCALIZATION_API_KEY=${project.apiKey}`)
  expect(await leaksBelow(folder)).toEqual([])
  expect(secretsIn(`x${project.apiKey}y`)).toEqual([`${project.apiKey.slice(0, 3)}***`])
})
