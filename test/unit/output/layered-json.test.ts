import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCatalog } from '../../../src/catalog/model.ts'
import { createTranslations } from '../../../src/catalog/translations.ts'
import { createLayeredJson } from '../../../src/output/layered-json.ts'
import { jsonModule, messagesJson } from '../../../src/output/literal.ts'

const KEY = fc.oneof(fc.constantFrom('a', 'b', 'a.b', '__proto__', 'constructor', '10', '9', ''), fc.string())
const TEXT = fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme' }), fc.constantFrom('<!--', '</script>', '\u2028'))
const TEXTS = fc.array(fc.tuple(KEY, TEXT)).map((entries) => new Map(entries))

const SETTINGS = {
  languages: undefined,
  defaultLanguage: 'en',
  fallback: { de: ['fr'] },
  defaultNamespace: 'common',
  customer: undefined,
  customers: [],
}

test('layers give the bytes that resolved messages give', () => {
  const json = createLayeredJson()
  fc.assert(
    fc.property(fc.tuple(TEXTS, TEXTS, TEXTS), (texts) => {
      const parts = ['de', 'fr', 'en'].map((language, i) => ({
        language,
        namespace: 'common',
        messages: texts[i] as Map<string, string>,
      }))
      const catalog = createCatalog({ parts })
      const expected = messagesJson(createTranslations(catalog, SETTINGS).messages('de', 'common'))
      expect(json(texts.map((map) => Object.fromEntries(map)))).toBe(expected)
    }),
  )
})

test('a module of JSON is the data, evaluated', async () => {
  await fc.assert(
    fc.asyncProperty(TEXTS, async (texts) => {
      const json = messagesJson(texts)
      const code = jsonModule(json)
      expect(code).not.toMatch(/\u2028|<\/script|<!--/i)
      const { default: value } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
        default: object
      }
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
      expect(JSON.stringify(Object.entries(value))).toBe(JSON.stringify(Object.entries(JSON.parse(json))))
    }),
    { numRuns: 50 },
  )
})
