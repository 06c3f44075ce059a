/** Globs of files: `..`, links, packages of a workspace, brackets in names, and backslashes. */
import { mkdir, realpath, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createPathFilter, fileFilter, listFiles, unmatchedGlobs } from '../../../src/usage/sources/list.ts'
import { noLinks } from '../../helpers/file-system.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

/** Returns the root of the app, whose packages are beside it. */
async function workspace(files: readonly string[], links: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await realpath(await tempFolder())
  await writeTree(folder, Object.fromEntries(files.map((file) => [file, ''])))
  for (const [name, target] of Object.entries(links)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await symlink(join(folder, target), join(folder, name))
  }
  return join(folder, 'app')
}

const list = async (root: string, ...patterns: string[]) => (await listFiles(root, patterns)).files

test('folders outside the root, and globs that leave files out there', async () => {
  const root = await workspace([
    'app/a.ts',
    'shared/b.ts',
    'shared/b.test.ts',
    'shared/gen/c.ts',
    'shared/node_modules/x/d.ts',
  ])
  expect(await list(root, '*.ts', '../shared/**/*.ts')).toEqual([
    '../shared/b.test.ts',
    '../shared/b.ts',
    '../shared/gen/c.ts',
    'a.ts',
  ])
  expect(await list(root, '../shared/**/*.ts', '!**/*.test.*', '!../shared/gen/**')).toEqual(['../shared/b.ts'])
  expect(await list(root, '../shared/**/*.ts', '!*.test.*', '!gen/**')).toHaveLength(3)
  expect(await list(root, './../shared/b.ts', join(root, '../shared/*.ts'))).toEqual([
    '../shared/b.test.ts',
    '../shared/b.ts',
  ])
  expect(await list(root, '../*/b.ts', '../shared/gen/../b.ts')).toEqual(['../shared/b.ts'])
})

test.skipIf(noLinks)('links, links in a cycle, and links that lead nowhere', async () => {
  const root = await workspace(['app/src/a.ts', 'shared/b.ts', 'shared/in/c.ts'], {
    'app/src/link': 'shared',
    'app/src/file.ts': 'shared/b.ts',
    'app/src/up': 'app',
    'shared/in/self': 'shared',
    'app/src/none': 'nowhere',
  })
  expect(await list(root, 'src/**/*.ts')).toEqual(['../shared/b.ts', '../shared/in/c.ts', 'src/a.ts'])
  expect(await list(root, 'src/link/*.ts')).toEqual(['../shared/b.ts'])
  expect(await list(root, 'src/**/*.ts', '!src/link/**')).toEqual(['src/a.ts'])
})

test.skipIf(noLinks)('a package of a workspace that is linked in node_modules', async () => {
  const root = await workspace(['packages/ui/src/a.ts', 'packages/ui/node_modules/x/b.ts', 'app/a.ts'], {
    'app/node_modules/@acme/ui': 'packages/ui',
  })
  expect(await list(root, 'node_modules/@acme/ui/**/*.ts')).toEqual(['../packages/ui/src/a.ts'])
  expect(await list(root, '**/*.ts')).toEqual(['a.ts'])
})

test('brackets in names, and backslashes', async () => {
  const root = await workspace([
    'app/pages/[slug]/a.ts',
    'app/pages/(shop)/b.ts',
    'app/pages/[...all]/c.ts',
    'app/pages/s/d.ts',
  ])
  expect(await list(root, 'pages/[slug]/*.ts')).toEqual(['pages/[slug]/a.ts', 'pages/s/d.ts'])
  expect(await list(root, 'pages/\\[slug\\]/*.ts')).toEqual(['pages/[slug]/a.ts'])
  expect(await list(root, 'pages/(shop)/**')).toEqual(['pages/(shop)/b.ts'])
  expect(await list(root, 'pages/[...all]/*')).toContain('pages/[...all]/c.ts')
  expect(await list(root, 'pages\\s\\*.ts', '.\\pages\\**\\b.ts')).toEqual(['pages/(shop)/b.ts', 'pages/s/d.ts'])
  expect(await list(root, 'pages/!(s)/*.ts')).toHaveLength(3)
})

test('globs that match nothing are named', async () => {
  const root = await workspace(['app/src/a.ts', 'app/dist/b.ts'])
  const { files, unmatched } = await listFiles(root, [
    'src/**',
    '../shared/**',
    'source/*.ts',
    '!never/**',
    'src',
    'dist/*.ts',
  ])
  expect([files, unmatched]).toEqual([
    ['dist/b.ts', 'src/a.ts'],
    ['../shared/**', 'source/*.ts', 'src'],
  ])
})

test.skipIf(noLinks)('ignoreIn: the same file, as a bundler and as a command name it', async () => {
  const root = await workspace(['packages/ui/src/t.ts', 'app/src/i18n/t.ts', 'app/src/[x]/t.ts'], {
    'app/node_modules/@acme/ui': 'packages/ui',
  })
  const isIgnored = (glob: string, file: string) => fileFilter(root, [glob])(file)
  const outside = join(root, '../packages/ui/src/t.ts')
  for (const glob of [
    '../packages/ui/**',
    'node_modules/@acme/ui/src/*.ts',
    '..\\packages\\ui\\**',
    '../packages/ui/src/t.ts',
  ])
    for (const file of [outside, `${outside}?v=1`, '../packages/ui/src/t.ts'])
      expect(isIgnored(glob, file), `${glob} ${file}`).toBe(true)
  for (const glob of ['src/i18n/**', './src/i18n/t.ts', 'i18n/*'])
    for (const file of [join(root, 'src/i18n/t.ts'), 'src/i18n/t.ts']) expect(isIgnored(glob, file), glob).toBe(true)
  expect(isIgnored('src/[x]/**', 'src/[x]/t.ts')).toBe(true)
  expect(isIgnored('../other/**', outside)).toBe(false)
  expect(unmatchedGlobs(root, ['src/i18n/**', 'src/none/**', '../other/*', '**/t.ts'], [])).toEqual([
    'src/none/**',
    '../other/*',
  ])
})

test('watches follow the same rule', async () => {
  const root = await workspace(['app/src/a.ts', 'shared/b.ts'])
  const { bases, mayHold, globsOf } = createPathFilter(root, ['src/**/*.ts', '../shared/*.ts', '!**/*.test.*'])
  expect(bases).toEqual([join(root, 'src'), join(root, '../shared')])
  expect(globsOf(join(root, '../shared/b.ts'))).toEqual(['../shared/*.ts'])
  expect(globsOf(join(root, '../shared/b.test.ts'))).toEqual([])
  const entered = ['src', 'src/x', 'src/node_modules/x', 'src/.git', 'other', '../shared', '../shared/dist']
  expect(entered.filter((path) => mayHold(join(root, path)))).toEqual(['src', 'src/x', '../shared'])
})
