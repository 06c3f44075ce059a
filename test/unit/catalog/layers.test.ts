/** Layers of one namespace: which layer decides about a name, and how long arrays are. */
import { expect, test } from 'vitest'
import { joinLayers, type Layer } from '../../../src/catalog/merge.ts'
import type { Value } from '../../../src/catalog/values.ts'

const layer = (texts: Record<string, string>, values?: Record<string, Value>): Layer => ({
  messages: new Map(Object.entries(texts)),
  ...(values && { values: new Map(Object.entries(values)) }),
})
const array = (length: number): Value => ({ kind: 'array', length })
const join = (layers: readonly Layer[], grows = false) => {
  const { messages, values } = joinLayers(layers, '.', { grows })
  return { texts: Object.fromEntries(messages), values: values && Object.fromEntries(values) }
}

test('without values there are none', () => {
  expect(join([layer({ a: 'x' })])).toEqual({ texts: { a: 'x' }, values: undefined })
})

test('an array is as long as the elements that an earlier layer has', () => {
  const later = layer({ 'list.0': 'later' }, { list: array(1) })
  expect(join([layer({ 'list.2': 'third' }), later])).toEqual({
    texts: { 'list.0': 'later', 'list.2': 'third' },
    values: { list: array(3) },
  })
  // The last of several elements counts, in any order.
  expect(join([layer({ 'list.2': 'third', 'list.1': 'second' }), later]).values).toEqual({ list: array(3) })
  expect(join([layer({ 'list.0': 'first' }), layer({}, { list: array(2) })]).values).toEqual({ list: array(2) })
})

test('a huge index makes no huge array', () => {
  const short = layer({ 'list.0': 'a' }, { list: array(1) })
  expect(join([layer({ 'list.1000': 'far' }), short]).values).toEqual({ list: array(1001) })
  expect(join([layer({ 'list.1001': 'far' }), short]).values).toEqual({ list: array(1) })
  expect(join([short, layer({ 'list.1000': 'far' })], true).values).toEqual({ list: array(1001) })
  expect(join([short, layer({ 'list.1001': 'far' })], true)).toEqual({
    texts: { 'list.0': 'a' },
    values: { list: array(1) },
  })
})

test('a text, a value or an object keeps an array of its name out', () => {
  const later = layer({ 'name.0': 'element' }, { name: array(1) })
  expect(join([layer({ name: 'text' }), later])).toEqual({ texts: { name: 'text' }, values: undefined })
  expect(join([layer({ 'name.title': 'text' }), later])).toEqual({ texts: { 'name.title': 'text' }, values: undefined })
  const number: Value = { kind: 'number', value: 1 } as unknown as Value
  expect(join([layer({}, { name: number }), later])).toEqual({ texts: {}, values: { name: number } })
  expect(join([later, layer({ 'name.title': 'text' })]).texts).toEqual({ 'name.0': 'element' })
})
