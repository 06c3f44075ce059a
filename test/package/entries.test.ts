/**
 * What importing an entry loads at once: the plugin must not cost a start what only a service, a command or a watcher
 * needs.
 */
import { createRequire } from 'node:module'
import { beforeAll, expect, test } from 'vitest'
import { readAtImport } from '../../scripts/module-graph.ts'
import { BUNDLER_NAMES } from '../../src/plugin/bundlers.ts'

/** A plugin's own dependencies at its start are part of the package. */
const PLUGIN: readonly string[] = []
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  index: PLUGIN,
  ...Object.fromEntries(BUNDLER_NAMES.map((name) => [name, PLUGIN])),
  client: ['undici'],
  runtime: [],
  i18next: [],
  'vue-i18n': [],
  'react-intl': [],
  cli: ['commander'],
}

let read: Readonly<Record<string, readonly string[]>>

beforeAll(async () => {
  read = await readAtImport(Object.keys(ENTRIES))
})

test.each(Object.entries(ENTRIES))('%s', (entry, packages) => {
  const names = read[entry]?.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
  expect([...new Set(names)]).toEqual(packages)
})

test.each(BUNDLER_NAMES)(
  'require() of the entry for %s gives the plugin, as CommonJS configurations expect',
  (bundler) => {
    expect(createRequire(import.meta.url)(`unplugin-localization/${bundler}`)).toBeTypeOf('function')
  },
)
