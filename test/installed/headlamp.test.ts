/**
 * The application headlamp with this package instead of its own loading of texts: its own tests pass, and every result
 * of `t()` is the same, from a build with `prune`, literals and `perChunk`.
 */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { headlamp, translationResults } from '../helpers/headlamp/headlamp.ts'
import { runToSuccess } from '../helpers/processes.ts'
import { packTarball } from '../helpers/tarball.ts'
import { tempFolder } from '../helpers/temp.ts'

const OPTIONS = { prune: { onUnknown: 'literals', perChunk: true } }
const LIMIT_MS = 1_800_000

test.skipIf(!headlamp.hasHeadlamp)('headlamp: no result of t() changes', { timeout: LIMIT_MS }, async () => {
  const root = await tempFolder()
  await headlamp.copyHeadlamp(root)
  expect(await ownTests(root)).toContain('58 passed (58)')
  const original = await translationResults(root)
  expect(Object.keys(original).length).toBeGreaterThan(80_000)

  await headlamp.useThePlugin(root, { tarball: await packTarball(), ...OPTIONS })
  expect(await ownTests(root)).toContain('58 passed (58)')
  const { firstModules } = await headlamp.buildHeadlamp(root)
  const output = join(root, 'build/assets/localization')
  expect(changes(original, await translationResults(root, { output }))).toEqual([])

  // The calls of the first page find their texts in what the first page fetches.
  const files = firstModules.filter((file) => file.startsWith('src/'))
  const first = await translationResults(root, { output, isFirstPage: true, files })
  expect(Object.keys(first).length).toBeGreaterThan(10_000)
  expect(changes(original, first)).toEqual([])

  if (!noChromium) await openFirstPages(root)
})

async function ownTests(cwd: string): Promise<string> {
  const { output } = await runToSuccess([process.execPath, 'node_modules/vitest/vitest.mjs', 'run', 'src/i18n'], {
    cwd,
    env: { ...process.env, NODE_ENV: 'test', VITEST: 'true', NO_COLOR: '1' },
  })
  return output
}

/** The results that differ, with both texts. */
function changes(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) {
  return Object.entries(after).flatMap(([id, text]) => (before[id] === text ? [] : [[id, before[id], text]]))
}

/** Prints what the first page fetches, in the language with the largest files, and in one that has all texts. */
async function openFirstPages(root: string): Promise<void> {
  const server = await serveFolder(join(root, 'build'))
  onTestFinished(() => server.close())
  for (const { language, bytes } of await headlamp.languagesOf(root)) {
    if (!['bn', 'de', 'en'].includes(language)) continue
    const watched = await visit(`${server.origin}/`, { locale: language })
    await watched.page.waitForFunction(`document.body.innerText.trim() !== ''`)
    await watched.page.waitForLoadState('networkidle')
    const texts = watched.requests.filter((address) => address.includes('/localization/'))
    expect(texts.filter((address) => address.includes(`/${language}/`))).toHaveLength(3)
    expect(texts.filter((address) => address.includes('.chunk.'))).toEqual([])
    const bodies = await Promise.all(texts.map(async (address) => (await fetch(address)).arrayBuffer()))
    const fetched = bodies.reduce((sum, { byteLength }) => sum + byteLength, 0)
    process.stdout.write(
      `headlamp in ${language}: ${texts.length} files of texts, ${fetched} bytes; its own: ${bytes}\n`,
    )
    await watched.close()
  }
}
