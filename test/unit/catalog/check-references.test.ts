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
    expect(missing(i18nextSyntax, { x: text }), text).toEqual([])
  expect(missing(i18nextSyntax, { x: '$t(a.c) $t(a.c)' })).toEqual(['"x" refers to "a.c", which no language has'])
  expect(missing(i18nextSyntax, { x: '$t(other:a.b)' })).toHaveLength(1)
})

test("vue-i18n's links", () => {
  const vue = vueI18nSyntax(createRequire(require.resolve('vue-i18n'))('@intlify/message-compiler'))
  for (const text of ['@:a.b', '@.upper:a.b', "@:{'a.b'}", '@:{key}', '@:a', '@:ns.a.b', 'a@b'])
    expect(missing(vue, { x: text }), text).toEqual([])
  expect(missing(vue, { x: '@:missing.key' })).toEqual(['"x" refers to "missing.key", which no language has'])
  expect(missing(undefined, { x: '@:missing.key' })).toEqual([])
})
