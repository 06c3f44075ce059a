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
import { repository } from '../helpers/bundlers.ts'
import {
  editTexts,
  fetchPage,
  HELP,
  installApp,
  installedVersion,
  type RunOptions,
  realProblems,
  runScript,
  startScript,
  TEXTS,
} from '../helpers/frameworks.ts'
import { tableRows } from '../helpers/markdown.ts'
import { runProcess } from '../helpers/processes.ts'
import { nodeBinary } from '../helpers/tarball.ts'
import { writeTree } from '../helpers/temp.ts'
import { freePort } from '../helpers/throwaway-server.ts'

interface Framework {
  /** The first cell of its row in `docs/frameworks.md`. */
  readonly title: string
  /** What `FRAMEWORKS` names. */
  readonly name: string
  /** Its folder in `apps`. Default: the name. */
  readonly app?: string
  /** What npm installs for it, where this repository does not have it. */
  readonly packages?: readonly string[]
  /** The package that brings Vite, where the app has not its own; `false`: there is none. */
  readonly viteOf?: string | false
  /** The major version of Node, where the framework needs a newer one than this package. */
  readonly node?: number
  /** One command after the other. */
  readonly build: readonly (readonly string[])[]
  /** Starts the output; the port comes as `PORT`. A string: the folder of static pages. */
  readonly start: ((port: number) => readonly string[]) | string
  readonly dev: (port: number) => readonly string[]
  /** What the bundles of server and browser are in, where the app says which keys it uses. */
  readonly pruned?: readonly [server: string, client: string]
  /** The page has a button that loads the namespace `help`. */
  readonly hasHelp?: true
}

const VITE = 'node_modules/vite/bin/vite.js'
const NEXT = 'node_modules/next/dist/bin/next'
const NUXT = 'node_modules/nuxt/bin/nuxt.mjs'
const ASTRO = 'node_modules/astro/astro.js'
const REACT_ROUTER = 'node_modules/@react-router/dev/bin.js'
const HOST = '127.0.0.1'

const NUXT_APP = {
  app: 'nuxt',
  viteOf: '@nuxt/vite-builder',
  build: [[NUXT, 'build']],
  start: () => ['.output/server/index.mjs'],
  dev: (port: number) => [NUXT, 'dev', '--host', HOST, '--port', String(port)],
} as const

const frameworks: readonly Framework[] = [
  {
    title: 'Vite with a server of your own',
    name: 'vite-ssr',
    build: [
      [VITE, 'build', '--outDir', 'dist/client'],
      [VITE, 'build', '--ssr', 'src/server.jsx', '--outDir', 'dist/server'],
    ],
    pruned: ['dist/server', 'dist/client'],
    start: () => ['server.js'],
    dev: () => ['server.js', '--dev'],
  },
  {
    title: 'SvelteKit',
    name: 'sveltekit',
    build: [[VITE, 'build']],
    pruned: ['build/server', 'build/client'],
    start: () => ['build/index.js'],
    dev: (port) => [VITE, 'dev', '--host', HOST, '--port', String(port)],
  },
  {
    title: 'React Router 7',
    name: 'react-router',
    // Its packages depend on each other's exact version, and are not all published at once.
    packages: [
      ...['react-router', '@react-router/dev', '@react-router/node', '@react-router/serve'].map((of) => `${of}@7.18.4`),
      ...['isbot@5', 'react@~19.3', 'react-dom@~19.3', 'vite@~8.3'],
    ],
    build: [[REACT_ROUTER, 'build']],
    pruned: ['build/server', 'build/client'],
    start: () => ['node_modules/@react-router/serve/bin.js', 'build/server/index.js'],
    dev: (port) => [REACT_ROUTER, 'dev', '--host', HOST, '--port', String(port)],
    hasHelp: true,
  },
  {
    title: 'TanStack Start',
    name: 'tanstack-start',
    packages: [
      ...['@tanstack/react-start@~1.169', '@tanstack/react-router@~1.170', 'srvx@~1.0', '@vitejs/plugin-react@6'],
      ...['react@~19.3', 'react-dom@~19.3', 'vite@~8.3'],
    ],
    node: 24,
    build: [[VITE, 'build']],
    pruned: ['dist/server', 'dist/client'],
    start: (port) => [
      ...['node_modules/srvx/bin/srvx.mjs', '--prod', '--host', HOST, '--port', String(port)],
      ...['--static', '../client', '--entry', 'dist/server/server.js'],
    ],
    dev: (port) => [VITE, 'dev', '--host', HOST, '--port', String(port)],
    hasHelp: true,
  },
  {
    title: 'Astro',
    name: 'astro',
    packages: ['astro@~5.18'],
    viteOf: 'astro',
    build: [[ASTRO, 'build']],
    start: 'dist',
    dev: (port) => [ASTRO, 'dev', '--host', HOST, '--port', String(port)],
  },
  { title: 'Nuxt', name: 'nuxt', packages: ['nuxt@~4.5'], node: 24, ...NUXT_APP },
  { title: 'Nuxt, the newest for Node 20', name: 'nuxt-node-20', packages: ['nuxt@~4.4'], ...NUXT_APP },
  {
    title: 'Next.js, Turbopack and webpack',
    name: 'next',
    packages: ['next@~16.4', 'react@~19.3', 'react-dom@~19.3'],
    viteOf: false,
    build: [[NEXT, 'build']],
    start: (port) => [NEXT, 'start', '-H', HOST, '-p', String(port)],
    dev: (port) => [NEXT, 'dev', '-H', HOST, '-p', String(port)],
    hasHelp: true,
  },
]

const asked = (process.env.FRAMEWORKS ?? '').split(',')
const isHere = ({ name, packages }: Framework) =>
  packages === undefined || asked.includes(name) || asked.includes('all')
for (const framework of frameworks)
  if (!isHere(framework)) process.stdout.write(`framework tests skipped: ${framework.name} (npm run test:frameworks)\n`)

const PAGE = await readFile(join(repository, 'docs/frameworks.md'), 'utf8')
/** By framework: its row of the page's table. */
const ROWS = new Map(
  tableRows('docs/frameworks.md', PAGE, '| framework |').map(([title = '', versions = '', ...cells]) => {
    const [vite = '', node = '', , where = ''] = cells
    return [title, { versions, vite, node, where }]
  }),
)

test('docs/frameworks.md has a row for each framework, and says where it runs', () => {
  const runs = frameworks.map(({ title, packages }) => [title, packages ? 'on request' : 'CI'] as const)
  const rows = [...ROWS].map(([title, { where }]) => [title, where])
  expect(rows).toEqual(expect.arrayContaining([...runs]))
  // `vitest.test.ts` runs it.
  const others = rows.filter(([title]) => !frameworks.some((each) => each.title === title))
  expect(others).toEqual([['Vitest', 'CI']])
})

test('the row of Vitest has the versions that run', async () => {
  const versions = `vitest ${await installedVersion(repository, 'vitest')}`
  expect(ROWS.get('Vitest')).toMatchObject({ versions, vite: await installedVersion(repository, 'vite') })
})

describe.skipIf(noChromium).each(frameworks.filter(isHere))('$name', (framework) => {
  const { title, name, app = name, packages, viteOf, build, start, dev, pruned, hasHelp } = framework
  let root = ''
  let node = process.execPath
  beforeAll(async () => {
    if (framework.node !== undefined) node = await nodeBinary(framework.node)
    root = await installApp(app, packages)
  })

  test('the row of docs/frameworks.md has the versions that run', async () => {
    const row = ROWS.get(title)
    const named = [...(row?.versions.matchAll(/(\S+) \d[\d.]*/g) ?? [])].map(([, of = '']) => of)
    expect(named.length).toBeGreaterThan(0)
    const versions = await Promise.all(named.map(async (of) => `${of} ${await installedVersion(root, of)}`))
    const vite = viteOf === false ? '' : await installedVersion(root, 'vite', viteOf)
    const { output } = await runProcess([node, '--version'], { cwd: root })
    const [, version = ''] = /^v(\d+\.\d+)/.exec(output) ?? []
    process.stdout.write(`${title}: ${versions.join(', ')}; Vite ${vite}; Node ${version}\n`)
    expect({ versions: row?.versions, vite: row?.vite }).toEqual({ versions: versions.join(', '), vite })
    if (framework.node !== undefined) expect(row?.node.split('.')[0]).toBe(String(framework.node))
  })

  test('built and served: two languages, then the browser takes over', async () => {
    for (const command of build) await runScript(command, { root, node })
    const addressOf = await serve(start, { root, node })
    await fetchTogether(addressOf)
    for (const [language, other] of PAIRS) {
      const { title, pots } = TEXTS[language]
      const watched = await visit(addressOf(language))
      await shows(watched.page, title)
      await press(watched.page, pots)
      await shows(watched.page, title)
      if (hasHelp) {
        expect((await watched.bodies()).join('\n')).not.toContain(HELP[language])
        const before = watched.requests.length
        await openHelp(watched.page, HELP[language])
        expect(watched.requests.slice(before)).toEqual([expect.stringMatching(/\.js$/)])
      }
      const bodies = (await watched.bodies()).join('\n')
      expect([TEXTS[other].title, HELP[other]].filter((text) => bodies.includes(text))).toEqual([])
      expect(watched.problems).toEqual([])
      await watched.close()
    }
  })

  test.skipIf(pruned === undefined)('pruned, on the server as well', async () => {
    await writeTree(root, {
      'vite.config.js': (await readFile(join(root, 'vite.config.js'), 'utf8')).replace(
        "'en' }",
        "'en', prune: { perChunk: true } }",
      ),
    })
    await eachTexts(root, (texts) => ({ ...texts, unused: 'A text that nothing shows' }))
    if (name === 'sveltekit') await sparing(root)
    for (const command of build) await runScript(command, { root, node })
    for (const folder of pruned ?? [])
      expect(await textOf(join(root, folder))).not.toContain('A text that nothing shows')
    const addressOf = await serve(start, { root, node })
    for (const [language] of PAIRS) {
      const { title, pots } = TEXTS[language]
      const html = await htmlOf(addressOf(language))
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
    const running = startScript(dev(port), { root, node, env })
    const address = `http://${HOST}:${port}`
    expect(await fetchPage(`${address}/pl`, running)).toContain(TEXTS.pl.title)
    const watched = await visit(`${address}/en`)
    const { page } = watched
    await shows(page, TEXTS.en.title)
    const pressed = await press(page, TEXTS.en.pots)
    if (hasHelp) await openHelp(page, HELP.en)
    await page.evaluate(() => Object.assign(globalThis, { planted: 'token' }))
    for (const edit of ['First edit', 'Second edit']) {
      await editTexts(root, 'en', edit)
      await shows(page, edit)
      await expect.poll(() => htmlOf(`${address}/en`), WAIT).toContain(edit)
    }
    if (hasHelp) {
      await writeTree(root, { 'locales/en/help.json': { answer: 'Edited help' } })
      await expect.poll(() => page.textContent('p'), WAIT).toBe('Edited help')
    }
    expect(await page.evaluate('globalThis.planted')).toBe('token')
    expect(await page.textContent('button')).toBe(TEXTS.en.pots(pressed))
    expect(realProblems(watched.problems)).toEqual([])
    await watched.close()

    // Of a page that no browser has opened.
    for (const edit of ['Nowy nagłówek', 'Nowszy nagłówek']) {
      await editTexts(root, 'pl', edit)
      await expect.poll(() => htmlOf(`${address}/pl`), WAIT).toContain(edit)
    }
    await fetchTogether((language) => `${address}/${language}`, { en: 'Second edit', pl: 'Nowszy nagłówek' })
    const anew = await visit(`${address}/pl`)
    await shows(anew.page, 'Nowszy nagłówek')
    await press(anew.page, TEXTS.pl.pots)
    expect(anew.problems).toEqual([])
    await anew.close()
  })
})

const PAIRS = [
  ['en', 'pl'],
  ['pl', 'en'],
] as const

const htmlOf = async (address: string) => (await (await fetch(address)).text()).replaceAll('<!-- -->', '')

/** Forty requests at once, in two languages: each answer is in its own. */
async function fetchTogether(
  addressOf: (language: string) => string,
  titles: Readonly<Record<keyof typeof TEXTS, string>> = { en: TEXTS.en.title, pl: TEXTS.pl.title },
): Promise<void> {
  const pairs = Array.from({ length: 20 }, () => PAIRS).flat()
  await Promise.all(
    pairs.map(async ([language, other]) => {
      const html = await htmlOf(addressOf(language))
      expect(html).toContain(titles[language])
      expect(html).toContain(TEXTS[language].pots(0))
      expect(html).not.toContain(titles[other])
    }),
  )
}

async function openHelp(page: Page, answer: string): Promise<void> {
  await page.click('#help')
  await expect.poll(() => page.textContent('p'), WAIT).toBe(answer)
}

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
async function serve(start: Framework['start'], { root, node }: RunOptions): Promise<(language: string) => string> {
  if (typeof start === 'string') {
    const server = await serveFolder(`${root}/${start}`)
    onTestFinished(() => server.close())
    return (language) => `${server.origin}/${language}/`
  }
  const port = await freePort()
  const running = startScript(start(port), { root, node, env: { PORT: String(port), HOST } })
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
