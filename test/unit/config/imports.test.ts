/** Files that the configuration imports: every load has them as they are, and names them among its dependencies. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/resolve.ts'
import type { LocalizationError } from '../../../src/errors.ts'
import { type Tree, tempFolder, writeTree } from '../../helpers/temp.ts'

interface Case {
  readonly title: string
  readonly files: Tree
  /** The file that is edited: `old` is in its content. */
  readonly edited: string
  /** Default: the edited file alone. */
  readonly imports?: readonly string[]
}

const MTS = 'localization.config.mts'
const JS = 'localization.config.js'
const CJS = 'localization.config.cjs'
const ESM = { 'package.json': { type: 'module' } }

const cases: readonly Case[] = [
  {
    title: 'JSON',
    files: { [MTS]: `import part from './part.json'\nexport default part`, 'part.json': { customer: 'old' } },
    edited: 'part.json',
  },
  {
    title: 'JSON with an attribute, and a byte order mark',
    files: {
      ...ESM,
      [JS]: `import part from './part.json' with { type: 'json' }\nexport default { customer: part.x }`,
      'part.json': '\uFEFF{ "x": "old" }',
    },
    edited: 'part.json',
  },
  {
    title: 'JSON, required',
    files: { [CJS]: `module.exports = { customer: require('./part.json').name }`, 'part.json': { name: 'old' } },
    edited: 'part.json',
  },
  {
    title: 'JSON, required in an ES module',
    files: {
      ...ESM,
      [JS]:
        `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\n` +
        `export default require('./part.json')`,
      'part.json': { customer: 'old' },
    },
    edited: 'part.json',
  },
  {
    title: 'CommonJS',
    files: {
      [MTS]: `import { part } from './part.cjs'\nexport default part`,
      'part.cjs': `exports.part = { customer: 'old' }`,
    },
    edited: 'part.cjs',
  },
  {
    title: 'CommonJS without an ending, in a folder',
    files: {
      [CJS]: `'use strict'\nmodule.exports = require('./part')`,
      'part/index.js': `module.exports = { customer: 'old' }`,
    },
    edited: 'part/index.js',
  },
  {
    title: 'a plain ES module',
    files: {
      [MTS]: `import part from './part.mjs'\nexport default { customer: part() }`,
      'part.mjs': `export default () => 'old'`,
    },
    edited: 'part.mjs',
  },
  {
    title: 'a plain ES module of a package of them, with a name in braces',
    files: {
      ...ESM,
      [JS]: `import { part } from './part.js'\nexport default part`,
      'part.js': `export const part = { customer: 'old' }`,
    },
    edited: 'part.js',
  },
  {
    title: 'an import in a function',
    files: {
      ...ESM,
      [JS]: `export default async () => (await import('./part.js')).default`,
      'part.js': `export default { customer: await 'old' }`,
    },
    edited: 'part.js',
  },
  {
    title: 'an import of an import: JSON below an ES module below TypeScript',
    files: {
      [MTS]: `import part from './lib/one'\nexport default part`,
      'lib/one.ts': `export { default } from './two.mjs'`,
      'lib/two.mjs': `import three from '../three.json' with { type: 'json' }\nexport default three`,
      'three.json': { customer: 'old' },
    },
    edited: 'three.json',
    imports: ['lib/one.ts', 'lib/two.mjs', 'three.json'],
  },
  {
    title: 'two files that import each other',
    files: {
      [MTS]: `import { customer } from './one.mjs'\nexport default { customer: customer() }`,
      'one.mjs': `import { name } from './two.mjs'\nexport const customer = () => name()\nexport const text = 'old'`,
      'two.mjs': `import { text } from './one.mjs'\nexport const name = () => text`,
    },
    edited: 'one.mjs',
    imports: ['one.mjs', 'two.mjs'],
  },
  {
    title: 'two imports at the same time, of modules that share one that waits',
    files: {
      [MTS]:
        `const parts = await Promise.all([import('./one.mjs'), import('./two.mjs')])\n` +
        `export default { customer: parts[1].name, customers: [parts[0].name] }`,
      'one.mjs': `import { name } from './three.mjs'\nexport { name }`,
      'two.mjs': `import three from './three.mjs'\nexport const { name } = three`,
      'three.mjs': `import { setTimeout } from 'node:timers/promises'\nawait setTimeout(1)\nexport const name = 'old'\nexport default { name }`,
    },
    edited: 'three.mjs',
    imports: ['one.mjs', 'two.mjs', 'three.mjs'],
  },
  {
    title: 'a module that is imported and required',
    files: {
      [MTS]: `import one from './one.cjs'\nimport two from './two.cjs'\nexport default { customer: one.name === two.name && one.name }`,
      'one.cjs': `exports.name = 'old'`,
      'two.cjs': `module.exports = { name: require('./one.cjs').name }`,
    },
    edited: 'one.cjs',
    imports: ['one.cjs', 'two.cjs'],
  },
  {
    title: 'a path alias',
    files: {
      [MTS]: `import part from '@/part.json'\nexport default part`,
      'tsconfig.json': { compilerOptions: { paths: { '@/*': ['./src/*'] } } },
      'src/part.json': { customer: 'old' },
    },
    edited: 'src/part.json',
  },
]

const load = (root: string) => loadConfig({ root, env: {} })

test.each(cases)('$title', async ({ files, edited, imports = [edited] }) => {
  const root = await tempFolder()
  await writeTree(root, files)
  const before = await load(root)
  expect(before.customer).toBe('old')
  const read = [...before.configDependencies].filter(([, content]) => content !== undefined).map(([path]) => path)
  expect(read.slice(1).sort()).toEqual(imports.map((name) => join(root, name)).sort())
  const content = files[edited] as string | object
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  await writeTree(root, { [edited]: text.replace('old', 'new') })
  const after = await load(root)
  expect(after.customer).toBe('new')
  const hash = (config: typeof before) => config.configDependencies.get(join(root, edited))
  expect(hash(after)).not.toBe(hash(before))
})

test('packages stay with Node, and are no dependencies', async () => {
  const root = await tempFolder()
  await writeTree(root, {
    [MTS]: `import { customer } from 'part'\nimport { basename } from 'node:path'\nexport default { customer: basename(customer) }`,
    'node_modules/part/package.json': { type: 'module', exports: './index.js' },
    'node_modules/part/index.js': `export const customer = 'name'`,
  })
  const { customer, configDependencies } = await load(root)
  expect(customer).toBe('name')
  expect([...configDependencies.keys()].filter((path) => path.includes('node_modules'))).toEqual([])
})

test.each([
  ['broken', { 'part.json': '{ "key": "canary-5a1e", }' }, 'part.json:1:25'],
  ['absent', {}, "Cannot find module './part.json'"],
])('one that is %s is a dependency too, and its content is not shown', async (_title, more, expected) => {
  const root = await tempFolder()
  await writeTree(root, { [MTS]: `import part from './part.json'\nexport default part`, ...more })
  const looked: string[] = []
  const onDependency = (path: string) => void looked.push(path)
  const { message } = (await loadConfig({ root, env: {}, onDependency }).catch((error) => error)) as LocalizationError
  expect(message).toContain(expected)
  expect(message).not.toContain('canary')
  expect(looked).toContain(join(root, 'part.json'))
})
