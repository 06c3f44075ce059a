import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { checkReferences } from '../../../src/catalog/check-references.ts'
import { i18nextSyntax, type LibrarySyntax, vueI18nSyntax } from '../../../src/catalog/library-syntax.ts'
import { createCatalog } from '../../../src/catalog/model.ts'

const require = createRequire(import.meta.url)

function missing(library: LibrarySyntax | undefined, texts: Readonly<Record<string, string>>) {
  const messages = Object.entries({ 'a.b': 'x', item_one: 'x', item_other: 'x', ...texts })
  const catalog = createCatalog({ parts: [{ language: 'en', namespace: 'ns', messages }] })
  return checkReferences(catalog, { library, keySeparator: '.' }).map(({ message }) => message)
}

test("i18next's nesting", () => {
  for (const text of ['$t(a.b)', '$t(ns:a.b)', '$t(item, {"count": 1})', '$t({{x}})', 'none'])
    expect(missing(i18nextSyntax(), { x: text }), text).toEqual([])
  expect(missing(i18nextSyntax(), { x: '$t(a.c) $t(a.c)' })).toEqual(['"x" refers to "a.c", which no language has'])
  expect(missing(i18nextSyntax(), { x: '$t(other:a.b)' })).toHaveLength(1)
  // Only as a whole text, i18next takes an object.
  expect(missing(i18nextSyntax(), { x: '$t(a)' })).toEqual([])
  expect(missing(i18nextSyntax(), { x: 'see $t(a)' })).toEqual(['"x" refers to "a", which no language has'])
  expect(missing(i18nextSyntax(), { x: 'see $t(a, {"joinArrays": " "})' })).toEqual([])
})

test("separators of the app's own", () => {
  const texts = { x: '$t(a/b) $t(ns|a/b)' }
  expect(missing(i18nextSyntax({ separators: ['/', '|'] }), texts)).toEqual([])
  expect(missing(i18nextSyntax({ separators: false }), texts)).toEqual([])
  expect(missing(i18nextSyntax(), texts)).toHaveLength(2)
})

test('a text that refers to itself', () => {
  expect(missing(i18nextSyntax(), { x: '$t(x)' })).toEqual(['"x" refers to itself: x > x'])
  expect(missing(i18nextSyntax(), { x: '$t(ns:y.z)', 'y.z': 'a $t(x)', w: '$t(x)', v: '$t(w) $t(a.b)' })).toEqual([
    '"x" refers to itself: x > y.z > x',
    '"y.z" refers to itself: y.z > x > y.z',
  ])
})

test("vue-i18n's links", () => {
  const vue = vueI18nSyntax(createRequire(require.resolve('vue-i18n'))('@intlify/message-compiler'))
  for (const text of ['@:a.b', '@.upper:a.b', "@:{'a.b'}", '@:{key}', '@:ns.a.b', 'a@b'])
    expect(missing(vue, { x: text }), text).toEqual([])
  expect(missing(vue, { x: '@:a' })).toEqual(['"x" refers to "a", which no language has'])
  // vue-i18n 8 has parentheses here.
  expect(missing(vue, { x: '@:(a.b)' })).toEqual(['"x" refers to "", which no language has'])
  expect(missing(vue, { x: 'a @:y', y: '@:x' })[0]).toBe('"x" refers to itself: x > y > x')
  expect(missing(vue, { x: '@:missing.key' })).toEqual(['"x" refers to "missing.key", which no language has'])
  expect(missing(undefined, { x: '@:missing.key' })).toEqual([])
})
