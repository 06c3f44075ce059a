/** The order of the keys in a file, and where a new key goes. */
import { expect, test } from 'vitest'
import type { EditBranch, EditMember } from '../../../src/files/formats/edit-tree.ts'
import { indexBeside, insertionIndex, nameOrderOf } from '../../../src/files/key-order.ts'

const membersOf = (names: readonly string[]): EditMember[] =>
  names.map((name) => ({ name, value: { kind: 'text' } }) as unknown as EditMember)
const objectOf = (names: readonly string[]) => ({ kind: 'object', members: membersOf(names) }) as unknown as EditBranch
const orderIn = (names: readonly string[]) => nameOrderOf(objectOf(names))

test('six names in order are an order; five may be so by chance', () => {
  expect(orderIn(['a', 'b', 'c', 'd', 'e'])).toBeUndefined()
  expect(orderIn(['a', 'b', 'c', 'd', 'e', 'f'])).toBeDefined()
  expect(orderIn(['a', 'b', 'c', 'd', 'f', 'e'])).toBeUndefined()
  expect(nameOrderOf({ ...objectOf(['a', 'b', 'c', 'd', 'e', 'f']), kind: 'array' } as EditBranch)).toBeUndefined()
})

test.each([
  ['by code unit', ['A', 'Z', '_', 'a', 'b', 'c', 'd'], ['Z', 'a']],
  ['without regard to case', ['A', 'b', 'C', 'd', 'E', 'f', 'g_a', 'gb'], ['b', 'C']],
  ['as people sort', ['a', 'ä', 'b', 'c', 'd', 'e', 'f'], ['ä', 'b']],
])('%s', (_, names, [first = '', second = '']) => {
  const order = orderIn(names)
  expect(order?.(first, second)).toBeLessThan(0)
  expect(order?.(second, first)).toBeGreaterThan(0)
})

test('a new name goes behind those that are not greater', () => {
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  const at = (name: string) => insertionIndex(membersOf(['b', 'd', 'd', 'f']), name, order)
  expect(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(at)).toEqual([0, 1, 1, 3, 3, 4, 4])
})

test('a new name goes behind the nearest one before it in the model, else before the nearest one behind it', () => {
  const beside = (own: readonly string[], name: string, model: readonly string[]) => {
    const members = membersOf(own)
    const byName = new Map(members.map((member) => [member.name, member]))
    return indexBeside(members, byName, name, membersOf(model))
  }
  expect(beside(['x', 'a', 'c'], 'b', ['a', 'b', 'c'])).toBe(2)
  expect(beside(['a', 'x', 'c'], 'b', ['a', 'b', 'c'])).toBe(1)
  expect(beside(['c', 'x'], 'b', ['b', 'c'])).toBe(0)
  expect(beside(['x', 'a', 'd'], 'c', ['a', 'b', 'c', 'd'])).toBe(2)
  expect(beside(['x', 'c'], 'a', ['a', 'b', 'c'])).toBe(1)
  expect(beside(['x', 'c', 'y'], 'b', ['b', 'z', 'c'])).toBe(1)
  expect(beside(['x', 'y'], 'b', ['b', 'z'])).toBe(2)
  expect(beside(['x', 'y'], 'n', ['x', 'y'])).toBe(2)
})
