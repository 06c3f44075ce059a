import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LazyTexts } from '../../../src/catalog/model.ts'
import { createLazyReader, type ModuleCache } from '../../../src/files/lazy.ts'
import { createFilePatterns } from '../../../src/files/patterns.ts'
import { createTextWriter } from '../../../src/files/text-writer.ts'
import { contentHash } from '../../../src/shared/hash.ts'
import { openFileMemo } from '../../../src/sources/file-memo.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const PATTERN = 'locales/{language}/{namespace}.json'

interface Noted {
  readonly folders: [string, string][]
  readonly file: string
  readonly pattern?: string
}

async function memoOf({ folders, file, pattern = PATTERN }: Noted) {
  const root = await tempFolder()
  const path = join(root, 'files.json')
  const record = { path: join(root, file), pattern, language: 'en', namespace: 'common', stamp: 'stamp', hash: 'hash' }
  const json = JSON.stringify({
    format: 'unplugin-localization files 1',
    patterns: [PATTERN],
    defaultNamespace: 'default',
    folders: folders.map(([name, stamp]) => [join(root, name), stamp]),
    files: [record],
  })
  await writeFile(path, `${contentHash(json)}\n${json}`)
  const open = (patterns = [PATTERN], defaultNamespace = 'default') =>
    openFileMemo(path, createFilePatterns({ root, patterns, defaultNamespace }))
  return { root, path, file: join(root, file), open }
}

const good = { folders: [['locales', 'absent']] as [string, string][], file: 'locales/en/common.json' }

test('what is noted is known, for the same patterns', async () => {
  const { root, file, open } = await memoOf(good)
  expect(open().known()).toMatchObject([{ path: file, pattern: PATTERN, language: 'en', namespace: 'common' }])
  expect(open().hashOf(file, 'stamp')).toBe('hash')
  expect(open().hashOf(file, 'other')).toBeUndefined()
  expect(open(['locales/{language}.json']).known()).toBeUndefined()
  expect(open([PATTERN], 'common').hashOf(file, 'stamp')).toBeUndefined()
  // A folder that is there now.
  await writeTree(root, { 'locales/en/common.json': {} })
  expect(open().known()).toBeUndefined()
})

test.each([
  ['outside the pattern', { ...good, file: 'secret.json' }],
  ['outside the pattern by a detour', { ...good, file: '../locales/en/common.json' }],
  ['no JSON', { ...good, file: 'locales/en/secret.key' }],
  ['of no pattern', { ...good, pattern: 'other/{language}.json' }],
])('a file %s makes the whole memo worthless', async (_what, given) => {
  const { file, open } = await memoOf(given)
  expect(open().known()).toBeUndefined()
  expect(open().hashOf(file, 'stamp')).toBeUndefined()
})

test('a file whose stamp is known is not read; one that just changed always is', async () => {
  const root = await tempFolder()
  const fresh = join(root, 'fresh.json')
  await writeFile(fresh, '{ "a": "fresh" }')
  // It stood there before this test began.
  const old = join(import.meta.dirname, '../../../package.json')
  const made = { hash: 'module', count: 1, plain: () => ({}) } as LazyTexts
  const cache: ModuleCache = {
    folder: root,
    maxBytes: 1e6,
    isFull: false,
    giveUp() {},
    get: (hash) => (hash === 'known' ? made : undefined),
    add() {},
  }
  const noted: [string, string | undefined][] = []
  const memo = { hashOf: () => 'known', note: (path: string, stamp: string | undefined) => noted.push([path, stamp]) }
  const read = createLazyReader({ writer: createTextWriter('.'), cache, memo, nameOf: () => 'name' })
  const options = { keySeparator: '.', namespace: 'common' }
  expect((await read(old, options))?.texts).toBe(made)
  expect((await read(fresh, options))?.texts?.plain()).toEqual({ a: 'fresh' })
  expect(noted).toEqual([[fresh, undefined]])
  expect(await read(join(root, 'absent.json'), options)).toBeUndefined()
})
