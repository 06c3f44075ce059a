import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCatalog } from '../../../src/catalog/model.ts'
import { createTextWriter } from '../../../src/catalog/text-module.ts'
import { createTranslations } from '../../../src/catalog/translations.ts'
import { scanPlain } from '../../../src/files/plain.ts'
import { parseTranslationText } from '../../../src/files/read.ts'
import { createLayeredJson } from '../../../src/modules/layered-json.ts'
import { jsonModule, messagesJson } from '../../../src/modules/literal.ts'

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

const NODE: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  node: fc.oneof({ maxDepth: 3 }, TEXT, fc.dictionary(KEY, tie('node')), fc.constantFrom(null, 1, true, ['x'])),
})).node

test('what the quick reader takes, the careful one reads the same and finds nothing wrong with', () => {
  let taken = 0
  fc.assert(
    fc.property(
      fc.dictionary(KEY, NODE),
      fc.constantFrom(undefined, 2, '\t'),
      fc.constantFrom('', '\n', ' \r\n'),
      fc.constantFrom('', 'twice', 'control', 'comma', 'cut'),
      (value, indent, end, damage) => {
        const text = damaged(JSON.stringify(value, null, indent), damage) + end
        const scanned = scanPlain(text, '.')
        if (!scanned || new Set(scanned.keys).size !== scanned.keys.length) return
        taken++
        const careful = parseTranslationText(text, { keySeparator: '.' })
        expect(careful.diagnostics).toEqual([])
        expect(scanned.keys).toEqual([...careful.entries.keys()])
        expect(scanned.tokens).toEqual([...careful.entries.values()].map((entry) => JSON.stringify(entry)))
      },
    ),
    { numRuns: 2_000 },
  )
  expect(taken).toBeGreaterThan(100)
})

function damaged(text: string, how: string): string {
  const half = text.length >> 1
  if (how === 'twice') return text.replace(/"([^"]*)"(\s*):\s*"/, (found) => `${found}x", ${found}`)
  if (how === 'control') return `${text.slice(0, half)}\t${text.slice(half)}`
  if (how === 'comma') return text.replace('}', ',}')
  return how === 'cut' ? text.slice(0, half) : text
}

test.each([
  '{"a": 1}',
  '{"a": ["x"]}',
  '[]',
  '"x"',
  '{"a": "x",}',
  '{"a" "x"}',
  '{"a": "x"',
  '{"a": "\\x"}',
  '{"a": "\\u00e9"}',
  '{"a": {"b": "x"}, "a": {"c": "y"}}',
  '{"a": "x", "a": {"c": "y"}}',
  '{"a": {"b": "x"}, "a": "y"}',
])('the quick reader leaves %s to the careful one', (text) => {
  expect(scanPlain(text, '.')).toBeUndefined()
})

test('keys that come twice are not written', () => {
  expect(createTextWriter().write('common', ['a', 'b', 'a'], ['"1"', '"2"', '"3"'])).toBeUndefined()
})

test('what is written are the bytes of resolved messages, and the same keys are one array', () => {
  const writer = createTextWriter()
  fc.assert(
    fc.property(TEXTS, fc.constantFrom('common', 'other'), (texts, namespace) => {
      const keys = [...texts.keys()]
      const tokens = [...texts.values()].map((text) => JSON.stringify(text))
      const written = writer.write(namespace, keys, tokens)
      const present = new Map([...texts].filter(([, text]) => text !== ''))
      expect(written?.json).toBe(messagesJson(present))
      expect(written?.count).toBe(present.size)
      expect(written?.keys).toEqual([...keys].sort())
      expect(writer.write(namespace, [...keys].reverse(), [...tokens].reverse())?.keys).toBe(written?.keys)
    }),
  )
})
