/** Vite's `experimental.renderBuiltUrl`: scripts and texts on another origin than the page. */
import { mkdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { covers } from '../helpers/compatibility.ts'
import { buildVitePage, htmlPage, type Place, pageProject, showsBothLanguages } from '../helpers/compatibility-page.ts'
import { writeTree } from '../helpers/temp.ts'

type BuiltUrl = string | { readonly relative?: boolean; readonly runtime?: string } | undefined
type Render = (name: string, about: { readonly hostType: string }) => BuiltUrl

const RENDERS: Readonly<Record<string, (cdn: string) => Render>> = {
  'a text': (cdn) => (name) => `${cdn}/${name}`,
  code:
    (cdn) =>
    (name, { hostType }) =>
      hostType === 'js' ? { runtime: `globalThis.onCdn(${JSON.stringify(name)})` } : `${cdn}/${name}`,
  'relative: true':
    (cdn) =>
    (name, { hostType }) =>
      hostType === 'js' ? { relative: true } : `${cdn}/${name}`,
}

describe.skipIf(noChromium).each(['vite', 'vite7'] as const)('%s', (name) => {
  covers({
    tool: 'experimental.renderBuiltUrl',
    setting: 'text, `runtime` and `relative`, `preload`',
    bundlers: [name],
  })

  describe.each(Object.keys(RENDERS))('%s', (kind) => {
    test.each(['control', 'first'] as const)('everything on another origin, %s', (place) => works(kind, place))
  })

  test.each(['a text', 'code'])('texts alone on another origin, %s', (kind) =>
    works(kind, 'first', 'assets/localization'),
  )

  test('an address that does not end in the name of the file is an error', async () => {
    const root = await pageProject('first')
    const experimental = { renderBuiltUrl: (file: string) => `/${file}?version=1` }
    await expect(buildVitePage(name, { root, place: 'first' }, { experimental })).rejects.toThrow(
      /renderBuiltUrl returns \S+\?version=1 for assets\/localization\/en\/common\.\w+\.js\. The URLs of/,
    )
  })

  /** @param moved what is on the other origin, and nowhere else; default: all but the page */
  async function works(kind: string, place: Place, moved?: string): Promise<void> {
    const root = await pageProject(place)
    const cdn = await serveFolder(join(root, 'cdn'), { 'Access-Control-Allow-Origin': '*' })
    onTestFinished(() => cdn.close())
    const onCdn = `<script>globalThis.onCdn = (name) => '${cdn.origin}/' + name</script>`
    const main = '<script type="module" src="/main.js"></script>'
    await writeTree(root, { 'index.html': htmlPage(onCdn + main) })
    const render = RENDERS[kind]?.(cdn.origin) as Render
    const renderBuiltUrl: Render = (file, about) => (file.startsWith(moved ?? '') ? render(file, about) : undefined)
    const options = { preload: ['common'] }
    await buildVitePage(name, { root, place, options }, { experimental: { renderBuiltUrl } })
    if (moved === undefined) {
      await rename(join(root, 'dist'), join(root, 'cdn'))
      await mkdir(join(root, 'dist'))
      await rename(join(root, 'cdn/index.html'), join(root, 'dist/index.html'))
    } else {
      await mkdir(join(root, 'cdn', dirname(moved)), { recursive: true })
      await rename(join(root, 'dist', moved), join(root, 'cdn', moved))
    }
    const server = await serveFolder(join(root, 'dist'))
    onTestFinished(() => server.close())
    const watched = await visit(`${server.origin}/`)
    await showsBothLanguages(watched)
    const links = "[...document.querySelectorAll('link[rel=modulepreload]')].map((link) => link.href)"
    const preloaded = (await watched.page.evaluate<string[]>(links)).filter((href) => href.includes('localization/'))
    expect(preloaded.map((href) => new URL(href).origin)).toEqual(place === 'control' ? [] : [cdn.origin])
    await watched.close()
  }
})
