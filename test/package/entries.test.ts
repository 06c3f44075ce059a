/**
 * What importing an entry loads at once: the plugin must not cost a start what only a service, a command or a watcher
 * needs.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { BUNDLER_NAMES } from '../../src/plugin/bundlers.ts'
import { repository } from '../helpers/bundlers.ts'

/** A plugin's own dependencies at its start are part of the package. */
const PLUGIN: readonly string[] = []
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  index: PLUGIN,
  ...Object.fromEntries(BUNDLER_NAMES.map((name) => [name, PLUGIN])),
  client: ['undici/index.js'],
  runtime: [],
  i18next: [],
  'vue-i18n': [],
  'react-intl': [],
  cli: ['commander'],
}

test.each(Object.entries(ENTRIES))('%s', async (entry, packages) => {
  expect(await loadedPackages(entry)).toEqual(packages)
})

test.each(BUNDLER_NAMES)(
  'require() of the entry for %s gives the plugin, as CommonJS configurations expect',
  (bundler) => {
    expect(createRequire(import.meta.url)(`unplugin-localization/${bundler}`)).toBeTypeOf('function')
  },
)

/** The packages that static imports reach from an entry of the built package. */
async function loadedPackages(entry: string): Promise<string[]> {
  const { outputs } = await metafileOf(entry)
  const start = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === `dist/${entry}.js`)
  const queue = [start as string]
  const seen = new Set<string>()
  const packages = new Set<string>()
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    for (const { path, kind, external } of outputs[name]?.imports ?? []) {
      if (kind !== 'import-statement') continue
      if (!external) queue.push(path)
      else if (!isBuiltin(path)) packages.add(path)
    }
  }
  return [...packages].sort()
}

async function metafileOf(entry: string) {
  const { metafile } = await build({
    absWorkingDir: repository,
    entryPoints: [join(repository, `dist/${entry}.js`)],
    outdir: join(repository, 'unused'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    treeShaking: false,
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return metafile
}

function isBuiltin(path: string): boolean {
  return path.startsWith('node:') || process.getBuiltinModule(path) !== undefined
}
