import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPositions, positionAt, scanJson } from '../../../src/shared/json-scanner.ts'
import '../../helpers/seed.ts'

test('positions looked up are positions counted', () => {
  const text = fc.array(fc.constantFrom('\n', '\r', '\r\n', 'a', 'é', '😀', '\uFEFF'), { maxLength: 30 })
  fc.assert(
    fc.property(text, (parts) => {
      const joined = parts.join('')
      const at = createPositions(joined)
      for (let offset = 0; offset <= joined.length; offset++) expect(at(offset)).toEqual(positionAt(joined, offset))
    }),
  )
  expect(positionAt('a\r\nbc', 4)).toEqual({ line: 2, column: 2 })
  expect(positionAt('\uFEFFa', 1)).toEqual({ line: 1, column: 1 })
})

test('the visitor is told everything in order', () => {
  const seen: unknown[] = []
  const text = '{"a\\n":["x",-1.5e3,true,null],"b":{}}'
  const { problem } = scanJson(text, {
    open: (kind, start) => seen.push(['open', kind, start]),
    close: (kind, end) => seen.push(['close', kind, end]),
    key: (start, end, escaped) => seen.push(['key', text.slice(start, end), escaped]),
    string: (start, end, escaped) => seen.push(['string', text.slice(start, end), escaped]),
    other: (type, start, end) => seen.push([type, text.slice(start, end)]),
  })
  expect(problem).toBeUndefined()
  expect(seen).toEqual([
    ['open', 'object', 0],
    ['key', '"a\\n"', true],
    ['open', 'array', 7],
    ['string', '"x"', false],
    ['number', '-1.5e3'],
    ['boolean', 'true'],
    ['null', 'null'],
    ['close', 'array', 29],
    ['key', '"b"', false],
    ['open', 'object', 34],
    ['close', 'object', 36],
    ['close', 'object', 37],
  ])
})
