/** Each import rule of `.dependency-cruiser.cjs` reports the import that it forbids, and no other rule does. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
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

const EXPORT = 'export const x = 1\n'
const importing = (specifier: string) => `export { x } from '${specifier}'\n`
const installed = (name: string) => ({
  [`node_modules/${name}/package.json`]: { name, main: 'index.js' },
  [`node_modules/${name}/index.js`]: EXPORT,
})

type Files = Readonly<Record<string, string | object>>

/** By the rule: a tree with imports that it forbids. */
const TREES: Readonly<Record<string, Files>> = {
  'no-cycle': { 'src/catalog/a.ts': importing('./b.ts'), 'src/catalog/b.ts': importing('./a.ts') },
  'shared-imports-no-feature': { 'src/shared/a.ts': importing('../catalog/x.ts'), 'src/catalog/x.ts': EXPORT },
  ...Object.fromEntries([...directories].map(([name, rule]) => [rule.name, everyForbidden(name)])),
  'usage-knows-libraries-by-their-port': {
    'src/usage/flow/a.ts': importing('../libraries/svelte-i18n.ts'),
    'src/usage/libraries/svelte-i18n.ts': EXPORT,
  },
  'service-shares-schemas-only': { 'src/service/a.ts': importing('../api/client.ts'), 'src/api/client.ts': EXPORT },
  'directories-import-no-entry': { 'src/plugin/a.ts': importing('../client.ts'), 'src/client.ts': EXPORT },
  'runtime-is-browser-safe': { 'src/runtime.ts': importing('node:path') },
  'glue-is-browser-safe': { 'src/output/glue/a.ts': importing('node:path') },
  'undici-in-transport-only': {
    'src/api/a.ts': importing('undici'),
    'package.json': { type: 'module', dependencies: { undici: '1.0.0' } },
    ...installed('undici'),
  },
  'bundlers-in-plugin-and-entries-only': {
    'src/catalog/a.ts': importing('vite'),
    'package.json': { type: 'module', dependencies: { vite: '1.0.0' } },
    ...installed('vite'),
  },
  'pure-directories-do-no-io': { 'src/output/a.ts': importing('node:fs/promises') },
  'declared-dependencies-only': { 'src/catalog/a.ts': importing('undeclared'), ...installed('undeclared') },
  'no-dev-dependency-at-run-time': {
    'src/catalog/a.ts': importing('a-tool'),
    'package.json': { type: 'module', devDependencies: { 'a-tool': '1.0.0' } },
    ...installed('a-tool'),
  },
  'inspector-page-is-browser-safe': { 'src/inspector/page/a.ts': importing('node:path') },
  'inspector-page-is-prebuilt': { 'src/inspector/a.ts': importing('./page/x.ts'), 'src/inspector/page/x.ts': EXPORT },
  resolvable: { 'src/catalog/a.ts': importing('./nowhere.ts') },
}

test('each rule has a tree, and each tree a rule', () => {
  expect(Object.keys(TREES).sort()).toEqual(forbidden.map(({ name }) => name).sort())
})

test.each(Object.entries(TREES))('%s', async (rule, files) => {
  const violations = await violationsIn(files)
  expect(new Set(violations.map((violation) => violation.rule.name))).toEqual(new Set([rule]))
  const directory = rule.endsWith(ABOVE) ? rule.replace(ABOVE, '') : undefined
  if (directory) expect(violations.map(({ to }) => to.split('/')[1]).sort()).toEqual(forbiddenTo(directory).sort())
})

function forbiddenTo(directory: string): string[] {
  const allowed = [directories.get(directory)?.to.pathNot ?? []].flat().map((path) => new RegExp(path))
  return [...directories.keys(), 'service'].filter((name) => !allowed.some((path) => path.test(`src/${name}/x.ts`)))
}

function everyForbidden(directory: string): Files {
  const targets = forbiddenTo(directory)
  return {
    [`src/${directory}/a.ts`]: targets.map((name) => `import '../${name}/x.ts'\n`).join(''),
    ...Object.fromEntries(targets.map((name) => [`src/${name}/x.ts`, EXPORT])),
  }
}

interface Violation {
  readonly to: string
  readonly rule: { readonly name: string }
}

async function violationsIn(files: Files): Promise<readonly Violation[]> {
  const root = await tempFolder()
  await writeTree(root, { 'tsconfig.json': '{}', 'package.json': { type: 'module' }, ...files })
  const command = join(repository, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
  const args = [command, 'src', '--config', CONFIG, '--output-type', 'json']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root }).catch(
    (error: { stdout: string }) => error,
  )
  return (JSON.parse(stdout) as { summary: { violations: Violation[] } }).summary.violations
}
