/** A package that was built with texts of its own, in the page of an app that another bundler builds or serves. */
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { builtPlugin, runWebpack } from '../helpers/bundlers.ts'
import { covers } from '../helpers/compatibility.ts'
import { startVite } from '../helpers/dev-servers.ts'
import { type Library, libraries, writeLibrary } from '../helpers/libraries.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

let folder = ''

beforeAll(async () => {
  folder = await tempFolder()
  for (const library of libraries) {
    const root = join(folder, 'packages', library.name)
    await writeLibrary(root, library)
    await library.build(root)
  }
})

type Consumer = 'vite' | 'vite7' | 'webpack'

/** Vite 7 does not bundle a linked CommonJS package, and no Vite serves one, with texts or without. */
function isTaken(consumer: Consumer, isDev: boolean, { isCommonJs = false }: Library): boolean {
  return !isCommonJs || consumer === 'webpack' || (consumer === 'vite' && !isDev)
}

interface App {
  readonly root: string
  /** What the page must show. */
  readonly expected: Readonly<Record<string, string>>
}

/** An app that shows the texts of every library, each copied as npm installs it and linked as a workspace does. */
async function writeApp(name: string, consumer: Consumer, isDev = false): Promise<App> {
  const root = join(folder, name)
  const modules = join(root, 'node_modules')
  await mkdir(modules, { recursive: true })
  const taken: string[] = []
  const expected: Record<string, string> = {}
  for (const library of libraries) {
    const from = join(folder, 'packages', library.name)
    const texts = `Title of ${library.name}, Titel von ${library.name}`
    for (const way of ['installed', 'linked']) {
      if (way === 'linked' && !isTaken(consumer, isDev, library)) continue
      const id = `${way}-${library.name}`
      if (way === 'linked') await symlink(from, join(modules, id))
      else {
        await mkdir(join(modules, id))
        for (const part of ['package.json', 'dist'])
          await cp(join(from, part), join(modules, id, part), { recursive: true })
      }
      taken.push(id)
      expected[id] = texts
    }
  }
  const main = [
    'const title = async (library) => {',
    '  const { title } = library.title ? library : library.default',
    "  return await title('en') + ', ' + await title('de')",
    '}',
    `const shown = { ${taken.map((id) => `'${id}': import('${id}').then(title)`).join(', ')} }`,
    'for (const id in shown) shown[id] = await shown[id].catch((error) => error.message)',
    'document.body.dataset.shown = JSON.stringify(shown)',
  ].join('\n')
  await writeTree(root, {
    'package.json': { private: true, type: 'module' },
    'main.js': main,
    'index.html': '<!doctype html><html lang="en"><body><script type="module" src="/main.js"></script></body></html>',
  })
  return { root, expected }
}

async function showsTexts(address: string, { expected }: App): Promise<readonly string[]> {
  const watched = await visit(address)
  const shown = () => watched.page.evaluate<string>('document.body.dataset.shown')
  await expect.poll(shown).toBeDefined()
  expect(JSON.parse(await shown())).toEqual(expected)
  const bodies = await watched.bodies()
  await watched.close()
  return bodies
}

async function servesTexts(dist: string, app: App): Promise<readonly string[]> {
  const server = await serveFolder(dist)
  onTestFinished(() => server.close())
  return showsTexts(`${server.origin}/`, app)
}

covers({
  tool: 'libraries',
  setting: 'linked and installed, in apps with Vite and webpack',
  bundlers: ['vite', 'vite7', 'rollup', 'rolldown', 'webpack', '@rspack/core', 'esbuild'],
  limit: 'Rollup and Rolldown need `library: true`',
})

test.each(libraries.filter(({ isCommonJs }) => !isCommonJs))('$name runs as it is', async ({ name }) => {
  const { title } = (await import(join(folder, 'packages', name, 'dist/index.js'))) as {
    title(language: string): Promise<string>
  }
  expect(await title('pl')).toBe(`Tytuł ${name}`)
})

describe.each(['rollup', 'rolldown'] as const)('%s', (name) => {
  async function build(options: PluginOptions, output: object) {
    const root = await tempFolder()
    await writeLibrary(root, { name: 'untold', build: async () => {} })
    await writeTree(root, { 'src/entry.js': "export { sep } from 'somewhere'\nexport * from './index.mjs'\n" })
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const start = name === 'rollup' ? (await import('rollup')).rollup : (await import('rolldown')).rolldown
    const plugins = [await builtPlugin(name, { configFile: false, root, report: false, ...options })]
    const bundle = await start({ input: join(root, 'src/entry.js'), plugins, external: ['somewhere'] } as never)
    await bundle.write({ dir: join(root, 'dist'), ...output })
    await bundle.close()
    const said = write.mock.calls.map(([text]) => String(text)).join('')
    write.mockRestore()
    return { said, files: await readdir(join(root, 'dist'), { recursive: true }) }
  }

  test('an output that looks like a library is told of, once; the option decides', async () => {
    const untold = await build({}, { preserveModules: true })
    expect(untold.said.match(/looks like a library.*library: true.*library: false/g)).toHaveLength(1)
    expect((await build({}, {})).said).toContain('looks like a library')
    const refused = await build({ library: false }, {})
    expect(refused.said).not.toContain('library')
    expect(refused.files.some((file) => file.includes('localization/'))).toBe(true)
    const taken = await build({ library: true }, {})
    expect(taken.said).not.toContain('library')
    expect(taken.files.some((file) => file.includes('localization/'))).toBe(false)
  })
})

test.each(libraries.filter(({ name }) => /-(?:es|split|one|modern|module)$/.test(name)))(
  '$name has only the keys that it uses, with prune',
  async (library) => {
    const root = await tempFolder()
    await writeLibrary(root, library)
    await writeTree(root, {
      'localization.config.json': { prune: { onUnknown: 'ignore' } },
      'src/index.mjs': `
        import { load } from 'virtual:translations'
        let messages = {}
        const t = (key) => messages[key]
        export const title = async (language) => {
          messages = await load(language, 'common')
          return t('title')
        }`,
      'locales/de/common.json': { title: 'Titel', unused: 'Unbenutzt' },
    })
    await library.build(root, { configFile: join(root, 'localization.config.json') })
    const { title } = (await import(join(root, 'dist/index.js'))) as { title(language: string): Promise<string> }
    expect(await title('de')).toBe('Titel')
    for (const name of await readdir(join(root, 'dist')))
      expect(await readFile(join(root, 'dist', name), 'utf8')).not.toContain('Unbenutzt')
  },
)

describe.skipIf(noChromium)('in the page of an app', () => {
  test.each(['vite', 'vite7'] as const)('built by %s', async (version) => {
    const app = await writeApp(`${version}-build`, version)
    const { build } = (await import(version)) as typeof import('vite')
    await build({ root: app.root, configFile: false, logLevel: 'silent' })
    const bodies = await servesTexts(join(app.root, 'dist'), app)
    // Nobody asked for Polish: libraries of several files bring along only what is asked for.
    // Vite imports what is required at once.
    for (const { name, isInline = false, isCommonJs = false } of libraries)
      expect([name, bodies.some((body) => body.includes(`Tytuł ${name}`))]).toEqual([name, isInline || isCommonJs])
  })

  test.each(['vite', 'vite7'] as const)('served by %s', async (version) => {
    const app = await writeApp(`${version}-dev`, version, true)
    const server = await startVite({ root: app.root, configFile: false, server: { fs: { allow: [folder] } } }, version)
    await showsTexts(server.resolvedUrls?.local[0] ?? '', app)
  })

  test.each(['production', 'development'] as const)('built by webpack for %s', async (mode) => {
    const app = await writeApp(`webpack-${mode}`, 'webpack')
    await runWebpack('webpack', {
      context: app.root,
      mode,
      devtool: false,
      entry: './main.js',
      output: { path: join(app.root, 'dist') },
      performance: false,
    })
    const page = '<!doctype html><html lang="en"><body><script src="main.js"></script></body></html>'
    await writeTree(app.root, { 'dist/index.html': page })
    await servesTexts(join(app.root, 'dist'), app)
  })
})
