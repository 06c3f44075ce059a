/** The project's root, as every bundler and command finds it. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findRoot } from '../../../src/config/find.ts'
import { type Tree, tempFolder, writeTree } from '../../helpers/temp.ts'

const CONFIG = 'localization.config.mts'

interface Case {
  readonly title: string
  readonly files: readonly string[]
  readonly start: string
  readonly expected: string
  /** The folders in which an absent configuration is a dependency. */
  readonly absent: readonly string[]
}

const cases: readonly Case[] = [
  { title: 'beside it', files: ['package.json', CONFIG], start: '.', expected: '.', absent: [] },
  { title: 'in the package above', files: ['package.json', CONFIG], start: 'src', expected: '.', absent: ['src'] },
  {
    title: 'the nearest of several',
    files: ['package.json', CONFIG, `src/${CONFIG}`],
    start: 'src/app',
    expected: 'src',
    absent: ['src/app'],
  },
  {
    title: 'nothing above the package',
    files: [CONFIG, 'package.json', 'apps/shop/package.json'],
    start: 'apps/shop/src',
    expected: 'apps/shop/src',
    absent: ['apps/shop'],
  },
  { title: 'nothing above, without a package', files: [CONFIG], start: 'src', expected: 'src', absent: [] },
  {
    title: 'a folder of that name is none',
    files: ['package.json', CONFIG, `src/${CONFIG}/readme.md`],
    start: 'src',
    expected: '.',
    absent: ['src'],
  },
  { title: 'none anywhere', files: ['package.json'], start: 'src', expected: 'src', absent: ['.'] },
]

test.each(cases)('$title', async ({ files, start, expected, absent }) => {
  const folder = await tempFolder()
  const tree: Tree = Object.fromEntries([...files, `${start}/main.js`].map((name) => [name, '']))
  await writeTree(folder, tree)
  const looked: string[] = []
  expect(await findRoot(join(folder, start), (path) => void looked.push(path))).toBe(join(folder, expected))
  expect(looked.filter((path) => path.endsWith(CONFIG))).toEqual(absent.map((name) => join(folder, name, CONFIG)))
})
