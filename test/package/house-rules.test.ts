/** The import rules are only worth something if breaking one fails the lint. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const BROKEN: readonly (readonly [rule: string, files: Record<string, string>])[] = [
  [
    'no-cycle',
    {
      'src/catalog/a.ts': "import { b } from './b.ts'\nexport const a = b",
      'src/catalog/b.ts': "import { a } from './a.ts'\nexport const b = a",
    },
  ],
  [
    'ground-imports-no-feature',
    { 'src/shared/a.ts': "export { x } from '../catalog/x.ts'", 'src/catalog/x.ts': 'export const x = 1' },
  ],
  [
    'catalog-imports-only-rooms-to-its-left',
    { 'src/catalog/a.ts': "export { x } from '../sources/x.ts'", 'src/sources/x.ts': 'export const x = 1' },
  ],
  [
    'sync-imports-only-rooms-to-its-left',
    { 'src/sync/a.ts': "export { x } from '../plugin/x.ts'", 'src/plugin/x.ts': 'export const x = 1' },
  ],
  [
    'usage-knows-libraries-by-their-port',
    {
      'src/usage/flow/a.ts': "export { x } from '../libraries/svelte-i18n.ts'",
      'src/usage/libraries/svelte-i18n.ts': 'export const x = 1',
    },
  ],
  [
    'service-shares-schemas-only',
    { 'src/service/a.ts': "export { x } from '../api/client.ts'", 'src/api/client.ts': 'export const x = 1' },
  ],
  [
    'rooms-import-no-entry',
    { 'src/plugin/a.ts': "export { x } from '../client.ts'", 'src/client.ts': 'export const x = 1' },
  ],
  ['runtime-is-browser-safe', { 'src/runtime.ts': "export { join } from 'node:path'" }],
  ['glue-is-browser-safe', { 'src/output/glue/a.ts': "export { join } from 'node:path'" }],
  [
    'inspector-imports-only-rooms-to-its-left',
    { 'src/inspector/a.ts': "export { x } from '../plugin/x.ts'", 'src/plugin/x.ts': 'export const x = 1' },
  ],
  ['inspector-page-is-browser-safe', { 'src/inspector/page/a.ts': "export { join } from 'node:path'" }],
  [
    'inspector-page-is-prebuilt',
    {
      'src/inspector/a.ts': "export { x } from './page/x.ts'",
      'src/inspector/page/x.ts': 'export const x = 1',
    },
  ],
  ['pure-rooms-do-no-io', { 'src/output/a.ts': "export { readFile } from 'node:fs/promises'" }],
]

test.each(BROKEN)('%s', async (rule, files) => {
  const root = await tempFolder()
  await writeTree(root, { ...files, 'tsconfig.json': '{}', 'package.json': '{"type":"module"}' })
  const failure = await promisify(execFile)(
    process.execPath,
    [
      join(repository, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      'src',
      '--config',
      join(repository, '.dependency-cruiser.cjs'),
    ],
    { cwd: root },
  ).catch((error: { code: number; stdout: string }) => error)
  expect(failure).toMatchObject({ code: expect.any(Number) })
  expect(failure.stdout).toContain(`error ${rule}`)
})
