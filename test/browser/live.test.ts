/** `delivery: 'live'` in Chromium: a release into a finished build, in open and in new pages. */
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noChromium, visit } from '../helpers/browser.ts'
import { hashesOf, html, liveBuilds, startHost } from '../helpers/live-pages.ts'
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
