import { describe, expect, test } from 'vitest'
import { checkArrays, withArrays } from '../../../src/catalog/arrays.ts'
import { catalogDigest } from '../../../src/catalog/digest.ts'
import { fillGaps, joinLayers } from '../../../src/catalog/merge.ts'
import { createCatalog, type PartInput } from '../../../src/catalog/model.ts'
import { createTranslations } from '../../../src/catalog/translations.ts'
import { usedWithArrays } from '../../../src/catalog/values.ts'
import { parseTranslationText } from '../../../src/files/read.ts'
import { generateTexts } from '../../../src/output/texts.ts'
import { generateTypes } from '../../../src/output/types.ts'
import { TRANSLATION_SETTINGS } from '../../helpers/translation-settings.ts'

const options = { keySeparator: '.' }
const layerOf = (value: unknown) => {
  const { entries, values } = parseTranslationText(JSON.stringify(value), options)
  return { messages: entries, values }
}
const part = (language: string, value: unknown): PartInput => {
  const { messages, values } = layerOf(value)
  return { language, namespace: 'common', messages, ...(values && { values }) }
}
const texts = (language: string, messages: Record<string, string>): PartInput => ({
  language,
  namespace: 'common',
  messages: Object.entries(messages),
})
const catalogOf = (...parts: PartInput[]) => createCatalog({ parts })

async function shown(parts: PartInput[], shape: 'flat' | 'nested' = 'nested', language = 'pl') {
  const translations = createTranslations(createCatalog({ parts }), { ...TRANSLATION_SETTINGS, ...options })
  const config = { shape, compile: false, ...options } as const
  const { json } = await generateTexts(translations, config, { kind: 'namespace', language, namespace: 'common' })
  return JSON.parse(json) as unknown
}

describe('fallbacks', () => {
  test('each element comes from the first language that has it', async () => {
    const en = part('en', { t: 'T', a: ['1', '2', '3'], n: 1, o: { x: null } })
    expect(await shown([en, part('pl', { a: ['I', '', 'III'] })])).toEqual({
      t: 'T',
      a: ['I', '2', 'III'],
      n: 1,
      o: { x: null },
    })
    expect(await shown([en, part('pl', { a: ['', 'II'], n: 2 })])).toMatchObject({ a: ['1', 'II'], n: 2 })
    expect(await shown([en, part('pl', { a: ['I', '', '', ''], t: 'T' })])).toMatchObject({ a: ['I', '2', '3', ''] })
    expect(await shown([en, part('pl', { t: '', a: [] })])).toMatchObject({ t: 'T', a: [] })
  })

  test("a language's own kind wins", async () => {
    const en = part('en', { t: 'T', a: ['1', { x: '2' }], b: 'text', c: { d: 'D' }, e: [1] })
    expect(await shown([en, part('pl', { a: 'A', b: ['B'], c: ['C'], e: { f: 'F' } })])).toEqual({
      t: 'T',
      a: 'A',
      b: ['B'],
      c: ['C'],
      e: { f: 'F' },
    })
  })

  test('an array in an array, and an object without texts', async () => {
    const en = part('en', { a: [[['x'], []], { y: {}, z: ['z'] }, {}], 'b.c': ['d'] })
    const all = { a: [[['x'], []], { y: {}, z: ['z'] }, {}] }
    expect(await shown([en, part('pl', { a: [[['ξ']]] })])).toEqual({ a: [[['ξ']]], b: { c: ['d'] } })
    expect(await shown([en, part('pl', { 'b.c': [''] })])).toEqual({ ...all, b: { c: ['d'] } })
    expect(await shown([en, part('pl', { 'b.c': [''] })], 'flat')).toEqual({ ...all, 'b.c': ['d'] })
  })
})

describe('texts of the service', () => {
  test('an array grows by the texts of its own language, and by no huge index', () => {
    const file = layerOf({ a: ['1', '2'] })
    const remote = {
      messages: new Map([
        ['a.0', 'x'],
        ['a.2', 'z'],
        ['a.99999999', '!'],
        ['a.b', '?'],
      ]),
    }
    const grown = joinLayers([file, remote], options.keySeparator, { grows: true })
    expect([...grown.messages]).toEqual([
      ['a.0', '1'],
      ['a.1', '2'],
      ['a.2', 'z'],
    ])
    expect(grown.values?.get('a')).toEqual({ kind: 'array', length: 3 })
    expect([...joinLayers([file, remote], options.keySeparator).messages.keys()]).toEqual(['a.0', 'a.1'])
  })

  test('files fill the gaps of arrays, and bring what the service cannot have', () => {
    const remote = catalogOf(texts('en', { 'a.0': 'x', t: '' }))
    const joined = fillGaps(remote, catalogOf(part('en', { a: ['', 'b', 3], t: 'T' })), '.').part('en', 'common')
    expect(Object.fromEntries(joined?.messages ?? [])).toEqual({ 'a.0': 'x', 'a.1': 'b', t: 'T' })
    expect([...(joined?.values?.keys() ?? [])]).toEqual(['a', 'a.2'])
  })

  test('a language without a file has the arrays of the other files', async () => {
    const files = catalogOf(part('en', { a: ['1', '2'], o: { 0: 'x' } }))
    const service = catalogOf(texts('en', { 'a.0': '1' }), texts('pl', { 'a.1': 'II', 'o.0': 'ξ' }))
    const known = withArrays(service, files, { ...options, infers: true })
    const { parts } = fillGaps(known, files, '.')
    expect(await shown([...parts])).toEqual({ a: ['1', 'II'], o: { 0: 'ξ' } })
  })

  test('without files, exactly 0 to n - 1 is an array', () => {
    const keys = { 'a.0': '', 'a.1': '', 'b.0': '', 'b.2': '', 'c.0': '', 'c.x': '', d: '', 'd.0': '', 'e.00': '' }
    const service = catalogOf(texts('en', keys))
    const inferred = withArrays(service, catalogOf(), { ...options, infers: true }).part('en', 'common')?.values
    expect([...(inferred ?? [])]).toEqual([['a', { kind: 'array', length: 2 }]])
    expect(withArrays(service, catalogOf(), { ...options, infers: false })).toBe(service)
  })
})

test('a change of a value changes the digest', () => {
  const digest = (value: unknown) => catalogDigest(catalogOf(part('en', value)))
  expect(digest({ a: 'x', n: 1 })).not.toBe(digest({ a: 'x', n: 2 }))
  expect(digest({ a: 'x', n: 1 })).toBe(digest({ n: 1, a: 'x' }))
})

test('a used element keeps its array', () => {
  const { messages, values } = layerOf({ a: [{ t: 'x' }, 'y'], b: ['z'], c: 'c' })
  const isUsed = usedWithArrays(values, '.', messages.keys(), (key) => key === 'a.0.t' || key === 'c')
  expect([...messages.keys(), 'a', 'b'].filter(isUsed)).toEqual(['a.0.t', 'a.1', 'c', 'a'])
})

test('checks name arrays that differ from the default language', () => {
  const en = { t: 'T', a: ['1', '2'], b: ['x'], c: ['x'], d: { e: 'x' }, f: ['x'] }
  const pl = { t: 'T', a: ['I'], b: 'B', c: { x: 'C' }, d: ['D'] }
  const findings = checkArrays(catalogOf(part('en', en), part('pl', pl)), 'en', options.keySeparator)
  expect(findings.map(({ message }) => message)).toEqual([
    '"a" has 1 element, but 2 in the default language',
    '"d" is an array, but an object in the default language',
    '"b" is a text, but an array in the default language',
    '"c" is an object, but an array in the default language',
  ])
  expect(findings[0]).toMatchObject({
    rule: 'array',
    place: { language: 'pl', namespace: 'common', key: 'a' },
    other: { language: 'en', namespace: 'common', key: 'a' },
  })
})

test.each(['flat', 'nested'] as const)('types of %s messages', (shape) => {
  const en = part('en', { t: 'T', a: ['x', 1, { y: '{z}' }, []], n: { m: null, b: true } })
  const translations = createTranslations(catalogOf(en), { ...TRANSLATION_SETTINGS, ...options })
  const types = generateTypes(translations, { shape, ...options })
  expect(types).toContain("'a': readonly [string, number, { readonly 'y': string }, readonly []]")
  const keys = /type Keys_common = (?:Readonly<)?\{([^}]*)\}/.exec(types)?.[1]
  const names = [...(keys ?? '').matchAll(/'([^']+)'/g)].map(([, name]) => name)
  expect(names).toEqual(shape === 'flat' ? ['t'] : ['a.0', 'a.2.y', 't'])
  expect(types).toContain(shape === 'flat' ? "  'n.m': null" : "  'b': boolean")
})
