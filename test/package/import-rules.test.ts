/** Each import rule of `.dependency-cruiser.cjs` reports the import that it forbids, and no other rule does. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { repository } from '../helpers/bundlers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const CONFIG = join(repository, '.dependency-cruiser.cjs')
const { forbidden } = createRequire(import.meta.url)(CONFIG) as { forbidden: readonly Rule[] }

interface Rule {
  readonly name: string
  readonly to: { readonly pathNot?: string | readonly string[] }
}

const ABOVE = '-imports-only-directories-above-it'
/** By the directory of src/: the rule that says which others it may import. */
const directories = new Map(
  forbidden.filter(({ name }) => name.endsWith(ABOVE)).map((rule) => [rule.name.replace(ABOVE, ''), rule]),
)
const everyDirectory = [...directories.keys(), 'service']

/** By the rule: files with imports that it forbids. Each file belongs to one rule. */
const IMPORTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'no-cycle': { 'src/catalog/cycle-a.ts': ['./cycle-b.ts'], 'src/catalog/cycle-b.ts': ['./cycle-a.ts'] },
  'shared-imports-no-feature': { 'src/shared/feature.ts': ['../catalog/x.ts'] },
  ...Object.fromEntries(
    [...directories].map(([name, rule]) => [
      rule.name,
      { [`src/${name}/below.ts`]: forbiddenTo(name).map((target) => `../${target}/x.ts`) },
    ]),
  ),
  'usage-knows-libraries-by-their-port': { 'src/usage/flow/library.ts': ['../libraries/i18next.ts'] },
  'service-shares-schemas-only': { 'src/service/client.ts': ['../api/client.ts'] },
  'directories-import-no-entry': { 'src/plugin/entry.ts': ['../client.ts'] },
  'runtime-is-browser-safe': { 'src/runtime.ts': ['node:path'] },
  'glue-is-browser-safe': { 'src/output/glue/node.ts': ['node:path'] },
  'undici-in-transport-only': { 'src/api/sender.ts': ['undici'] },
  'bundlers-in-plugin-and-entries-only': { 'src/catalog/bundler.ts': ['vite'] },
  'pure-directories-do-no-io': { 'src/output/io.ts': ['node:fs/promises'] },
  'declared-dependencies-only': { 'src/catalog/undeclared.ts': ['undeclared'] },
  'no-dev-dependency-at-run-time': { 'src/catalog/tool.ts': ['a-tool'] },
  'inspector-page-is-browser-safe': { 'src/inspector/page/node.ts': ['node:path'] },
  'inspector-page-is-prebuilt': { 'src/inspector/page-user.ts': ['./page/x.ts'] },
  resolvable: { 'src/catalog/nowhere.ts': ['./not-there.ts'] },
}

/** What those files import, where it exists. */
const IMPORTED = [
  ...everyDirectory.map((name) => `src/${name}/x.ts`),
  'src/usage/libraries/i18next.ts',
  'src/inspector/page/x.ts',
  'src/api/client.ts',
  'src/client.ts',
]
const INSTALLED = ['undici', 'vite', 'undeclared', 'a-tool']

interface Violation {
  readonly from: string
  readonly to: string
  readonly rule: { readonly name: string }
}

let violations: readonly Violation[]

/** One run for all rules: starting the command takes longer than everything that it does. */
beforeAll(async () => {
  const folder = await tempFolder()
  await writeTree(folder, {
    'tsconfig.json': '{}',
    'package.json': {
      type: 'module',
      dependencies: { undici: '1.0.0', vite: '1.0.0' },
      devDependencies: { 'a-tool': '1.0.0' },
    },
    ...Object.fromEntries(IMPORTED.map((name) => [name, 'export const x = 1\n'])),
    ...Object.fromEntries(
      INSTALLED.flatMap((name) => [
        [`node_modules/${name}/package.json`, { name, main: 'index.js' }],
        [`node_modules/${name}/index.js`, 'export const x = 1\n'],
      ]),
    ),
    ...Object.fromEntries(
      Object.values(IMPORTS)
        .flatMap((files) => Object.entries(files))
        .map(([name, specifiers]) => [name, specifiers.map((path) => `export { x } from '${path}'\n`).join('')]),
    ),
  })
  const command = join(repository, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
  const args = [command, 'src', '--config', CONFIG, '--output-type', 'json']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  )
  violations = (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations
})

test('each rule has its files, and each file its rule', () => {
  expect(Object.keys(IMPORTS).sort()).toEqual(forbidden.map(({ name }) => name).sort())
  const files = [...IMPORTED, ...Object.values(IMPORTS).flatMap((own) => Object.keys(own))]
  expect(files.filter((file, i) => files.indexOf(file) !== i)).toEqual([])
  expect(violations.filter(({ from }) => !files.includes(from))).toEqual([])
})

test.each(Object.entries(IMPORTS))('%s', (rule, files) => {
  const reported = violations.filter(({ from }) => from in files)
  expect(new Set(reported.map((violation) => violation.rule.name))).toEqual(new Set([rule]))
  const directory = rule.endsWith(ABOVE) ? rule.replace(ABOVE, '') : undefined
  if (directory) expect(reported.map(({ to }) => to.split('/')[1]).sort()).toEqual(forbiddenTo(directory).sort())
})

function forbiddenTo(directory: string): string[] {
  const allowed = [directories.get(directory)?.to.pathNot ?? []].flat().map((path) => new RegExp(path))
  return everyDirectory.filter((name) => !allowed.some((path) => path.test(`src/${name}/x.ts`)))
}
