import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTextId, textId } from '../../../src/catalog/text-id.ts'
import { decide, type Sides } from '../../../src/sync/decide.ts'
import '../../helpers/seed.ts'

test.each<[Sides, ReturnType<typeof decide>]>([
  [{ base: 'a', ours: 'a', theirs: 'a' }, 'equal'],
  [{ base: 'a', ours: 'b', theirs: 'b' }, 'equal'],
  [{ base: undefined, ours: 'a', theirs: 'a' }, 'equal'],
  [{ base: 'a', ours: undefined, theirs: '' }, 'equal'],
  [{ base: 'a', ours: 'b', theirs: 'a' }, 'take-ours'],
  [{ base: undefined, ours: 'b', theirs: undefined }, 'take-ours'],
  [{ base: 'a', ours: 'a', theirs: 'b' }, 'take-theirs'],
  [{ base: undefined, ours: '', theirs: 'b' }, 'take-theirs'],
  [{ base: 'a', ours: 'b', theirs: 'c' }, 'conflict'],
  [{ base: undefined, ours: 'b', theirs: 'c' }, 'conflict'],
  [{ base: 'a', ours: 'b', theirs: undefined }, 'conflict'],
  [{ base: 'a', ours: undefined, theirs: 'a' }, 'gone-ours'],
  [{ base: 'a', ours: '', theirs: 'b' }, 'gone-ours'],
  [{ base: 'a', ours: 'a', theirs: '' }, 'gone-theirs'],
])('%j: %s', (sides, expected) => {
  expect(decide(sides)).toBe(expected)
})

const text = fc.option(fc.constantFrom('', 'a', 'b', 'c'), { nil: undefined })
const sides = fc.record({ base: text, ours: text, theirs: text })

test('an empty text is as good as none, on every side', () => {
  const withoutEmpty = (value: string | undefined) => (value === '' ? undefined : value)
  fc.assert(
    fc.property(sides, ({ base, ours, theirs }) => {
      const gaps = { base: withoutEmpty(base), ours: withoutEmpty(ours), theirs: withoutEmpty(theirs) }
      expect(decide({ base, ours, theirs })).toBe(decide(gaps))
    }),
  )
})

test('a side wins only over a side that is as the base, or has nothing; what a side lost never wins', () => {
  fc.assert(
    fc.property(sides, (all) => {
      const decision = decide(all)
      const [winner, loser] = decision === 'take-ours' ? [all.ours, all.theirs] : [all.theirs, all.ours]
      if (decision !== 'take-ours' && decision !== 'take-theirs') return
      expect(winner).toBeTruthy()
      if (loser) expect(loser).toBe(all.base)
    }),
  )
})

test('the two sides are alike, but for a deletion here, which an edit there does not undo', () => {
  const mirror = {
    equal: 'equal',
    'take-ours': 'take-theirs',
    'take-theirs': 'take-ours',
    conflict: 'conflict',
    'gone-ours': 'gone-theirs',
    'gone-theirs': 'gone-ours',
  } as const
  fc.assert(
    fc.property(sides, ({ base, ours, theirs }) => {
      const [decision, mirrored] = [decide({ base, ours, theirs }), decide({ base, ours: theirs, theirs: ours })]
      if (decision === 'gone-ours' && theirs !== base) expect(mirrored).toBe('conflict')
      else if (mirrored === 'gone-ours' && ours !== base) expect(decision).toBe('conflict')
      else expect(mirrored).toBe(mirror[decision])
    }),
  )
})

test('after both sides have the winner, they are equal for good', () => {
  fc.assert(
    fc.property(sides, (all) => {
      const decision = decide(all)
      const winner = decision === 'take-ours' ? all.ours : decision === 'take-theirs' ? all.theirs : undefined
      if (winner !== undefined) expect(decide({ base: winner, ours: winner, theirs: winner })).toBe('equal')
    }),
  )
})

test('a text id is injective and reversible', () => {
  const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', '', '"', 'a","b', '\u2028'))
  const ref = fc
    .record({ language: name, namespace: name, key: name, customer: fc.option(name, { nil: undefined }) })
    .map(({ customer, ...rest }) => (customer === undefined ? rest : { ...rest, customer }))
  fc.assert(
    fc.property(ref, ref, (a, b) => {
      expect(parseTextId(textId(a))).toEqual(a)
      expect(textId(a) === textId(b)).toBe(JSON.stringify(a) === JSON.stringify(b))
    }),
  )
})
