/**
 * Frameworks: an app built by the framework's own command, its output run, the page fetched in two languages and taken
 * over by the
 * browser; in development an edited file shows in the open page. Those that are too heavy for everybody's `npm ci` are
 * installed when
 * `FRAMEWORKS` names them: `npm run test:frameworks`.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { editTexts, fetchPage, installApp, runScript, startScript, TEXTS } from '../helpers/frameworks.ts'
import { writeTree } from '../helpers/temp.ts'
import { freePort } from '../helpers/throwaway-server.ts'

interface Framework {
  readonly name: string
  /** What npm installs for it, where this repository does not have it. */
  readonly packages?: readonly string[]
  /** One command after the other. */
  readonly build: readonly (readonly string[])[]
  /** Starts the output; the port comes as `PORT`. A string: the folder of static pages. */
  readonly start: ((port: number) => readonly string[]) | string
  readonly dev: (port: number) => readonly string[]
  /**
   * In development the framework's server keeps modules that no file stands for: a page loaded anew is mended by the
   * browser.
   */
  readonly staleServer?: true
  /** What the server's bundle is in. */
  readonly serverOutput?: string
}

const VITE = 'node_modules/vite/bin/vite.js'
const NEXT = 'node_modules/next/dist/bin/next'
const NUXT = 'node_modules/nuxt/bin/nuxt.mjs'
const ASTRO = 'node_modules/astro/astro.js'
const HOST = '127.0.0.1'

const frameworks: readonly Framework[] = [
  {
    name: 'vite-ssr',
    build: [
      [VITE, 'build', '--outDir', 'dist/client'],
      [VITE, 'build', '--ssr', 'src/server.jsx', '--outDir', 'dist/server'],
    ],
    serverOutput: 'dist/server',
    start: () => ['server.js'],
    dev: () => ['server.js', '--dev'],
  },
  {
    name: 'sveltekit',
    build: [[VITE, 'build']],
    serverOutput: 'build/server',
    start: () => ['build/index.js'],
    dev: (port) => [VITE, 'dev', '--host', HOST, '--port', String(port)],
  },
  {
    name: 'astro',
    packages: ['astro@5'],
    build: [[ASTRO, 'build']],
    start: 'dist',
    dev: (port) => [ASTRO, 'dev', '--host', HOST, '--port', String(port)],
  },
  {
    name: 'nuxt',
    packages: ['nuxt@4'],
    staleServer: true,
    build: [[NUXT, 'build']],
    start: () => ['.output/server/index.mjs'],
    dev: (port) => [NUXT, 'dev', '--host', HOST, '--port', String(port)],
  },
  {
    name: 'next',
    packages: ['next@16', 'react@19', 'react-dom@19'],
    build: [[NEXT, 'build']],
    start: (port) => [NEXT, 'start', '-H', HOST, '-p', String(port)],
    dev: (port) => [NEXT, 'dev', '-H', HOST, '-p', String(port)],
  },
]

const asked = (process.env.FRAMEWORKS ?? '').split(',')
const isHere = ({ name, packages }: Framework) =>
  packages === undefined || asked.includes(name) || asked.includes('all')
for (const framework of frameworks)
  if (!isHere(framework)) process.stdout.write(`framework tests skipped: ${framework.name} (npm run test:frameworks)\n`)

describe.skipIf(noChromium).each(frameworks.filter(isHere))(
  '$name',
  ({ name, packages, build, start, dev, staleServer, serverOutput }) => {
    let root = ''
    beforeAll(async () => {
      root = await installApp(name, packages)
    })

    test('built and served: two languages, then the browser takes over', async () => {
      for (const command of build) await runScript(command, { root })
      const addressOf = await serve(root, start)
      for (const [language, { title, pots }] of Object.entries(TEXTS)) {
        const address = addressOf(language)
        const html = (await (await fetch(address)).text()).replaceAll('<!-- -->', '')
        expect(html).toContain(title)
        expect(html).toContain(pots(0))
        const watched = await visit(address)
        await shows(watched.page, title)
        await press(watched.page, pots)
        await shows(watched.page, title)
        expect(watched.problems).toEqual([])
        await watched.close()
      }
    })

    test.skipIf(serverOutput === undefined)('pruned, on the server as well', async () => {
      await writeTree(root, {
        'vite.config.js': (await readFile(join(root, 'vite.config.js'), 'utf8')).replace(
          "'en' }",
          "'en', prune: { perChunk: true } }",
        ),
      })
      await eachTexts(root, (texts) => ({ ...texts, unused: 'A text that nothing shows' }))
      if (name === 'sveltekit') await sparing(root)
      for (const command of build) await runScript(command, { root })
      for (const folder of [serverOutput as string, name === 'sveltekit' ? 'build/client' : 'dist/client'])
        expect(await textOf(join(root, folder))).not.toContain('A text that nothing shows')
      const addressOf = await serve(root, start)
      for (const [language, { title, pots }] of Object.entries(TEXTS)) {
        const html = (await (await fetch(addressOf(language))).text()).replaceAll('<!-- -->', '')
        expect(html).toContain(title)
        expect(html).toContain(pots(0))
        const watched = await visit(addressOf(language))
        await press(watched.page, pots)
        await shows(watched.page, title)
        expect(watched.problems).toEqual([])
        await watched.close()
      }
    })

    test('in development: rendered on the server, an edit shows in the open page', async () => {
      const port = await freePort()
      const env = { PORT: String(port), HMR_PORT: String(await freePort()), HOST }
      const running = startScript(dev(port), { root, env })
      const address = `http://${HOST}:${port}`
      expect(await fetchPage(`${address}/pl`, running)).toContain(TEXTS.pl.title)
      const watched = await visit(`${address}/en`)
      const { page } = watched
      await shows(page, TEXTS.en.title)
      const pressed = await press(page, TEXTS.en.pots)
      await page.evaluate(() => Object.assign(globalThis, { planted: 'token' }))
      for (const title of ['First edit', 'Second edit']) {
        await editTexts(root, 'en', title)
        await shows(page, title)
      }
      expect(await page.evaluate('globalThis.planted')).toBe('token')
      expect(await page.textContent('button')).toBe(TEXTS.en.pots(pressed))
      expect(watched.problems).toEqual([])
      await watched.close()

      await editTexts(root, 'pl', 'Nowy nagłówek')
      if (!staleServer) await expect.poll(() => fetchPage(`${address}/pl`, running), WAIT).toContain('Nowy nagłówek')
      const anew = await visit(`${address}/pl`)
      await shows(anew.page, 'Nowy nagłówek')
      if (!staleServer) expect(anew.problems).toEqual([])
      await anew.close()
    })
  },
)

async function eachTexts(root: string, change: (texts: object) => object): Promise<void> {
  for (const language of Object.keys(TEXTS)) {
    const file = `locales/${language}/common.json`
    await writeTree(root, { [file]: change(JSON.parse(await readFile(join(root, file), 'utf8')) as object) })
  }
}

/** The page's data name the texts one by one: as a whole they would keep every key. */
async function sparing(root: string): Promise<void> {
  const file = 'src/routes/[language]/+page.js'
  const code = await readFile(join(root, file), 'utf8')
  const spared = code.replace(
    /return .*/,
    "const { title, pots } = await loadTexts(params.language, 'common')\n  return { texts: { title, pots } }",
  )
  expect(spared).not.toBe(code)
  await writeTree(root, { [file]: spared })
}

async function textOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  expect(files.length).toBeGreaterThan(0)
  return (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n')
}

/** Resolves to the address of each language's page. */
async function serve(root: string, start: Framework['start']): Promise<(language: string) => string> {
  if (typeof start === 'string') {
    const server = await serveFolder(`${root}/${start}`)
    onTestFinished(() => server.close())
    return (language) => `${server.origin}/${language}/`
  }
  const port = await freePort()
  const running = startScript(start(port), { root, env: { PORT: String(port), HOST } })
  await fetchPage(`http://${HOST}:${port}/en`, running)
  return (language) => `http://${HOST}:${port}/${language}`
}

const WAIT = { timeout: 60_000, interval: 50 }

/** Presses until the page has been taken over by the browser. Answers how often that took. */
async function press(page: Page, pots: (count: number) => string): Promise<number> {
  await expect
    .poll(async () => {
      await page.click('button')
      return page.textContent('button')
    }, WAIT)
    .not.toBe(pots(0))
  const text = await page.textContent('button')
  const count = Number(/\d+/.exec(text ?? '')?.[0])
  expect(text).toBe(pots(count))
  return count
}

async function shows(page: Page, title: string): Promise<void> {
  await expect.poll(() => page.textContent('h1').catch(String), WAIT).toBe(title)
}
