/** Output that stays in memory: `write: false` of Vite and esbuild, a file system of its own in webpack and Rspack. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { RolldownOutput } from 'rolldown'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { covers, importPackage, noPackages } from '../helpers/compatibility.ts'
import {
  buildVitePage,
  buildWebpackPage,
  htmlPage,
  OPTIONS,
  pageProject,
  showsBothLanguages,
} from '../helpers/compatibility-page.ts'
import { writeTree } from '../helpers/temp.ts'

const PLACES = ['control', 'first'] as const
/** Contents by path, relative to the output folder. */
type Files = Readonly<Record<string, string>>

describe.skipIf(noChromium).each(['vite', 'vite7'] as const)('%s', (name) => {
  covers({ tool: '`write: false`', setting: 'a page', bundlers: [name] })

  test.each(PLACES)('%s', async (place) => {
    const root = await pageProject(place)
    const { output } = (await buildVitePage(name, { root, place }, { build: { write: false } })) as RolldownOutput
    const files = output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)])
    await runs(root, Object.fromEntries(files))
  })
})

describe.skipIf(noChromium || noPackages).each(['webpack', '@rspack/core'] as const)('%s', (name) => {
  covers({ tool: 'memfs', setting: '`outputFileSystem`', bundlers: [name] })

  test.each(PLACES)('%s', async (place) => {
    const { createFsFromVolume, Volume } = await importPackage<Memfs>('memfs')
    const volume = new Volume()
    const root = await pageProject(place)
    await buildWebpackPage(name, { root, place }, {}, (compiler) => {
      compiler.outputFileSystem = createFsFromVolume(volume) as typeof compiler.outputFileSystem
    })
    const files = Object.entries(volume.toJSON()).map(([path, text]) => [relative(join(root, 'dist'), path), text])
    await runs(root, Object.fromEntries(files))
  })
})

interface Memfs {
  readonly Volume: new () => { toJSON(): Files }
  createFsFromVolume(volume: object): unknown
}

/** Without splitting, the script holds its texts by default. */
const FILES_APART = { library: false }

const ESBUILD = [
  { splitting: true, prune: false },
  { splitting: true, prune: { onUnknown: 'ignore' } },
  { splitting: false, prune: false },
] as const

describe.skipIf(noChromium).each(ESBUILD)('esbuild, $splitting, $prune', ({ splitting, prune }) => {
  covers({ tool: '`write: false`', setting: '`splitting`, `prune`', bundlers: ['esbuild'] })

  test.each(PLACES)('%s', async (place) => {
    const root = await pageProject(place)
    const { build } = await import('esbuild')
    const { outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: ['main.js'],
      bundle: true,
      splitting,
      format: 'esm',
      outdir: 'dist',
      entryNames: 'app/[name]',
      write: false,
      logLevel: 'silent',
      plugins:
        place === 'control'
          ? []
          : [(await builtPlugin('esbuild', { ...OPTIONS, prune, ...(!splitting && FILES_APART) })) as never],
    })
    const files = outputFiles.map(({ path, text }) => [relative(join(root, 'dist'), path), text])
    const page = htmlPage('<script type="module" src="/app/main.js"></script>')
    await runs(root, { ...Object.fromEntries(files), 'index.html': page })
  })
})

/** Serves what the build gave, and only that. */
async function runs(root: string, files: Files): Promise<void> {
  expect(existsSync(join(root, 'dist'))).toBe(false)
  await writeTree(root, Object.fromEntries(Object.entries(files).map(([name, text]) => [`served/${name}`, text])))
  const server = await serveFolder(join(root, 'served'))
  onTestFinished(() => server.close())
  const watched = await visit(`${server.origin}/`)
  await showsBothLanguages(watched)
  await watched.close()
}
