/** The site of the documentation: it builds, and Chromium finds every option, command and error code in it. */
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { noChromium, visit } from '../helpers/browser.ts'
import { repository } from '../helpers/bundlers.ts'
import { tableRows } from '../helpers/markdown.ts'
import { runToSuccess } from '../helpers/processes.ts'
import { fileOf, serveSite } from '../helpers/site.ts'

const SITE = join(repository, 'site')
const DIST = join(SITE, 'dist')
const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const read = (path: string) => readFile(join(repository, path), 'utf8')

/** Each page by its file, such as `options/prune.html`. */
let pages: ReadonlyMap<string, string>

beforeAll(async () => {
  await runToSuccess(['npm', 'ci', '--prefer-offline'], { cwd: SITE })
  await runToSuccess([process.execPath, 'build.mjs'], { cwd: SITE })
  const names = (await readdir(DIST, { recursive: true })).filter((name) => name.endsWith('.html'))
  pages = new Map(
    await Promise.all(
      names.map(async (name) => [name.replaceAll('\\', '/'), await readFile(join(DIST, name), 'utf8')] as const),
    ),
  )
})

test('each option, command and error code has an address', async () => {
  const [options, errors, commands] = await Promise.all([
    read('docs/options.md'),
    read('src/errors.ts'),
    read('docs/commands.md'),
  ])
  const codes = /export type ErrorCode =([\s\S]*?)\n\n/.exec(errors)?.[1] ?? ''
  const addresses = [
    ...[...options.matchAll(/^#{2,3} `([^`]+)`$/gm)].map(([, name]) => [`options/${name}`, name]),
    ...[...codes.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => [`errors/${code}`, code]),
    ...tableRows('docs/commands.md', commands, '| command | what it does |').flatMap(([cell = '']) =>
      [...cell.matchAll(/`([a-z ]+)/g)].map(([, name = '']) => [
        `commands/${name.trim().replaceAll(' ', '-')}`,
        `localization ${name.trim()}`,
      ]),
    ),
  ]
  expect(addresses.length).toBeGreaterThan(130)
  const wrong = addresses.filter(([path, title]) => !headingOf(pages.get(`${path}.html`)).includes(title ?? ''))
  expect(wrong).toEqual([])
})

test('each type of the public interface has a heading with its documentation', async () => {
  const names = await readdir(join(repository, 'api'))
  expect(names.length).toBeGreaterThan(15)
  for (const name of names) {
    const path = `api/${name === 'index.md' ? 'unplugin-localization' : name.slice(0, -'.md'.length)}.html`
    const ids = attributes(pages.get(path) ?? '', 'id')
    const declared = (await read(`api/${name}`)).matchAll(/^ {0,4}(?:class|function|interface|type) (\w+)/gm)
    expect(ids).toEqual(expect.arrayContaining([...declared].map(([, type]) => type)))
  }
  expect(pages.get('api/client.html')).toContain('<p>A failed call to the service. Safe to print')
  expect(sidebarOf(pages.get('api/client.html') ?? '')).toContain('href="/api/runtime"')
})

test('each page of docs/ is in the sidebar of the first page of the documentation', async () => {
  const contents = pages.get('contents.html') ?? ''
  for (const name of await readdir(join(repository, 'docs'))) {
    const path = name.replace(/\.md$/, '')
    if (['README', 'options', 'commands'].includes(path)) continue
    expect([...pages.keys()].filter((page) => [`${path}.html`, `${path}/index.html`].includes(page))).toHaveLength(1)
    expect(sidebarOf(contents), path).toMatch(new RegExp(`href="/${path}/?"`))
  }
})

test('links lead to pages and headings that are there, and nothing comes from another host', () => {
  const ids = new Map([...pages].map(([path, html]) => [path, new Set(attributes(html, 'id'))]))
  const broken: string[] = []
  let links = 0
  for (const [path, html] of pages) {
    expect(html.match(/<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?\/\/[^"]*"/g), path).toBeNull()
    for (const href of attributes(html, 'href').filter((value) => /^[/#]/.test(value))) {
      links++
      const [to = '', anchor] = href.split('#')
      const target = to === '' ? path : decodeURI(fileOf(to)).slice(1)
      if (!target.endsWith('.html')) continue
      if (!pages.has(target)) broken.push(`${path}: ${href}: no such page`)
      else if (anchor && !ids.get(target)?.has(decodeURIComponent(anchor))) broken.push(`${path}: ${href}: no heading`)
    }
  }
  expect(broken).toEqual([])
  expect(links).toBeGreaterThan(5000)
})

describe.skipIf(noChromium)('in Chromium', () => {
  test('search finds an option and leads to it', async () => {
    const origin = await serveSite(DIST)
    const watched = await visit(`${origin}/`)
    const { page } = watched
    await page.getByRole('heading', { level: 1, name: 'unplugin-localization' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Search' }).first().click()
    await page.getByRole('searchbox').fill('prune.keep')
    await page.locator('.results a').first().click()
    // The link names the heading too.
    await page.waitForURL((address) => address.pathname === '/options/prune.keep')
    await page.getByRole('heading', { level: 1, name: 'prune.keep' }).waitFor()
    expect(await page.getByText('Keys to keep even if no code refers to them').count()).toBe(1)
    expect(watched.problems).toEqual([])
    expect(watched.requests.filter((address) => !address.startsWith(`${origin}/`))).toEqual([])
    await watched.close()
  })

  test.each([320, 390, 768, 1280])('nothing is cut off at a width of %d pixels', async (width) => {
    const origin = await serveSite(DIST)
    const watched = await visit(`${origin}/options/`, { viewport: { width, height: 800 } })
    for (const path of ['/', '/options/', '/api/', '/api/client']) {
      await watched.page.goto(`${origin}${path}`)
      await watched.page.locator('.vp-doc').first().waitFor()
      const wide = await watched.page.evaluate(`
        [document.documentElement, ...document.querySelectorAll('.vp-doc table')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ outerHTML }) => outerHTML.slice(0, 200))`)
      expect([path, wide]).toEqual([path, []])
    }
    await watched.close()
  })

  test.each([
    ['/start', 'light'],
    ['/options/', 'light'],
    ['/api/client', 'dark'],
    ['/commands/push', 'dark'],
    ['/errors/API_NETWORK', 'dark'],
  ] as const)('axe finds nothing on %s, %s', async (path, colorScheme) => {
    const origin = await serveSite(DIST)
    const watched = await visit(`${origin}${path}`, { colorScheme })
    await watched.page.locator('.vp-doc h1').waitFor()
    expect(await violations(watched.page)).toEqual([])
    expect(watched.problems).toEqual([])
    expect(watched.requests.filter((address) => !address.startsWith(`${origin}/`))).toEqual([])
    await watched.close()
  })
})

const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value)

const headingOf = (html = '') => (/<h1[\s\S]*?<\/h1>/.exec(html)?.[0] ?? '').replace(/<[^>]+>/g, '')

const sidebarOf = (html: string) => /<aside class="VPSidebar"[\s\S]*?<\/aside>/.exec(html)?.[0] ?? ''

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(await readFile(axeFile, 'utf8'))
  const { violations: found } = await page.evaluate<AxeResult>('axe.run(document, { resultTypes: ["violations"] })')
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
