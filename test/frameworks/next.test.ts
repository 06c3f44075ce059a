/**
 * `unplugin-localization/next` in Next.js itself: built and in development, with Turbopack and with webpack. Installs
 * Next.js (340 MB): runs in CI, and where `FRAMEWORKS` names `next`. `NEXT_VERSION` is another version than the newest.
 */
import { existsSync } from 'node:fs'
import { cp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSyncLock } from '../../src/sync/lock.ts'
import { launchChromium, noChromium, openPage, type WatchedPage } from '../helpers/browser.ts'
import { guardSecret, leaksBelow } from '../helpers/canary.ts'
import { runCli } from '../helpers/cli.ts'
import { editTexts, fetchPage, HELP, realProblems, TEXTS } from '../helpers/frameworks.ts'
import { createNextProject, installNext, type NextProject } from '../helpers/next.ts'
import { holdAlt } from '../helpers/page.ts'
import { startProject } from '../helpers/project.ts'
import { expectedTexts, readRealCatalog, realCatalogs } from '../helpers/real-catalogs.ts'
import { repeats } from '../helpers/repeats.ts'
import { save, writeTree } from '../helpers/temp.ts'
import { freePort } from '../helpers/throwaway-server.ts'
import { isAsked } from '../helpers/tools.ts'

const WAIT = { timeout: 90_000, interval: 50 }
const HOST = '127.0.0.1'

/** Rendered for each request. */
const DYNAMIC_PAGE = `import { load } from 'virtual:translations'
export const dynamic = 'force-dynamic'
export default async function Page({ params }) {
  const { language } = await params
  return <h1>{(await load(language, 'common')).title}</h1>
}
`

const PAGES_ROUTER = {
  'pages/old/[language].js': `import { languages, load } from 'virtual:translations'
import { Help } from '../../app/[language]/help.js'
import { Pots } from '../../app/[language]/pots.js'
export const getStaticPaths = () => ({
  paths: languages.map(({ key }) => ({ params: { language: key } })),
  fallback: false,
})
export const getStaticProps = async ({ params: { language } }) =>
  ({ props: { language, texts: await load(language, 'common') } })
export default function Old({ language, texts }) {
  return <main><h1>{texts.title}</h1><Pots text={texts.pots} /><Help language={language} /></main>
}
`,
  'pages/_document.js': `import { Head, Html, Main, NextScript } from 'next/document'
export default function Document() {
  return <Html><Head><link rel="icon" href="data:," /></Head><body><Main /><NextScript /></body></Html>
}
`,
}

describe.skipIf(noChromium || !isAsked('next'))('Next.js', () => {
  let browser: Browser
  let home = ''
  let projects = 0
  const createProject = (files?: Readonly<Record<string, string | object>>, config?: string) =>
    createNextProject(home, `project${projects++}`, files, config)

  beforeAll(async () => {
    browser = await launchChromium()
    home = await installNext(process.env.NEXT_VERSION ?? '16')
  })
  afterAll(() => browser?.close())

  const open = (address: string) => openPage(browser, address)

  describe.each([
    ['Turbopack', '--turbopack'],
    ['webpack', '--webpack'],
  ])('%s', (_name, flag) => {
    test('a build: each page has its own language, a lazy namespace is one more file', async () => {
      const apiKey = guardSecret('secret-of-the-production-build')
      const env = { LOCALIZATION_API_KEY: apiKey }
      const project = await createProject(
        { ...PAGES_ROUTER, 'app/[language]/now/page.js': DYNAMIC_PAGE },
        // Next.js passes the phase; what is set here stays.
        `async (phase) => ({
  turbopack: { root: home, resolveAlias: { words: './words.js' } },
  webpack(config) {
    config.resolve.alias.words = import.meta.dirname + '/words.js'
    return config
  },
  outputFileTracingRoot: home,
  env: { PHASE: phase },
})`,
      )
      await writeTree(project.root, {
        'words.js': "export const words = 'words of ' + process.env.PHASE\n",
        'app/[language]/words/page.js':
          "import { words } from 'words'\nexport default function Page() {\n  return <h1>{words}</h1>\n}\n",
      })
      await build(project, flag, env)
      expect(await leaksBelow(join(project.root, '.next'))).toEqual([])

      // The server needs neither the modules nor the key.
      await rm(join(project.root, '.localization'), { recursive: true })
      const origin = await serve(project, ['start'])
      expect(existsSync(join(project.root, '.localization'))).toBe(false)
      expect(await (await fetch(`${origin}/en/words`)).text()).toContain('words of phase-production-build')
      for (const [language, other] of [
        ['en', 'pl'],
        ['pl', 'en'],
      ] as const) {
        expect(await (await fetch(`${origin}/${language}/now`)).text()).toContain(TEXTS[language].title)
        for (const path of ['', 'old/']) {
          const watched = await open(`${origin}/${path}${language}`)
          await isTakenOver(watched, language)
          expect(await watched.page.textContent('h1')).toBe(TEXTS[language].title)
          expect((await watched.bodies()).join('\n')).not.toContain(HELP[language])
          const before = watched.requests.length
          await watched.page.click('#help')
          await expect.poll(() => watched.page.textContent('p'), WAIT).toBe(HELP[language])
          expect(watched.requests.slice(before)).toEqual([expect.stringMatching(/\/_next\/static\/.*\.js/)])
          const all = (await watched.bodies()).join('\n')
          for (const text of [TEXTS[other].title, HELP[other]]) expect(all).not.toContain(text)
          expect(watched.problems).toEqual([])
          await watched.close()
        }
      }
    })

    test('in development: edits of files and of the service show in the open page, which keeps its state', async () => {
      const service = await startProject({ service: { languages: ['pl'] } })
      await service.importTexts('en', 'common', { title: TEXTS.en.title, pots: 'Pots: {count}' })
      await service.importTexts('en', 'help', { answer: HELP.en })
      const { baseUrl, apiKey } = service
      const project = await createProject({
        ...PAGES_ROUTER,
        'localization.config.json': {
          defaultLanguage: 'en',
          service: { baseUrl },
          pull: { intervalMs: 200, write: true },
        },
      })
      const port = await freePort()
      const env = { CI: '', LOCALIZATION_API_KEY: apiKey }
      const running = project.start(['dev', flag, '-H', HOST, '-p', String(port)], env)
      const address = `http://${HOST}:${port}`
      expect(await fetchPage(`${address}/pl`, running)).toContain(TEXTS.pl.title)

      for (const path of ['', 'old/']) {
        const first = await open(`${address}/${path}en`)
        await first.live()
        const pots = await isTakenOver(first, 'en')
        await first.page.click('#help')
        await expect.poll(() => first.page.textContent('p'), WAIT).toBeTruthy()
        await first.page.evaluate(() => Object.assign(globalThis, { planted: 'token' }))
        for (const edit of [`First edit ${path}`, `Second edit ${path}`]) {
          await editTexts(project.root, 'en', edit)
          await expect.poll(() => first.page.textContent('h1'), WAIT).toBe(edit)
          await save(join(project.root, 'locales/en/help.json'), { answer: `${edit} of help` })
          await expect.poll(() => first.page.textContent('p'), WAIT).toBe(`${edit} of help`)
          await expect.poll(() => service.readText('en', 'help', 'answer'), WAIT).toBe(`${edit} of help`)
        }
        await service.setText('en', 'help', 'answer', `The translator's ${path}`)
        await expect.poll(() => first.page.textContent('p'), WAIT).toBe(`The translator's ${path}`)
        expect(await first.page.evaluate('globalThis.planted')).toBe('token')
        expect(await first.page.textContent('button')).toBe(pots)
        expect(realProblems(first.problems)).toEqual([])

        const broken = '{ "answer": '
        await writeTree(project.root, { 'locales/en/help.json': broken })
        await expect.poll(() => first.problems.join('\n'), WAIT).toContain('locales/en/help.json:1:13')
        expect(running.output()).toContain('error: locales/en/help.json:1:13')
        expect(await first.page.textContent('p')).toBe(`The translator's ${path}`)
        await save(join(project.root, 'locales/en/help.json'), { answer: 'Whole again' })
        await expect.poll(() => first.page.textContent('p'), WAIT).toBe('Whole again')
        await first.close()
      }

      // One process of several loads and syncs, and ends with the server.
      expect(running.output().match(/\d+ texts in/g)).toHaveLength(1)
      expect(running.output()).not.toContain(apiKey)
      running.signal('SIGTERM')
      await running.ended
      const lock = createSyncLock(project.root)
      await expect.poll(() => lock.acquire(), WAIT).toBe('held')
      await lock.release()
    })

    test('in development: the inspector under the address of Next.js, and Alt-click changes a text', async () => {
      const project = await createProject({
        'localization.config.json': { defaultLanguage: 'en', source: 'files', edit: true },
      })
      const port = await freePort()
      const running = project.start(['dev', flag, '-H', HOST, '-p', String(port)], { CI: '' })
      const address = `http://${HOST}:${port}`
      await fetchPage(`${address}/en`, running)
      await expect.poll(() => running.output(), WAIT).toContain(`${address}/__localization/index.html`)

      const inspector = await openPage(browser, `${address}/__localization`)
      await inspector.page.getByRole('heading', { name: 'Coverage' }).waitFor(WAIT)
      await inspector.page.getByRole('row', { name: /^Polish pl/ }).waitFor(WAIT)
      await inspector.close()

      const watched = await open(`${address}/en`)
      await watched.live()
      await isTakenOver(watched, 'en')
      const { page } = watched
      await page.click('#help')
      await page.locator('p').waitFor(WAIT)
      await holdAlt(page)
      await page.locator('p').click({ modifiers: ['Alt'] })
      const popup = page.getByRole('dialog', { name: 'Translation' })
      await popup.getByLabel('English en').fill('Changed in the page')
      await popup.getByRole('button', { name: 'Save: English' }).click()
      const file = join(project.root, 'locales/en/help.json')
      await expect.poll(() => readFile(file, 'utf8'), WAIT).toContain('Changed in the page')
      await page.keyboard.up('Alt')
      await expect.poll(() => page.textContent('p'), WAIT).toBe('Changed in the page')
      await watched.close()
      running.signal('SIGTERM')
      await running.ended
    })

    test("delivery: 'live': a release changes an open page, which keeps its state, and a server component", async () => {
      const project = await createProject(
        {
          'localization.config.json': {
            defaultLanguage: 'en',
            source: 'files',
            delivery: 'live',
            refresh: { intervalMs: 1000 },
          },
          'app/[language]/now/page.js': DYNAMIC_PAGE,
        },
        "{ turbopack: { root: home }, outputFileTracingRoot: home, basePath: '/app' }",
      )
      await build(project, flag)
      const origin = await serve(project, ['start'], '/app/en')
      const watched = await open(`${origin}/app/en`)
      const { page } = watched
      const pots = await isTakenOver(watched, 'en')
      await page.click('#help')
      await expect.poll(() => page.textContent('p'), WAIT).toBe(HELP.en)
      const release = async (...args: readonly string[]) => {
        const run = await runCli(['release', 'public', ...args], { cwd: project.root })
        expect(run.code, run.output).toBe(0)
      }
      const now = async () => (await fetch(`${origin}/app/en/now`)).text()
      expect(await now()).toContain(TEXTS.en.title)

      await save(join(project.root, 'locales/en/help.json'), { answer: 'Released' })
      await editTexts(project.root, 'en', 'Released title')
      await release()
      await expect.poll(() => page.textContent('p'), WAIT).toBe('Released')
      expect(await page.textContent('button')).toBe(pots)
      expect(await now()).toContain('Released title')
      const fresh = await open(`${origin}/app/en`)
      await isTakenOver(fresh, 'en')
      await fresh.page.click('#help')
      await expect.poll(() => fresh.page.textContent('p'), WAIT).toBe('Released')

      await release('--previous')
      await expect.poll(() => page.textContent('p'), WAIT).toBe(HELP.en)
      expect(await page.textContent('button')).toBe(pots)
      expect(await now()).toContain(TEXTS.en.title)
      expect([...watched.problems, ...fresh.problems]).toEqual([])
      // Nothing outside of the folder.
      expect((await fetch(`${origin}/app/localization/..%2f..%2fpackage.json`)).status).toBe(404)
      await Promise.all([watched.close(), fresh.close()])
    })

    test('a secret in the output ends the build: in a file of the browser, and in a prerendered page', async () => {
      const env = { LOCALIZATION_API_KEY: 'key-that-was-put-into-a-page' }
      const inlined = await createProject(
        { 'app/[language]/leak.js': "'use client'\nexport const Leak = () => <i>{process.env.LEAK}</i>\n" },
        '{ turbopack: { root: home }, outputFileTracingRoot: home, env: { LEAK: process.env.LOCALIZATION_API_KEY } }',
      )
      const page = await readFile(join(inlined.root, 'app/[language]/page.js'), 'utf8')
      const withLeak = `import { Leak } from './leak.js'\n${page.replace('</main>', '<Leak /></main>')}`
      await writeTree(inlined.root, { 'app/[language]/page.js': withLeak })
      const first = await inlined.run(['build', flag], env)
      expect(first.output).toMatch(
        /secret of the localization service \(ke\*\*\*, plain\): \.next\/static\/.*Removed the file/,
      )
      expect(first.code).toBe(1)

      const rendered = await createProject({
        'app/[language]/page.js':
          'export default function Page() {\n  return <i>{process.env.LOCALIZATION_API_KEY}</i>\n}\n',
      })
      const second = await rendered.run(['build', flag], env)
      expect(second.output).toMatch(/: \.next\/server\/app\/.*Removed the file/)
      expect(second.output).not.toContain(env.LOCALIZATION_API_KEY)
      expect(second.code).toBe(1)
    })

    test('bad input ends the build with what is wrong', async () => {
      const broken = await createProject({ 'locales/en/common.json': '{ "title": ' })
      const first = await broken.run(['build', flag])
      expect(first.output).toContain('locales/en/common.json:1:12: unexpected end of file')
      expect(first.code).toBe(1)

      const unknown = await createProject({
        'app/[language]/pots.js':
          "'use client'\nimport texts from 'virtual:translations/en/comon'\n" +
          'export const Pots = () => <i>{texts.title}</i>\n',
      })
      const second = await unknown.run(['build', flag])
      expect(second.output).toContain('pots.js')
      expect(second.output).toMatch(/namespaces: 'common', 'help'|unknown namespace "comon".*Did you mean "common"\?/)
      expect(second.code).toBe(1)
    })
  })

  test('configurations as TypeScript and as CommonJS; commands that bundle nothing generate nothing', async () => {
    const typescript = await createProject({
      'next.config.ts': `import withLocalization from 'unplugin-localization/next'
export default withLocalization({ turbopack: { root: ${JSON.stringify(home)} } })
`,
    })
    await rm(join(typescript.root, 'next.config.mjs'))
    const typegen = await typescript.run(['typegen'])
    expect(typegen.code, typegen.output).toBe(0)
    expect(existsSync(join(typescript.root, '.localization'))).toBe(false)
    await build(typescript, '--turbopack')

    const commonJs = await createProject({
      'package.json': { private: true },
      'next.config.js': `const withLocalization = require('unplugin-localization/next')
module.exports = withLocalization({ turbopack: { root: ${JSON.stringify(home)} } })
`,
    })
    await rm(join(commonJs.root, 'next.config.mjs'))
    await build(commonJs, '--turbopack')

    const elsewhere = await createProject()
    const failed = await elsewhere.run(['build', elsewhere.root], {}, home)
    expect(failed.output).toContain('withLocalization(nextConfig, { root: import.meta.dirname })')
    expect(failed.code).toBe(1)
  })

  test.each(repeats(realCatalogs.slice(0, 2), realCatalogs))(
    'all texts of $name, imported and lazy, with Turbopack',
    async (layout) => {
      const expected = expectedTexts(await readRealCatalog(layout), 'en')
      const { keySeparator, files, without } = layout
      const project = await createProject({
        'localization.config.json': {
          source: 'files',
          files,
          keySeparator,
          defaultLanguage: 'en',
          ...(without.length > 0 && { languages: without.map((name) => `!${name}`) }),
        },
      })
      await rm(join(project.root, 'locales'), { recursive: true })
      await rm(join(project.root, 'app/[language]'), { recursive: true })
      await cp(layout.folder, join(project.root, 'locales'), { recursive: true })
      const languages = [...expected.keys()]
      await writeTree(project.root, {
        'app/layout.js':
          'export default function Layout({ children }) {\n  return <html lang="en"><head>' +
          '<link rel="icon" href="data:," /></head><body>{children}</body></html>\n}\n',
        'app/page.js': [
          "'use client'",
          "import { useEffect } from 'react'",
          "import { loadLanguage } from 'virtual:translations'",
          ...languages.map((key, at) => `import l${at} from 'virtual:translations/${key}'`),
          `const keys = ${JSON.stringify(languages)}`,
          `const imported = [${languages.map((_, at) => `l${at}`).join(', ')}]`,
          'export default function Page() {',
          '  useEffect(() => {',
          '    Promise.all(keys.map(loadLanguage)).then((lazy) => Object.assign(globalThis, { found: { imported, lazy } }))',
          '  }, [])',
          '  return null',
          '}',
          '',
        ].join('\n'),
      })
      await build(project, '--turbopack')
      const watched = await open(await serve(project, ['start'], '/'))
      await watched.page.waitForFunction('globalThis.found')
      const found =
        await watched.page.evaluate<Record<'imported' | 'lazy', Record<string, Record<string, string>>[]>>(
          'globalThis.found',
        )
      let compared = 0
      for (const how of ['imported', 'lazy'] as const)
        for (const [at, language] of languages.entries())
          for (const [namespace, texts] of expected.get(language) ?? []) {
            expect(found[how][at]?.[namespace], `${how} ${language}/${namespace}`).toEqual(Object.fromEntries(texts))
            compared += texts.size
          }
      expect(compared).toBeGreaterThan(0)
      process.stdout.write(`${layout.name}: ${compared} texts compared through Next.js with Turbopack\n`)
      await watched.close()
    },
  )
})

async function build(project: NextProject, flag: string, env?: Readonly<Record<string, string>>): Promise<void> {
  const { code, output } = await project.run(['build', flag], env)
  expect(code, output).toBe(0)
}

/** Resolves to its origin once `path` answers. */
async function serve(project: NextProject, command: readonly string[], path = '/en'): Promise<string> {
  const port = await freePort()
  const running = project.start([...command, '-H', HOST, '-p', String(port)])
  const origin = `http://${HOST}:${port}`
  await fetchPage(`${origin}${path}`, running)
  return origin
}

/** Presses until the browser has taken the page over. Answers what the button shows then. */
async function isTakenOver({ page }: WatchedPage, language: keyof typeof TEXTS): Promise<string> {
  const { pots } = TEXTS[language]
  await expect
    .poll(async () => {
      await page.click('button')
      return page.textContent('button')
    }, WAIT)
    .not.toBe(pots(0))
  return (await page.textContent('button')) as string
}
