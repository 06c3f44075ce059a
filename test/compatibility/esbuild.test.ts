/** esbuild's own ways of building: what its metafile says, and builds again in one context. */
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildResult, context, type Metafile } from 'esbuild'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { covers } from '../helpers/compatibility.ts'
import { htmlPage, OPTIONS, pageProject, showsBothLanguages, TEXTS } from '../helpers/compatibility-page.ts'
import { writeTree } from '../helpers/temp.ts'

/** A context that builds the page into `dist`, its output named after its content. */
async function start(root: string, prune: boolean) {
  const created = await context({
    absWorkingDir: root,
    entryPoints: ['main.js'],
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    outdir: 'dist',
    entryNames: 'app/[name]-[hash]',
    metafile: true,
    logLevel: 'silent',
    plugins: [(await builtPlugin('esbuild', { ...OPTIONS, prune: prune && { onUnknown: 'ignore' } })) as never],
  })
  onTestFinished(() => created.dispose())
  return created
}

/** The page as a server would write it from the metafile. */
async function open(root: string, { outputs }: Metafile) {
  const [entry = ''] = Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === 'main.js')
  const page = htmlPage(`<script type="module" src="/${entry.replace('dist/', '')}"></script>`)
  await writeTree(root, { 'dist/index.html': page })
  const server = await serveFolder(join(root, 'dist'))
  onTestFinished(() => server.close())
  return visit(`${server.origin}/`)
}

describe.skipIf(noChromium).each([false, true])('prune: %s', (prune) => {
  covers({
    tool: "esbuild's context",
    setting: '`metafile`, `rebuild()`',
    bundlers: ['esbuild'],
    limit: 'texts are modules in the output, with every key',
  })

  test('the metafile names every file with its size', async () => {
    const root = await pageProject('first')
    const { metafile } = await (await start(root, prune)).rebuild()
    const names = Object.keys(metafile.outputs)
    for (const name of names)
      expect([name, (await stat(join(root, name))).size]).toEqual([name, metafile.outputs[name]?.bytes])
    const watched = await open(root, metafile)
    await showsBothLanguages(watched, 'chunks')
    await watched.close()
  })

  test('builds again, unchanged and with an edited text, into an emptied folder', async () => {
    const root = await pageProject('first')
    const builds = await start(root, prune)
    const first = await builds.rebuild()
    await rm(join(root, 'dist'), { recursive: true })
    const second: BuildResult<{ metafile: true }> = await builds.rebuild()
    expect(second.metafile.outputs).toEqual(first.metafile.outputs)
    await showsBothLanguages(await open(root, second.metafile), 'chunks')

    await writeTree(root, { 'locales/pl/common.json': { title: 'Inny tytuł' } })
    await rm(join(root, 'dist'), { recursive: true })
    const third = await builds.rebuild()
    const watched = await open(root, third.metafile)
    await expect.poll(() => watched.page.evaluate('document.body.dataset.text')).toBe(TEXTS.en)
    await watched.page.evaluate("globalThis.show('pl')")
    expect(await watched.page.evaluate('document.body.dataset.text')).toBe('Inny tytuł')
    expect(watched.problems).toEqual([])
    expect(Object.keys(third.metafile.outputs)).not.toEqual(Object.keys(first.metafile.outputs))
  })
})
