/** A package that was built with texts of its own, in the page of an app that another bundler builds or serves. */
import { cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { launchChromium, noChromium, openPage, serveFolder } from '../helpers/browser.ts'
import { type Library, libraries, writeLibrary } from '../helpers/libraries.ts'
import { writeTree } from '../helpers/temp.ts'

let folder = ''
let browser: Browser

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'localization-libraries-')))
  for (const library of libraries) {
    const root = join(folder, 'packages', library.name)
    await writeLibrary(root, library)
    await library.build(root)
  }
  if (!noChromium) browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

type Consumer = 'vite' | 'vite7' | 'webpack'

/** Vite takes a linked CommonJS package only where its own bundler knows CommonJS, and never serves one: whatever its texts are. */
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
  const watched = await openPage(browser, address)
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

test.each(libraries.filter(({ isCommonJs }) => !isCommonJs))('$name runs as it is', async ({ name }) => {
  const { title } = (await import(join(folder, 'packages', name, 'dist/index.js'))) as {
    title(language: string): Promise<string>
  }
  expect(await title('pl')).toBe(`Tytuł ${name}`)
})

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
    const { createServer } = (await import(version)) as typeof import('vite')
    const server = await createServer({
      root: app.root,
      configFile: false,
      logLevel: 'silent',
      server: { host: '127.0.0.1', port: 0, fs: { allow: [folder] } },
    })
    onTestFinished(() => server.close())
    await server.listen()
    await showsTexts(server.resolvedUrls?.local[0] ?? '', app)
  })

  test.each(['production', 'development'] as const)('built by webpack for %s', async (mode) => {
    const app = await writeApp(`webpack-${mode}`, 'webpack')
    const { default: webpack } = await import('webpack')
    const compiler = webpack({
      context: app.root,
      mode,
      devtool: false,
      entry: './main.js',
      output: { path: join(app.root, 'dist') },
      performance: false,
    })
    await new Promise<void>((resolve, reject) => {
      compiler?.run((error, stats) => {
        if (error ?? stats?.hasErrors()) reject(error ?? new Error(stats?.toString()))
        else compiler.close((failure) => (failure ? reject(failure) : resolve()))
      })
    })
    const page = '<!doctype html><html lang="en"><body><script src="main.js"></script></body></html>'
    await writeTree(app.root, { 'dist/index.html': page })
    await servesTexts(join(app.root, 'dist'), app)
  })
})
