import { createContext, runInContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonParseLiteral, messagesJson, nestedMessagesJson, stringLiteral } from '../../../src/output/literal.ts'
import { anyText } from '../../helpers/any-text.ts'
import '../../helpers/seed.ts'

const PIECES = [
  "'",
  '"',
  '\\',
  '`',
  '$',
  '{',
  '}',
  '\n',
  '\r',
  '\u2028',
  '\u2029',
  '\0',
  '\b',
  '<',
  '/',
  '</script>',
  '</SCRIPT',
  '<!--',
  '<script',
  '-->',
  '*/',
  '//',
  '\ud800',
  'é',
  '😀',
  'u003c',
  'x3C',
]
const text = fc.oneof(anyText(), fc.string({ unit: fc.constantFrom(...PIECES) }))
const messages = fc.uniqueArray(
  fc.tuple(fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '', '0', '10')), text),
  {
    selector: ([key]) => key,
  },
)

/** What ends a script element, opens a comment in it, or ends a line in an old engine. */
const UNSAFE = /<\/script|<script|<!--|[\u2028\u2029\n\r]/i

/** One for all: making one takes longer than what is run in it. */
const context = createContext({ JSON })

describe('stringLiteral', () => {
  it('evaluates to the text, and is safe in a script', () => {
    fc.assert(
      fc.property(text, (value) => {
        const literal = stringLiteral(value)
        expect(runInContext(literal, context)).toBe(value)
        expect(literal).not.toMatch(UNSAFE)
      }),
    )
  })
})

describe('jsonParseLiteral', () => {
  it('evaluates to the value with own properties only, and is safe in a script', () => {
    fc.assert(
      fc.property(messages, (entries) => {
        const literal = jsonParseLiteral(messagesJson(new Map(entries)))
        const value: object = runInContext(literal, context)
        expect(new Map(Object.entries(value))).toEqual(new Map(entries))
        expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
        expect(literal).not.toMatch(UNSAFE)
      }),
    )
  })

  it('stays safe when a minifier writes the literal anew', () => {
    fc.assert(
      fc.property(messages, (entries) => {
        const literal = jsonParseLiteral(messagesJson(new Map(entries)))
        const content: string = runInContext(literal.slice('JSON.parse('.length, -1), context)
        expect(content).not.toMatch(UNSAFE)
      }),
    )
  })
})

describe('messagesJson', () => {
  it('is the same whatever order the texts come in', () => {
    fc.assert(
      fc.property(messages, (entries) => {
        expect(messagesJson(new Map(entries))).toBe(messagesJson(new Map([...entries].reverse())))
      }),
    )
  })

  it('nests without losing a text', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'b', '.', '__proto__'), maxLength: 5 })
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(key, text), { selector: ([name]) => name }), (entries) => {
        const { json } = nestedMessagesJson(new Map(entries), '.')
        expect(textsOf(JSON.parse(json)).sort()).toEqual(entries.map(([, value]) => value).sort())
      }),
    )
  })
})

function textsOf(value: object): string[] {
  return Object.values(value).flatMap((child: string | object) =>
    typeof child === 'string' ? [child] : textsOf(child),
  )
}
