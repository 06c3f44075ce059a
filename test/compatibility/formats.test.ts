/** Output that is no bundle of ES modules: `system`, and one file for each module. */
import { copyFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { OutputOptions } from 'rolldown'
import { describe, expect, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { covers, noPackages, packageFile } from '../helpers/compatibility.ts'
import {
  buildVitePage,
  htmlPage,
  OPTIONS,
  type Place,
  pageProject,
  showsBothLanguages,
} from '../helpers/compatibility-page.ts'
import { writeTree } from '../helpers/temp.ts'

const PLACES = ['control', 'first'] as const
type Name = 'vite' | 'vite7' | 'rollup' | 'rolldown'
interface Output {
  readonly format: 'es' | 'system'
  readonly preserveModules?: boolean
}

/** `main.js` in `app`, texts below `dist`: the folders of scripts and texts are not the same. */
async function build(name: Name, root: string, place: Place, output: Output): Promise<void> {
  const names = { entryFileNames: 'app/[name].js', chunkFileNames: 'app/[name].js' }
  const input = join(root, 'main.js')
  if (name === 'vite' || name === 'vite7') {
    const all = { ...output, ...names } as OutputOptions
    const rollupOptions = { input, output: all, preserveEntrySignatures: 'strict' as const }
    await buildVitePage(name, { root, place }, { build: { modulePreload: false, rollupOptions } })
    return
  }
  const { rollup } =
    name === 'rollup'
      ? await import('rollup')
      : { rollup: (await import('rolldown')).rolldown as never as typeof import('rollup').rollup }
  const plugins = place === 'control' ? [] : [(await builtPlugin(name, { ...OPTIONS, root })) as never]
  const bundle = await rollup({ input, plugins })
  await bundle.write({ dir: join(root, 'dist'), ...output, ...names })
  await bundle.close()
}

async function runs(root: string, scripts: string, texts?: 'chunks'): Promise<void> {
  await writeTree(root, { 'dist/index.html': htmlPage(scripts) })
  const server = await serveFolder(join(root, 'dist'))
  onTestFinished(() => server.close())
  const watched = await visit(`${server.origin}/`)
  await showsBothLanguages(watched, texts)
  await watched.close()
}

/** Rolldown, and Vite 8 with it, have no such format. */
describe.skipIf(noChromium || noPackages).each(['vite7', 'rollup'] as const)('system, %s', (name) => {
  const limit = name === 'vite7' ? { limit: 'texts are modules in the output' } : {}
  covers({ tool: '`format: system`', setting: 'systemjs', bundlers: [name], ...limit })

  test.each(PLACES)('%s', async (place) => {
    const root = await pageProject(place)
    await build(name, root, place, { format: 'system' })
    await copyFile(packageFile('systemjs/dist/s.min.js'), join(root, 'dist/s.js'))
    const main = '<script type="systemjs-module" src="/app/main.js"></script>'
    await runs(root, `<script src="/s.js"></script>${main}`, name === 'vite7' ? 'chunks' : undefined)
  })
})

describe.skipIf(noChromium).each(['vite', 'vite7', 'rollup', 'rolldown'] as const)('preserveModules, %s', (name) => {
  covers({ tool: '`preserveModules`', setting: '`format: es`', bundlers: [name] })

  test.each(PLACES)('%s', async (place) => {
    const root = await pageProject(place)
    await build(name, root, place, { format: 'es', preserveModules: true })
    // The control's texts are modules; those of the plugin are below `localization`.
    const modules = place === 'control' ? ['load.js', 'main.js'] : ['manifest.js', 'runtime.js', 'main.js']
    const files = await readdir(join(root, 'dist/app'), { recursive: true })
    expect(files.map((file) => basename(file))).toEqual(expect.arrayContaining(modules))
    await runs(root, '<script type="module" src="/app/main.js"></script>')
  })
})
