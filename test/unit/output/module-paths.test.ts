/** The names of files that stand for virtual modules: one file for each id, whatever the names and the disk. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ModuleId } from '../../../src/output/ids.ts'
import { createModulePaths, parseImportsRequest, relativeSpecifier } from '../../../src/output/module-paths.ts'
import { foldName } from '../../../src/shared/paths.ts'
import { repeats } from '../../helpers/repeats.ts'

const none = { languages: [], namespaces: [], customers: [] }
const pathOf = (id: ModuleId, known = none) => createModulePaths(known).pathOf(id)
const namespace = (name: string, customer?: string): ModuleId => ({
  kind: 'namespace',
  language: 'en',
  namespace: name,
  customer,
})

test.each([
  [{ kind: 'manifest' }, 'index.js'],
  [{ kind: 'runtime' }, 'runtime.js'],
  [{ kind: 'language', language: 'pt-BR' }, 'pt-BR.js'],
  [{ kind: 'language', language: 'en', customer: 'acme' }, 'en@acme.js'],
  [{ kind: 'language', language: 'index' }, '~69ndex.js'],
  [{ kind: 'language', language: 'Runtime' }, '~52untime.js'],
  [namespace('shop'), 'en/shop.js'],
  [namespace('shop/cart', 'acme'), 'en/shop/cart@acme.js'],
  [namespace('my shop, größe'), 'en/my shop, größe.js'],
  [namespace('50%'), 'en/50~25.js'],
  [namespace('a@b#c?d'), 'en/a~40b~23c~3Fd.js'],
  [namespace('../../x'), 'en/~2E~2E/~2E~2E/x.js'],
  [namespace('a//b'), 'en/a/~empty/b.js'],
  [namespace('con'), 'en/~63on.js'],
  [namespace('x.js/y'), 'en/x~2Ejs/y.js'],
  [namespace('.js'), 'en/~2Ejs.js'],
] as const)('%j is %s', (id, path) => {
  expect(pathOf(id as ModuleId)).toBe(path)
  expect(parseImportsRequest(`#translations/${path.replace(/\.js$/, '')}`)).toEqual(id)
  expect(parseImportsRequest(`#translations/${path}`)).toEqual(id)
})

test('other imports are not ours', () => {
  expect(parseImportsRequest('#translations')).toEqual({ kind: 'manifest' })
  for (const other of ['#translation', '#translations-old/en', 'translations/en', './#translations'])
    expect(parseImportsRequest(other)).toBeUndefined()
})

test('imports lead from one file to another', () => {
  expect(relativeSpecifier('index.js', 'en/shop.js')).toBe('./en/shop.js')
  expect(relativeSpecifier('en/shop/cart.js', 'runtime.js')).toBe('../../runtime.js')
})

describe('names that a disk could take for each other', () => {
  const known = { ...none, languages: ['en'], namespaces: ['shop', 'Shop', 'other'] }
  const { pathOf: named, hashed } = createModulePaths(known)

  test('have files of their own, and are told', () => {
    expect(named(namespace('shop'))).toBe('en/shop.js')
    expect(named(namespace('Shop'))).toMatch(/^en\/~x[0-9a-f]{32}\.js$/)
    expect(hashed).toEqual(['Shop'])
  })

  test('whatever the order of the names', () => {
    const other = createModulePaths({ ...known, namespaces: [...known.namespaces].reverse() })
    expect(other.pathOf(namespace('Shop'))).toBe(named(namespace('Shop')))
  })
})

test('any names: distinct on every disk, inside the folder, and found again', () => {
  const name = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.constantFrom('a', 'A', 'a/b', 'a.js', '..', ''),
  )
  const names = fc.uniqueArray(name, { maxLength: 6 })
  fc.assert(
    fc.property(names, names, names, (languages, namespaces, customers) => {
      const paths = createModulePaths({ languages, namespaces, customers })
      const ids: ModuleId[] = languages.flatMap((language) =>
        [undefined, ...customers].flatMap((customer): ModuleId[] => [
          { kind: 'language', language, customer },
          ...namespaces.map((each): ModuleId => ({ kind: 'namespace', language, namespace: each, customer })),
        ]),
      )
      const all = [{ kind: 'manifest' }, { kind: 'runtime' }, ...ids] as const
      const files = all.map((id) => paths.pathOf(id))
      expect(new Set(files.map(foldName)).size).toBe(files.length)
      for (const [at, file] of files.entries()) {
        expect(file).not.toMatch(/(?:^|\/)\.{0,2}(?:\/|$)|[\\?#%:*"<>|]/)
        const id = all[at] as ModuleId
        if (!file.includes('~x')) expect(parseImportsRequest(`#translations/${file}`)).toEqual(id)
      }
      // A file and a folder have no name in common.
      const folders = new Set(files.flatMap((file) => file.split('/').slice(0, -1).map(foldName)))
      for (const file of files) expect(folders).not.toContain(foldName(file))
    }),
    { numRuns: repeats(30, 100) },
  )
})
