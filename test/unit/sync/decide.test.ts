import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTextId, textId } from '../../../src/catalog/text-id.ts'
import { ACTIONS, baseOf, type Common, commonAfter, decide, theirsOf } from '../../../src/sync/decide.ts'
import '../../helpers/seed.ts'

test.each<[Common | undefined, ours: string | undefined, theirs: string | undefined, ReturnType<typeof decide>]>([
  ['a', 'a', 'a', 'equal'],
  ['a', 'b', 'b', 'equal'],
  [undefined, 'a', 'a', 'equal'],
  ['a', undefined, '', 'equal'],
  [undefined, 'b', undefined, 'new-here'],
  [undefined, '', 'b', 'new-there'],
  [undefined, 'b', 'c', 'conflict'],
  ['a', 'b', 'a', 'edited-here'],
  ['a', 'a', 'b', 'edited-there'],
  ['a', 'b', 'c', 'conflict'],
  ['a', undefined, 'a', 'deleted-here'],
  ['a', 'a', '', 'deleted-there'],
  ['a', '', 'b', 'conflict'],
  ['a', 'b', undefined, 'conflict'],
  [{ met: ['a', 'b'] }, 'a', 'b', 'conflict'],
  [{ met: ['a', 'b'] }, '', 'b', 'deleted-here'],
  [{ met: ['a', 'b'] }, 'a', '', 'deleted-there'],
  [{ met: ['a', 'b'] }, undefined, 'a', 'conflict'],
  [{ met: ['a', 'b'] }, 'b', undefined, 'conflict'],
  [{ gone: ['a'] }, 'a', undefined, 'deleted-there'],
  [{ gone: ['a'] }, undefined, 'a', 'deleted-here'],
  [{ gone: ['a'] }, 'b', undefined, 'new-here'],
  [{ gone: ['a'] }, undefined, 'b', 'new-there'],
  [{ gone: ['a', 'b'] }, 'b', undefined, 'deleted-there'],
])('%j, file %j, service %j: %s', (common, ours, theirs, expected) => {
  expect(decide(common, { ours, theirs })).toBe(expected)
})

test.each<[Common | undefined, ours: string | undefined, theirs: string | undefined, Common | undefined]>([
  [undefined, 'a', 'a', 'a'],
  [{ met: ['a', 'b'] }, 'c', 'c', 'c'],
  [{ gone: ['a'] }, 'b', 'b', 'b'],
  [undefined, 'a', 'b', { met: ['a', 'b'] }],
  [{ gone: ['a'] }, 'b', 'c', { met: ['b', 'c'] }],
  ['a', 'b', 'c', 'a'],
  [{ met: ['a', 'b'] }, 'c', 'd', { met: ['a', 'b'] }],
  [undefined, 'a', undefined, undefined],
  [undefined, '', 'b', undefined],
  ['a', 'a', '', 'a'],
  ['a', undefined, 'b', 'a'],
  [{ met: ['a', 'b'] }, 'a', undefined, { met: ['a', 'b'] }],
  [{ gone: ['a'] }, 'b', undefined, { gone: ['a'] }],
  [{ gone: ['a'] }, undefined, 'b', { gone: ['a'] }],
  [undefined, undefined, '', undefined],
  [{ gone: ['a'] }, undefined, undefined, { gone: ['a'] }],
  ['a', '', undefined, { gone: ['a'] }],
  [{ met: ['a', 'b'] }, undefined, '', { gone: ['a', 'b'] }],
])('after %j, file %j, service %j: %j', (before, ours, theirs, expected) => {
  expect(commonAfter(before, { ours, theirs })).toEqual(expected)
})

test("the file's text of the time before is among the texts that are gone, once", () => {
  const none = { ours: undefined, theirs: undefined }
  expect(commonAfter('a', none, 'b')).toEqual({ gone: ['a', 'b'] })
  expect(commonAfter({ met: ['a', 'b'] }, none, 'b')).toEqual({ gone: ['a', 'b'] })
})

test("the service's text follows from a base and from texts that met, and from nothing else", () => {
  expect([undefined, 'a', { met: ['a', 'b'] } as const, { gone: ['a'] }].map(theirsOf)).toEqual([
    undefined,
    'a',
    'b',
    undefined,
  ])
})

const name = fc.constantFrom('a', 'b', 'c')
const text = fc.option(fc.oneof(name, fc.constant('')), { nil: undefined })
const sides = fc.record({ ours: text, theirs: text })
const pair = fc.tuple(name, name)
const common = fc.oneof(
  fc.constant(undefined),
  name,
  pair.filter(([a, b]) => a !== b).map((met) => ({ met })),
  fc.array(name, { minLength: 1 }).map((gone) => ({ gone })),
)

test('an empty text is as good as none, on every side', () => {
  const withoutEmpty = (value: string | undefined) => (value === '' ? undefined : value)
  fc.assert(
    fc.property(common, sides, (last, { ours, theirs }) => {
      const gaps = { ours: withoutEmpty(ours), theirs: withoutEmpty(theirs) }
      expect(decide(last, { ours, theirs })).toBe(decide(last, gaps))
    }),
  )
})

test('a side wins only over a side that is as the base, or has nothing; a deletion never wins', () => {
  fc.assert(
    fc.property(common, sides, (last, all) => {
      const action = ACTIONS[decide(last, all)]
      if (action !== 'send' && action !== 'write') return
      const [winner, loser] = action === 'send' ? [all.ours, all.theirs] : [all.theirs, all.ours]
      expect(winner).toBeTruthy()
      if (loser) expect(loser).toBe(baseOf(last))
    }),
  )
})

test('both sides are alike', () => {
  const swapped = (state: string) =>
    state.endsWith('-here') ? state.replace('-here', '-there') : state.replace('-there', '-here')
  const mirror = (last: Common | undefined): Common | undefined =>
    typeof last === 'object' && 'met' in last ? { met: [last.met[1], last.met[0]] } : last
  fc.assert(
    fc.property(common, sides, (last, { ours, theirs }) => {
      const other = decide(mirror(last), { ours: theirs, theirs: ours })
      expect(other).toBe(swapped(decide(last, { ours, theirs })))
    }),
  )
})

test('after both sides have the winner, they are equal for good', () => {
  fc.assert(
    fc.property(common, sides, (last, all) => {
      const action = ACTIONS[decide(last, all)]
      const winner = action === 'send' ? all.ours : action === 'write' ? all.theirs : undefined
      if (winner === undefined) return
      const after = commonAfter(last, { ours: winner, theirs: winner })
      expect(after).toBe(winner)
      expect(decide(after, { ours: winner, theirs: winner })).toBe('equal')
    }),
  )
})

test('a side is new only where the other never had a text, or both had deleted another one', () => {
  fc.assert(
    fc.property(common, sides, (last, { ours, theirs }) => {
      const state = decide(last, { ours, theirs })
      if (state !== 'new-here' && state !== 'new-there') return
      const gone = last === undefined || typeof last === 'string' || 'met' in last ? undefined : last.gone
      expect(last === undefined || gone !== undefined).toBe(true)
      expect(gone ?? []).not.toContain(state === 'new-here' ? ours : theirs)
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
