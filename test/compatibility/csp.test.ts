/** A Content-Security-Policy that lets in the scripts with a nonce, and what those fetch. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { covers } from '../helpers/compatibility.ts'
import {
  buildVitePage,
  buildWebpackPage,
  htmlPage,
  MAIN,
  OPTIONS,
  pageProject,
  showsBothLanguages,
  TEXTS,
} from '../helpers/compatibility-page.ts'
import { buildWithEsbuild } from '../helpers/page-builds.ts'
import { writeTree } from '../helpers/temp.ts'

const NONCE = 'c2VjcmV0IG5vbmNl'
const pageWithNonce = (script: string) => htmlPage(script.replace('<script ', `<script nonce="${NONCE}" `))
const PLACES = ['control', 'first'] as const
const SETTING = "nonces, `'strict-dynamic'`"

describe.skipIf(noChromium).each(['vite', 'vite7'] as const)('%s', (name) => {
  covers({ tool: 'Content-Security-Policy', setting: `${SETTING}; \`html.cspNonce\`, \`preload\``, bundlers: [name] })

  test.each(PLACES)('%s', async (place) => {
    const root = await pageProject(place)
    await buildVitePage(name, { root, place, options: { preload: ['common'] } }, { html: { cspNonce: NONCE } })
    await runs(root)
  })
})

describe.skipIf(noChromium).each(['webpack', '@rspack/core'] as const)('%s', (name) => {
  covers({ tool: 'Content-Security-Policy', setting: `${SETTING}; \`__webpack_nonce__\``, bundlers: [name] })

  test.each(PLACES)('%s', async (place) => {
    const root = await pageProject(place, { 'main.js': `__webpack_nonce__ = '${NONCE}'\n${MAIN}` })
    await buildWebpackPage(name, { root, place })
    const html = await readFile(join(root, 'dist/index.html'), 'utf8')
    await writeTree(root, { 'dist/index.html': html.replace('<script ', `<script nonce="${NONCE}" `) })
    await runs(root)
  })
})

describe.skipIf(noChromium)('esbuild', () => {
  covers({ tool: 'Content-Security-Policy', setting: SETTING, bundlers: ['esbuild'] })

  test('first', async () => {
    const root = await pageProject('first')
    await buildWithEsbuild(OPTIONS, pageWithNonce)(root, '/')
    await runs(root)
  })
})

const LAZY = `
import { load } from 'virtual:translations'
globalThis.show = async (language) => {
  const { title } = await load(language, 'common')
  const { more } = await import('./more.js')
  document.body.dataset.text = title + (await more(language))
}
globalThis.show(document.documentElement.lang)
`
const MORE = `
import { load } from 'virtual:translations'
export const more = async (language) => {
  const { more } = await load(language, 'common')
  return more
}
`

describe.skipIf(noChromium).each(['vite', 'vite7'] as const)('texts that come with chunks, %s', (name) => {
  covers({ tool: 'Content-Security-Policy', setting: `${SETTING}; \`prune.perChunk\``, bundlers: [name] })

  test('first', async () => {
    const root = await pageProject('first', { 'main.js': LAZY, 'more.js': MORE })
    for (const [language, text] of Object.entries(TEXTS)) {
      const [title, more] = [text.slice(0, 2), text.slice(2)]
      await writeTree(root, { [`locales/${language}/common.json`]: { title, more } })
    }
    const options = { prune: { perChunk: true } }
    await buildVitePage(name, { root, place: 'first', options }, { html: { cspNonce: NONCE } })
    const files = await readdir(join(root, 'dist'), { recursive: true })
    expect(files.filter((file) => file.includes('common.chunk.'))).toHaveLength(2)
    await runs(root)
  })
})

async function runs(root: string): Promise<void> {
  for (const scripts of [`'nonce-${NONCE}'`, `'nonce-${NONCE}' 'strict-dynamic'`]) {
    const headers = { 'Content-Security-Policy': `default-src 'none'; img-src data:; script-src ${scripts}` }
    const server = await serveFolder(join(root, 'dist'), headers)
    onTestFinished(() => server.close())
    const watched = await visit(`${server.origin}/`)
    await showsBothLanguages(watched)
    await watched.close()
  }
}
