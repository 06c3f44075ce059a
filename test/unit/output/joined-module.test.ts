import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCatalog, type LazyTexts, lazyTexts } from '../../../src/catalog/model.ts'
import { createTranslations } from '../../../src/catalog/translations.ts'
import { createTextWriter } from '../../../src/files/text-writer.ts'
import { ModuleJoiner } from '../../../src/output/joined-module.ts'
import { jsonModule, messagesJson, nestedMessagesJson } from '../../../src/output/literal.ts'
import { textEncoding } from '../../../src/output/text-module.ts'
import { repeats } from '../../helpers/repeats.ts'

const KEYS = [
  'a',
  'a.b',
  'a.c',
  'b',
  'b.x.y',
  '10',
  '9',
  'é',
  '日本',
  '\u{1f600}',
  '\uffff',
  'q"\\',
  '</script',
  'c..d',
]
const TEXTS = ['', 'x', 'é', '日本 \u{1f600}', 'a "b" \\', '\\', '\n', '\u2028', '<!-- </script>', '\\u003c', '/']
const LAYER = fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...TEXTS))).map((all) => new Map(all))

function layerOf(texts: ReadonlyMap<string, string>, write: ReturnType<typeof createTextWriter>): LazyTexts {
  const layer = write('common', Buffer.from(JSON.stringify(Object.fromEntries(texts))))
  if (!layer) throw new Error('the file is not plain')
  return layer
}

const settings = {
  languages: undefined,
  defaultLanguage: 'en',
  fallback: { de: ['fr'] },
  defaultNamespace: 'common',
  customer: 'acme',
  customers: ['acme'],
}

test('a joined module has the bytes of the decoded, joined and encoded texts', () => {
  const joiners = (['flat', 'nested'] as const).map((shape) => ({
    shape,
    joiner: new ModuleJoiner({ shape, keySeparator: '.' }),
  }))
  fc.assert(
    fc.property(LAYER, LAYER, LAYER, LAYER, (own, ofCustomer, fallback, ofDefault) => {
      const write = createTextWriter('.', textEncoding)
      const part = (language: string, texts: ReadonlyMap<string, string>, customer?: string) => ({
        ...{ language, namespace: 'common', customer },
        lazy: layerOf(texts, write),
      })
      const parts = [part('de', own), part('de', ofCustomer, 'acme'), part('fr', fallback), part('en', ofDefault)]
      const translations = createTranslations(createCatalog({ parts }), settings)
      const messages = translations.messages('de', 'common')
      const layers = translations.layers('de', 'common')
      expect(layers).toHaveLength(4)
      for (const { shape, joiner } of joiners) {
        const joined = joiner.join(layers ?? [])
        const { json, kept } =
          shape === 'flat' ? { json: messagesJson(messages), kept: [] } : nestedMessagesJson(messages, '.')
        expect(joined?.module?.bytes.toString()).toBe(messages.size === 0 ? undefined : jsonModule(json))
        expect(joined?.kept).toEqual(kept)
      }
    }),
    { numRuns: repeats(60, 300) },
  )
})

test('texts that were not read as plain JSON are decoded', () => {
  const joiner = new ModuleJoiner({ shape: 'flat', keySeparator: '.' })
  const plain = layerOf(new Map([['a', 'x']]), createTextWriter('.', textEncoding))
  const parsed: LazyTexts = { hash: '1', count: 1, plain: () => ({ b: 'y' }) }
  expect(joiner.join([plain, parsed])).toBeUndefined()
  const { module } = plain
  if (!module) throw new Error('there is no module')
  expect(joiner.join([lazyTexts(module, ['other'], 1, textEncoding)])).toBeUndefined()
})

test('a file with an escape that JSON.stringify does not write has no module to join', () => {
  const write = createTextWriter('.', textEncoding)
  for (const text of ['\\u00e9', '\\/', '\\u003c/script>'])
    expect(write('common', Buffer.from(`{ "a": "${text}" }`))).toBeUndefined()
})

test('nested messages are decoded where a part of a key is the name of the prototype', () => {
  const joiner = new ModuleJoiner({ shape: 'nested', keySeparator: '.' })
  const layer = layerOf(new Map([['a.__proto__.b', 'x']]), createTextWriter('.', textEncoding))
  expect(joiner.join([layer])).toBeUndefined()
})
