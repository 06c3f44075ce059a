/** `delivery: 'live'` in Chromium: a release into a finished build, in open and in new pages. */
import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noChromium, visit } from '../helpers/browser.ts'
import { hashesOf, html, liveBuilds, NEVER, startHost } from '../helpers/live-pages.ts'
import { startProject } from '../helpers/project.ts'
import { isSampled, repeats } from '../helpers/repeats.ts'

const PLAIN = `
import { load, onUpdate, version } from 'virtual:translations'
globalThis.load = load
globalThis.started = (globalThis.started ?? 0) + 1
const messages = await load('en')
const show = () => { document.body.dataset.texts = Object.values(messages).sort().join(); document.body.dataset.version = version() }
show()
onUpdate(show)
`
const TEXTS = {
  'en/common': { a: 'A', b: 'B', c: 'C', d: 'D' },
  'pl/common': { a: 'A pl', b: 'B pl' },
  'en/shop': { buy: 'Buy' },
}
const CONFIG = {
  delivery: 'live',
  refresh: { intervalMs: 1000 },
  defaultLanguage: 'en',
  defaultNamespace: 'common',
} as const
const FILES = {
  'package.json': { type: 'module' },
  'localization.config.json': CONFIG,
  'main.js': PLAIN,
  'index.html': html('<script type="module" src="/main.js"></script>'),
}
const BASES = ['/', './', '/deep/app/']

const names = ['vite', 'webpack', 'rspack', 'rollup', 'rolldown', 'esbuild']
const sampled = names.filter((name) => isSampled(name, ['vite']))

/** A build of the project's texts behind a host. */
async function startLive(name: string, { base = '/', files = {}, options = {}, headers }: LiveOptions = {}) {
  const project = await startProject({ files: { ...FILES, ...files }, service: { languages: ['pl'], texts: TEXTS } })
  const { root, baseUrl, apiKey } = project
  const [, build] = liveBuilds({ service: { baseUrl, apiKey }, ...options }).find(
    ([each]) => each === name,
  ) as never as [string, (root: string, base: string) => Promise<void>]
  await build(root, base)
  const isDeep = base !== '/'
  await mkdir(join(root, 'www/deep'), { recursive: true })
  await rename(join(root, 'dist'), join(root, isDeep ? 'www/deep/app' : 'www/all'))
  const folder = isDeep ? 'www/deep/app' : 'www/all'
  const host = await startHost(join(root, isDeep ? 'www' : 'www/all'), headers)
  const address = `${host.origin}${isDeep ? '/deep/app/' : '/'}`
  const release = async (...args: readonly string[]) => {
    const { code, output, stdout } = await project.run('release', folder, ...args)
    expect(code, output).toBe(0)
    return stdout
  }
  return { ...project, host, folder: join(root, folder), address, release }
}

interface LiveOptions {
  readonly base?: string
  readonly files?: Readonly<Record<string, string | object>>
  readonly options?: object
  readonly headers?: Readonly<Record<string, string>>
}

const isText = (path: string) => /\/localization\/.*\.js$/.test(path)

describe.skipIf(noChromium).each(sampled)('%s', (name) => {
  const base = BASES[names.indexOf(name) % BASES.length] as string

  test.each(repeats([base], BASES))(
    'base %s: three texts reach an open page, which keeps its state, and a new page',
    async (base) => {
      const live = await startLive(name, { base })
      const before = await hashesOf(live.folder)
      const { page, problems } = await visit(live.address)
      const texts = () => page.evaluate('document.body.dataset.texts')
      await expect.poll(texts).toBe('A,B,C,D')
      const first = await page.evaluate('document.body.dataset.version')
      await page.fill('#state', 'typed')
      expect(live.host.sent.filter(({ path }) => path.endsWith('table.json'))).not.toHaveLength(0)
      await live.setText('en', 'common', 'a', 'A2')
      await live.setText('en', 'common', 'b', 'B2')
      await live.setText('en', 'shop', 'buy', 'Buy now')
      live.host.takeSent()
      await live.release()
      await expect.poll(texts).toBe('A2,B2,C,D')
      expect(await page.evaluate('document.body.dataset.version')).not.toBe(first)
      expect(await page.inputValue('#state')).toBe('typed')
      expect(await page.evaluate('started')).toBe(1)
      expect(await page.evaluate("load('en', 'shop')")).toEqual({ buy: 'Buy now' })
      const sent = live.host.takeSent().filter(({ status }) => status === 200)
      expect(sent.filter(({ path }) => path.endsWith('table.json'))).toHaveLength(1)
      // The changed namespaces, once each.
      expect(sent.map(({ path }) => path).filter((path) => !path.endsWith('table.json'))).toEqual([
        expect.stringMatching(/en\/common\.[0-9a-f]{8}\.js$/),
        expect.stringMatching(/en\/shop\.[0-9a-f]{8}\.js$/),
      ])
      const after = await hashesOf(live.folder)
      const changed = [...before].filter(([path, hash]) => after.get(path) !== hash).map(([path]) => path)
      expect(changed).toEqual([expect.stringMatching(/localization.table\.json$/)])

      const other = await visit(live.address)
      await expect.poll(() => other.page.evaluate('document.body.dataset.texts')).toBe('A2,B2,C,D')
      expect(live.host.takeSent().filter(({ path }) => isText(path))).toHaveLength(1)

      await live.release('--previous')
      await expect.poll(texts).toBe('A,B,C,D')
      expect(await page.evaluate('document.body.dataset.version')).toBe(first)
      expect(await page.evaluate("load('en', 'shop')")).toEqual({ buy: 'Buy' })
      expect([...problems, ...other.problems]).toEqual([])
    },
  )
})

describe.skipIf(noChromium)('a page', () => {
  const shownIn = (page: { evaluate(code: string): Promise<unknown> }) => () =>
    page.evaluate('document.body.dataset.texts')

  test('shows the texts of the build if the table cannot be used, and those of the release when it can', async () => {
    const live = await startLive('vite', { options: { refresh: false } })
    await live.setText('en', 'common', 'a', 'A2')
    await live.release()
    const table = await readFile(join(live.folder, 'assets/localization/table.json'), 'utf8')
    const other = (change: object) => JSON.stringify({ ...JSON.parse(table), ...change })
    const { hashes } = JSON.parse(table) as { readonly hashes: string }
    const bad: Readonly<Record<string, string | number>> = {
      missing: 404,
      'of a broken server': 500,
      'cut in half': table.slice(0, table.length / 2),
      empty: '',
      'a page': '<!doctype html><title>Sign in</title>',
      'of another build': other({ build: 'f00f00f00f00' }),
      'of another format': other({ format: 2 }),
      'with too few names': other({ hashes: hashes.slice(8) }),
      'with other names': other({ hashes: hashes.replace(/./g, 'z') }),
      'with the name of a missing file': other({ hashes: hashes.replace(/[0-9a-f]/g, '0') }),
    }
    for (const [what, answer] of Object.entries(bad)) {
      live.host.replace = (path) => (path.endsWith('table.json') ? answer : undefined)
      const { page, close } = await visit(live.address)
      await expect.poll(shownIn(page), { message: what }).toBe('A,B,C,D')
      expect(await page.evaluate("load('en', 'shop')"), what).toEqual({ buy: 'Buy' })
      await close()
    }
    live.host.replace = () => undefined
    const { page } = await visit(live.address)
    await expect.poll(shownIn(page)).toBe('A2,B,C,D')
  })

  test('does not wait for a table that never comes, and ignores one that is older than its own', async () => {
    const live = await startLive('vite')
    const path = join(live.folder, 'assets/localization/table.json')
    const old = await readFile(path, 'utf8')
    await live.setText('en', 'common', 'a', 'A2')
    await live.release()
    const { page } = await visit(live.address)
    await expect.poll(shownIn(page)).toBe('A2,B,C,D')
    live.host.replace = (each) => (each.endsWith('table.json') ? old : undefined)
    live.host.takeSent()
    await expect.poll(() => live.host.sent.length).toBeGreaterThan(1)
    expect(await shownIn(page)()).toBe('A2,B,C,D')
    // Three releases, and then a namespace that the page has not loaded before.
    live.host.replace = () => undefined
    for (const text of ['1', '2', '3']) {
      await live.setText('en', 'shop', 'buy', `Buy ${text}`)
      await live.release()
    }
    expect(['Buy', 'Buy 1', 'Buy 2', 'Buy 3']).toContain(
      await page.evaluate("load('en', 'shop').then(({ buy }) => buy)"),
    )
    await expect.poll(() => page.evaluate("load('en', 'shop').then(({ buy }) => buy)")).toBe('Buy 3')
    live.host.replace = (each) => (each.endsWith('table.json') ? NEVER : undefined)
    const slow = await visit(live.address)
    await expect.poll(shownIn(slow.page)).toBe('A,B,C,D')
  })

  test('asks again for a table that the host let the browser keep for a year', async () => {
    const headers = { 'Cache-Control': 'public, max-age=31536000, immutable' }
    const live = await startLive('vite', { headers, options: { refresh: false } })
    const { page } = await visit(live.address)
    await expect.poll(shownIn(page)).toBe('A,B,C,D')
    await live.setText('en', 'common', 'a', 'A2')
    await live.release()
    // A new address, because the page itself is kept too.
    await page.goto(`${live.address}?again`)
    await expect.poll(shownIn(page)).toBe('A2,B,C,D')
  })

  test('works under a strict policy, and shows the version that a server rendered', async () => {
    const headers = {
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:",
    }
    const live = await startLive('vite', { headers, options: { refresh: false } })
    await live.setText('en', 'common', 'a', 'A2')
    await live.release()
    const table = JSON.parse(await readFile(join(live.folder, 'assets/localization/table.json'), 'utf8'))
    await live.setText('en', 'common', 'a', 'A3')
    await live.release()
    const { page, problems } = await visit(live.address)
    await expect.poll(shownIn(page)).toBe('A3,B,C,D')
    const index = await readFile(join(live.folder, 'index.html'), 'utf8')
    live.host.replace = (path) =>
      path.endsWith('rendered.html')
        ? index.replace('<head>', `<head><meta name="localization-version" content="${table.version}">`)
        : undefined
    await page.goto(`${live.address}rendered.html`)
    await expect.poll(shownIn(page)).toBe('A2,B,C,D')
    expect(problems).toEqual([])
  })

  test('stays quiet while it is hidden, and asks less often after errors', async () => {
    const live = await startLive('vite')
    const { page } = await visit(live.address)
    await expect.poll(shownIn(page)).toBe('A,B,C,D')
    const asked = () => live.host.sent.filter(({ path }) => path.endsWith('table.json')).length
    const show = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await show('hidden')
    await live.setText('en', 'common', 'a', 'A2')
    await live.release()
    const other = await visit(live.address)
    const before = asked()
    // The other page asks several times.
    await expect.poll(asked).toBeGreaterThan(before + 3)
    expect(await shownIn(other.page)()).toBe('A2,B,C,D')
    expect(await shownIn(page)()).toBe('A,B,C,D')
    await show('visible')
    await expect.poll(shownIn(page)).toBe('A2,B,C,D')
  })
})
