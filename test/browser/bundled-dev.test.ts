/** Vite's dev server that bundles the page's modules (`experimental.bundledDev`). */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { noChromium, visit } from '../helpers/browser.ts'
import { builtPlugin, isTested } from '../helpers/bundlers.ts'
import { startVite } from '../helpers/dev-servers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = {
  'index.html': '<!doctype html><html lang="en"><body><script type="module" src="/main.js"></script></body></html>\n',
  'main.js': `
import { load, namespaces, onUpdate } from 'virtual:translations'
async function show() {
  const [common, cart] = [await load('en', 'common'), await load('en', 'views/cart')]
  document.body.dataset.texts = [common.title, cart.title].join()
  document.body.dataset.namespaces = namespaces.join()
  // Vite's addresses of lazy modules lack the base.
  if (import.meta.env.BASE_URL !== '/') return
  const [cartModule, whole] = [await import('virtual:translations/en/views/cart'), await import('virtual:translations/en')]
  document.body.dataset.imported = [cartModule.default.title, whole.default.common.title].join()
}
document.body.dataset.visit = Math.random()
onUpdate(show)
show()
`,
  'locales/en/common.json': { title: 'Title' },
  'locales/en/views/cart.json': { title: 'Cart' },
}

describe.skipIf(noChromium || !isTested('vite'))('the dev server bundles', () => {
  test.each(['/', '/deep/app/'])(
    'base %s: texts in the page and on the server, and an edit without a reload',
    async (base) => {
      const root = await tempFolder()
      await writeTree(root, FILES)
      const plugins = [(await builtPlugin('vite', { configFile: false, defaultLanguage: 'en' })) as never]
      const experimental = { bundledDev: true }
      const server = await startVite({
        root,
        base,
        configFile: false,
        cacheDir: join(root, '.vite'),
        plugins,
        experimental,
      })
      const onServer = async () =>
        ((await server.ssrLoadModule('virtual:translations/en/common')) as { default: { title: string } }).default.title
      expect(await onServer()).toBe('Title')
      const watched = await visit(server.resolvedUrls?.local[0] ?? '')
      const shown = (name: string) => watched.page.evaluate(`document.body.dataset.${name}`)
      await expect.poll(() => shown('texts'), { timeout: 10_000 }).toBe('Title,Cart')
      const isLazy = base === '/'
      if (isLazy) await expect.poll(() => shown('imported'), { timeout: 10_000 }).toBe('Cart,Title')
      const first = await shown('visit')
      await writeTree(root, { 'locales/en/views/cart.json': { title: 'Basket' } })
      await expect.poll(() => shown('texts'), { timeout: 10_000 }).toBe('Title,Basket')
      await writeTree(root, { 'locales/en/common.json': { title: 'Heading' } })
      await expect.poll(() => shown('texts'), { timeout: 10_000 }).toBe('Heading,Basket')
      if (isLazy) await expect.poll(() => shown('imported'), { timeout: 10_000 }).toBe('Basket,Heading')
      await writeTree(root, { 'locales/en/extra.json': { title: 'Extra' } })
      await expect.poll(() => shown('namespaces'), { timeout: 10_000 }).toBe('common,extra,views/cart')
      expect(await shown('visit')).toBe(first)
      expect(await onServer()).toBe('Heading')
      await watched.close()
    },
  )
})
