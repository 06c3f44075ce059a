import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonModule, messagesJson } from '../../../src/output/literal.ts'

const KEY = fc.oneof(fc.constantFrom('a', 'b', 'a.b', '__proto__', 'constructor', '10', '9', ''), fc.string())
const TEXT = fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme' }), fc.constantFrom('<!--', '</script>', '\u2028'))
const TEXTS = fc.array(fc.tuple(KEY, TEXT)).map((entries) => new Map(entries))

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
