import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTextId, textId } from '../../../src/catalog/text-id.ts'

const refs = fc.record(
  { language: fc.string(), namespace: fc.string(), key: fc.string(), customer: fc.string() },
  { requiredKeys: ['language', 'namespace', 'key'] },
)

test('an id gives the text that it was made from', () => {
  fc.assert(
    fc.property(refs, (ref) => {
      expect(parseTextId(textId(ref))).toEqual(ref)
    }),
  )
})
