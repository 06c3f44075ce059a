import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTextId, textId } from '../../../src/catalog/text-id.ts'
import { ACTIONS, decide, type Values } from '../../../src/sync/decide.ts'
import '../../helpers/seed.ts'

test.each<[Values, ReturnType<typeof decide>]>([
  [{ base: 'a', ours: 'a', theirs: 'a' }, 'equal'],
  [{ base: 'a', ours: 'b', theirs: 'b' }, 'equal'],
  [{ base: undefined, ours: 'a', theirs: 'a' }, 'equal'],
  [{ base: 'a', ours: undefined, theirs: '' }, 'equal'],
  [{ base: undefined, ours: 'b', theirs: undefined }, 'new-here'],
  [{ base: undefined, ours: '', theirs: 'b' }, 'new-there'],
  [{ base: undefined, ours: 'b', theirs: 'c' }, 'conflict'],
  [{ base: 'a', ours: 'b', theirs: 'a' }, 'edited-here'],
  [{ base: 'a', ours: 'a', theirs: 'b' }, 'edited-there'],
  [{ base: 'a', ours: 'b', theirs: 'c' }, 'conflict'],
  [{ base: 'a', ours: undefined, theirs: 'a' }, 'deleted-here'],
  [{ base: 'a', ours: 'a', theirs: '' }, 'deleted-there'],
  [{ base: 'a', ours: '', theirs: 'b' }, 'conflict'],
  [{ base: 'a', ours: 'b', theirs: undefined }, 'conflict'],
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

test('a side wins only over a side that is as the base, or has nothing; a deletion never wins', () => {
  fc.assert(
    fc.property(sides, (all) => {
      const action = ACTIONS[decide(all)]
      if (action !== 'send' && action !== 'write') return
      const [winner, loser] = action === 'send' ? [all.ours, all.theirs] : [all.theirs, all.ours]
      expect(winner).toBeTruthy()
      if (loser) expect(loser).toBe(all.base)
    }),
  )
})

test('both sides are alike', () => {
  const swapped = (state: string) =>
    state.endsWith('-here') ? state.replace('-here', '-there') : state.replace('-there', '-here')
  fc.assert(
    fc.property(sides, ({ base, ours, theirs }) => {
      expect(decide({ base, ours: theirs, theirs: ours })).toBe(swapped(decide({ base, ours, theirs })))
    }),
  )
})

test('after both sides have the winner, they are equal for good', () => {
  fc.assert(
    fc.property(sides, (all) => {
      const action = ACTIONS[decide(all)]
      const winner = action === 'send' ? all.ours : action === 'write' ? all.theirs : undefined
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
