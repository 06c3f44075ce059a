import { expect, test } from 'vitest'
import type { Common } from '../../../src/sync/decide.ts'
import { BaseStore } from '../../../src/sync/store.ts'

const MET = { met: ['a', 'b'] } as const
const GONE = { gone: ['a'] }

test('a line is made for each text that changed, and none for one that was set again', () => {
  const base = new BaseStore()
  base.set('1', 'a')
  base.set('1', 'b')
  base.set('2', MET)
  expect(base.takeLines()).toEqual([
    ['base', '1', 'b'],
    ['base', '2', MET],
  ])
  base.set('1', 'b')
  expect(base.takeLines()).toEqual([])
  base.set('1', undefined)
  expect(base.takeLines()).toEqual([['base', '1', null]])
  expect([base.values.size, base.get('1'), base.common('2')]).toEqual([1, undefined, MET])
})

test('lines that are read make the same texts', () => {
  const base = new BaseStore()
  for (const [id, common] of Object.entries({ '1': 'a', '2': MET, '3': GONE, '4': '' })) base.set(id, common)
  base.set('5', 'a')
  base.set('5', undefined)
  const read = new BaseStore()
  read.set('5', 'older')
  for (const line of base.takeLines()) expect(read.replay(line as unknown[])).toBe(true)
  expect(Array.from(read.values.keys(), (id) => [id, read.common(id)])).toEqual([
    ['1', 'a'],
    ['2', MET],
    ['3', GONE],
  ])
  expect([...read.lines()]).toEqual([...read.values.keys()].map((id) => ['base', id, read.common(id)]))
})

test('a line of another kind is not read, and a value that is none changes nothing', () => {
  const base = new BaseStore()
  base.set('1', 'a')
  for (const line of [['put', '1', 'b'], ['base', 1, 'b'], []]) expect(base.replay(line)).toBe(false)
  for (const value of [1, {}, { met: ['a'] }, { gone: 'a' }]) expect(base.replay(['base', '1', value])).toBe(true)
  expect(Array.from(base.values.keys(), (id) => [id, base.common(id)])).toEqual([['1', 'a']])
})

test('a base that moves is told with the base before; a text without a base has none', () => {
  const moves: unknown[] = []
  const base = new BaseStore()
  const steps: (Common | undefined)[] = [MET, 'a', 'a', 'b', GONE, MET, undefined]
  for (const step of steps) {
    base.set('1', step)
    moves.push(...base.takeMoves())
  }
  expect(moves).toEqual([
    ['1', undefined],
    ['1', 'a'],
    ['1', 'b'],
  ])
  for (const step of steps) base.set('2', step)
  expect([...base.takeMoves()]).toEqual([['2', undefined]])
})
