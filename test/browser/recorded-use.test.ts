/** `LOCALIZATION_RECORD`: exactly the keys that a page asks for are recorded, and a page warns of keys that are pruned. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readRecordings } from '../../src/usage/recorded/recordings.ts'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { startVite } from '../helpers/dev-servers.ts'
import { expectedTexts, installExample } from '../helpers/examples.ts'
import { repeats } from '../helpers/repeats.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const RECORDING = 'LOCALIZATION_RECORD=1\n'

const SHOWN = ['fewer', 'greeting.guest', 'language', 'more', 'name.label', 'name.placeholder', 'tea', 'title']

/** What each example asks for when it shows its page in English with one bag. */
const examples = [
  { name: 'react-i18next', first: ['bags_one', ...SHOWN], more: 'bags_other' },
  { name: 'vue-i18n', first: ['bags', ...SHOWN], more: undefined },
  { name: 'react-intl', first: ['bags', ...SHOWN], more: undefined },
] as const

async function recorded(root: string): Promise<string[]> {
  const { requests } = await readRecordings(root)
  return requests
    .filter(({ isFound }) => isFound)
    .map(({ namespace, key }) => `${namespace}:${key}`)
    .sort()
}

const inCommon = (keys: readonly string[]) => keys.map((key) => `common:${key}`).sort()

describe.skipIf(noChromium).each(repeats([examples[0]], [...examples]))('$name', ({ name, first, more }) => {
  test('in development, the server gets each key that the page asks for, and no other', async () => {
    const root = await installExample(name)
    await writeTree(root, { '.env.development': RECORDING })
    const server = await startVite({ root })
    const watched = await visit(server.resolvedUrls?.local[0] as string)
    const { page } = watched
    const { h1, '.note': note } = await expectedTexts('en', { open: true })
    await expect.poll(() => page.textContent('h1')).toBe(h1)
    await expect.poll(() => recorded(root)).toEqual(inCommon(first))
    await page.click('.more')
    await page.fill('input', 'Karl')
    await page.click('.tea')
    await expect.poll(() => page.textContent('.note')).toBe(note)
    const all = inCommon([...first, 'greeting.named', ...(more === undefined ? [] : [more])])
    await expect.poll(() => recorded(root)).toEqual([...all, 'details:note'])
    expect(watched.problems).toEqual([])
    await watched.close()
  })

  test('a build made with the switch gives the keys to the test', async () => {
    const root = await installExample(name)
    await writeTree(root, { '.env.e2e': RECORDING, 'localization.config.json': { prune: { onUnknown: 'ignore' } } })
    await build({ root, mode: 'e2e', logLevel: 'silent' })
    const server = await serveFolder(join(root, 'dist'))
    onTestFinished(() => server.close())
    const watched = await visit('about:blank')
    const lines: string[] = []
    await watched.page.exposeFunction('__localizationRecorded', (text: string) =>
      lines.push(...text.trim().split('\n')),
    )
    await watched.page.goto(`${server.origin}/`)
    const expected = inCommon(first).map((key) => JSON.stringify(key.split(':')))
    await expect.poll(() => lines.filter((line) => !line.endsWith('false]')).sort()).toEqual(expected)
    expect(watched.problems).toEqual([])
    await watched.close()
  })

  test('in development, a page warns once of each key that the last production build left out', async () => {
    const root = await installExample(name)
    await writeTree(root, {
      'localization.config.json': { prune: { onUnknown: 'ignore' } },
      'locales/en/common.json': {
        ...JSON.parse(await readFile(join(root, 'locales/en/common.json'), 'utf8')),
        'greeting.unseen': 'Nobody asks for it',
      },
    })
    const app = join(root, name === 'vue-i18n' ? 'src/app.vue' : 'src/app.tsx')
    const source = await readFile(app, 'utf8')
    // A key that the analysis cannot see.
    const call = /t\('title'\)|\$t\('common\.title'\)|id="common\.title"|t\('common\.title'\)/
    expect(source).toMatch(call)
    const hidden = source.replace(call, (text) => {
      const [, key = ''] = /['"](.*)['"]/.exec(text) ?? []
      const code = `decodeURI('${key.replace('title', '%74itle')}')`
      return text.startsWith('id=') ? `id={${code}}` : text.replace(/'.*'/, code)
    })
    await writeFile(app, hidden)
    await build({ root, logLevel: 'silent' })
    const server = await startVite({ root })
    const watched = await visit(server.resolvedUrls?.local[0] as string)
    await expect.poll(() => watched.page.textContent('h1')).toBe((await expectedTexts('en')).h1)
    await watched.page.click('.more')
    await expect.poll(() => watched.problems.length).toBeGreaterThan(0)
    expect(watched.problems).toEqual([
      expect.stringContaining('the page uses the key "title" of common. The last production build left it out'),
    ])
    await watched.close()
  })
})

test.skipIf(noChromium)('a page whose keys nobody takes says so once', async () => {
  const root = await tempFolder()
  await writeTree(root, {
    'index.html': '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>',
    'main.js':
      "import { load } from 'virtual:translations'\nload('en', 'common').then(({ a, b }) => (document.title = a + b))\n",
    '.env.e2e': RECORDING,
    'locales/en/common.json': { a: 'A', b: 'B', c: 'C' },
  })
  const plugins = [(await builtPlugin('vite', { configFile: false })) as never]
  await build({ root, mode: 'e2e', configFile: false, logLevel: 'silent', plugins })
  const server = await serveFolder(join(root, 'dist'))
  onTestFinished(() => server.close())
  const watched = await visit(`${server.origin}/`)
  await expect.poll(() => watched.page.title()).toBe('AB')
  await expect.poll(() => watched.problems.filter((line) => line.includes('are not recorded'))).toHaveLength(1)
  await watched.close()
})
