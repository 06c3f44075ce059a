import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTextIds, parseTextId, textId, textIdsOf } from '../../../src/catalog/text-id.ts'

const refs = fc.record(
  { language: fc.string(), namespace: fc.string(), key: fc.string(), customer: fc.string() },
  { requiredKeys: ['language', 'namespace', 'key'] },
)

test('ids made for many texts are those made for one', () => {
  fc.assert(
    fc.property(fc.array(refs), (all) => {
      const idOf = createTextIds()
      for (const ref of all) {
        expect(idOf(ref)).toBe(textId(ref))
        expect(textIdsOf(ref)(ref.key)).toBe(textId(ref))
        expect(parseTextId(textId(ref))).toEqual(ref)
      }
    }),
  )
})
