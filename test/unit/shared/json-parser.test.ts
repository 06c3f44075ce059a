import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonNode, parseJson } from '../../../src/shared/json-parser.ts'
import { createPositions, positionAt } from '../../../src/shared/text-position.ts'
import '../../helpers/seed.ts'

test('one position is the same as one of many', () => {
  const text = fc.array(fc.constantFrom('\n', '\r', '\r\n', 'a', 'é', '😀', '\uFEFF'), { maxLength: 30 })
  fc.assert(
    fc.property(text, (parts) => {
      const joined = parts.join('')
      const at = createPositions(joined)
      for (let offset = 0; offset <= joined.length; offset++) {
        expect(positionAt(joined, offset)).toEqual(at(offset))
      }
    }),
  )
  expect(positionAt('a\r\nbc', 4)).toEqual({ line: 2, column: 2 })
  expect(positionAt('\uFEFFa', 1)).toEqual({ line: 1, column: 1 })
})

test('every node has its place in the text', () => {
  const text = ' {"a\\n":["x",-1.5e3,true,null], "b":{"c": ""}}\n'
  const parsed = parseJson(text)
  const seen: unknown[] = []
  const visit = (node: JsonNode): void => {
    seen.push([node.kind, text.slice(node.start, node.end)])
    if (node.kind !== 'object') return
    for (const { key, value } of node.members) {
      seen.push(['key', key.text, text.slice(key.start, key.end)])
      visit(value)
    }
  }
  if ('root' in parsed) visit(parsed.root)
  expect(seen).toEqual([
    ['object', text.trim()],
    ['key', 'a\n', '"a\\n"'],
    ['array', '["x",-1.5e3,true,null]'],
    ['key', 'b', '"b"'],
    ['object', '{"c": ""}'],
    ['key', 'c', '"c"'],
    ['string', '""'],
  ])
})
