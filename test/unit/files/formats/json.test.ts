import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LocalizationError } from '../../../../src/errors.ts'
import { parseTranslationText } from '../../../../src/files/read.ts'
import { updateTranslationText } from '../../../../src/files/update.ts'
import { PATH_JOINT } from '../../../../src/shared/key-path.ts'
import { repeats } from '../../../helpers/repeats.ts'
import '../../../helpers/seed.ts'

const options = { keySeparator: '.' }
const update = (text: string | undefined, changes: Record<string, string | undefined>, more: object = {}) =>
  updateTranslationText(text, new Map(Object.entries(changes)), { ...options, ...more })

const NESTED = '{\n  "title": "A",\n  "menu": {\n    "open": "O",\n    "close": "C"\n  },\n  "end": "E"\n}\n'

describe('changing a file', () => {
  test('one changed text changes one line', () => {
    expect(update(NESTED, { 'menu.open': 'Open "it"' })).toBe(NESTED.replace('"O"', '"Open \\"it\\""'))
  })

  test('no change, and a change to the same text, give the same bytes', () => {
    const odd = '\uFEFF{ "a" :\t"\\u0041\\/",\r\n\r\n  "b": {"c":"x"}  }'
    expect(update(odd, {})).toBe(odd)
    expect(update(odd, { a: 'A/', 'b.c': 'x' })).toBe(odd)
  })

  test('byte order mark, line ends, tabs, escapes and a missing final newline stay', () => {
    const text = '\uFEFF{\r\n\t"a": "\\u00e9\\/",\r\n\t"b": "2"\r\n}'
    expect(update(text, { b: 'zwei', c: 'drei' })).toBe(
      '\uFEFF{\r\n\t"a": "\\u00e9\\/",\r\n\t"b": "zwei",\r\n\t"c": "drei"\r\n}',
    )
  })

  test('a file that escapes everything outside ASCII goes on doing so', () => {
    expect(update('{"a": "\\u00e9"}', { b: '😀é' })).toBe('{"a": "\\u00e9","b": "\\ud83d\\ude00\\u00e9"}')
  })

  test('new keys go behind the last of their branch; new branches are made', () => {
    expect(update(NESTED, { 'menu.save': 'S', 'dialog.a.b': 'D' })).toBe(
      '{\n  "title": "A",\n  "menu": {\n    "open": "O",\n    "close": "C",\n    "save": "S"\n  },\n  "end": "E",\n  "dialog": {\n    "a": {\n      "b": "D"\n    }\n  }\n}\n',
    )
  })

  test('a flat file stays flat', () => {
    expect(update('{\n    "a.b": "1"\n}\n', { 'a.c': '2', d: '3' })).toBe(
      '{\n    "a.b": "1",\n    "a.c": "2",\n    "d": "3"\n}\n',
    )
  })

  test('a sorted file stays sorted', () => {
    const file = (names: readonly string[]) =>
      `${JSON.stringify(Object.fromEntries(names.map((n) => [n, n])), null, 2)}\n`
    const added = { ant: 'ant', Cat: 'Cat', zoo: 'zoo' }
    // By code unit, without regard to case, as people sort; in no order.
    expect(update(file(['B', 'D', 'a', 'b', 'c', 'd', 'e']), added)).toBe(
      file(['B', 'Cat', 'D', 'a', 'ant', 'b', 'c', 'd', 'e', 'zoo']),
    )
    expect(update(file(['b', 'B-1', 'c-c', 'D', 'e', 'f']), added)).toBe(
      file(['ant', 'b', 'B-1', 'c-c', 'Cat', 'D', 'e', 'f', 'zoo']),
    )
    expect(update(file(['a', 'é', 'f', 'g', 'h', 'i', 'j']), { d: 'd' })).toBe(
      file(['a', 'd', 'é', 'f', 'g', 'h', 'i', 'j']),
    )
    expect(update(file(['b', 'a', 'd', 'c', 'e', 'f']), added)).toBe(
      file(['b', 'a', 'd', 'c', 'e', 'f', 'ant', 'Cat', 'zoo']),
    )
    const members = ['"a": {\r\n\t\t"b": "1",\r\n\t\t"d": "2"\r\n\t}', '"c": "3"', '"e": "4"', '"f": "5"', '"g": "6"']
    const nested = `{${members.map((member) => `\r\n\t${member}`).join(',')}\r\n}`
    expect(update(nested, { 'a.a': '0', 'a.c': '1', d: '2' })).toBe(
      nested
        .replace('"b": "1"', '"a": "0",\r\n\t\t"b": "1",\r\n\t\t"c": "1"')
        .replace('"c": "3"', '"c": "3",\r\n\t"d": "2"'),
    )
  })

  test('a file on one line stays on one line', () => {
    expect(update('{"a":"1"}', { b: '2' })).toBe('{"a":"1","b":"2"}')
    expect(update('{"a":{"x":"1"}}', { 'b.c': '2' })).toBe('{"a":{"x":"1"},"b":{"c":"2"}}')
  })

  test('removed: first, middle, last, a whole branch, everything', () => {
    expect(update(NESTED, { title: undefined })).toBe(NESTED.replace('  "title": "A",\n', ''))
    expect(update(NESTED, { 'menu.close': undefined })).toBe(NESTED.replace(',\n    "close": "C"', ''))
    expect(update(NESTED, { end: undefined })).toBe(NESTED.replace(',\n  "end": "E"', ''))
    expect(update(NESTED, { 'menu.open': undefined, 'menu.close': undefined })).toBe(
      '{\n  "title": "A",\n  "end": "E"\n}\n',
    )
    expect(update('{\n  "a": "1"\n}\n', { a: undefined })).toBe('{}\n')
  })

  test('a new file: flat unless told otherwise', () => {
    expect(update(undefined, { 'a.b': '1', c: '2' })).toBe('{\n  "a.b": "1",\n  "c": "2"\n}\n')
    expect(update('', { 'a.b': '1', 'a.c': '2' }, { shape: 'nested' })).toBe(
      '{\n  "a": {\n    "b": "1",\n    "c": "2"\n  }\n}\n',
    )
    expect(update(undefined, {})).toBe('{}\n')
  })

  test('a text beside a branch of its name keeps both', () => {
    for (const [text, key] of [
      ['{\n  "a": "1",\n  "n": {\n    "m": "2"\n  }\n}\n', 'a.b'],
      ['{\n  "a": {\n    "b": "\\u0031",\n    "c": {\n      "d": "2"\n    }\n  }\n}\n', 'a'],
      ['{\n  "x": {\n    "a": {\n      "b": "1"\n    }\n  }\n}\n', 'x.a'],
    ] as const) {
      const result = update(text, { [key]: 'new' })
      const before = parseTranslationText(text, options).entries
      expect(parseTranslationText(result, options).entries).toEqual(new Map([...before, [key, 'new']]))
    }
  })

  test('what cannot be written without losing a text is refused', () => {
    expect(() => update('{"a":{"b":{"x":"1"}},"a.b":{"y":"2"}}', { a: 'text' })).toThrow(
      /cannot be both a text and a branch/,
    )
    expect(() => update('{"a": "1", "a": "2"}', { b: '3' })).toThrow(/not written: duplicate key "a", first defined at/)
    expect(() => update('{"a": "1", "a": "2"}', { b: '3' }, { file: 'en.json' })).toThrow(/^en.json:1:12: not written/)
    expect(() => update('{"a": 1, "b": ""}', { a: '3' })).toThrow(/cannot be both a text and a branch/)
    expect(() => update('{"a": "x"}', { a: '\ud800' })).toThrow(/lone surrogate/)
    expect(() => update('{"a": "x",}', { a: 'y' })).toThrow(/trailing comma before/)
  })

  describe('a refusal', () => {
    const refusal = (text: string, changes: Record<string, string | undefined>, more: object = {}) => {
      try {
        return update(text, changes, more)
      } catch (error) {
        const { code, hint, place } = error as LocalizationError
        return { code, hint, place: JSON.parse(JSON.stringify(place ?? {})) }
      }
    }
    const file = 'en.json'

    test('of a file with an error has the place and the hint of the error', () => {
      const twice = '{"a": "1",\n "a": "2"}'
      const found = { code: 'FILE_DUPLICATE_KEY', hint: 'Remove one.' }
      const place = { line: 2, column: 2, key: 'a' }
      expect(refusal(twice, { b: '3' })).toEqual({ ...found, place })
      expect(refusal(twice, { b: '3' }, { file })).toEqual({ ...found, place: { ...place, file } })
    })

    test('of half a character, in a text or in a key, names the key', () => {
      for (const [key, text] of [
        ['b', 'y\udc00'],
        ['\ud800', 'y'],
        ['\ud800', undefined],
      ] as const) {
        expect(refusal('{"a": "x"}', { [key]: text })).toMatchObject({ code: 'FILE_ENCODING', place: { key } })
        expect(refusal('{"a": "x"}', { [key]: text }, { file })).toMatchObject({ place: { file, key } })
      }
    })

    test('of a key that cannot be written says what to do', () => {
      const code = 'FILE_KEY_COLLISION'
      const flat = { code, hint: 'Write this file with flat keys.' }
      expect(refusal('{"a": 1, "b": ""}', { a: '3' })).toEqual({ ...flat, place: {} })
      expect(refusal('{"a": 1, "b": ""}', { a: '3' }, { file })).toEqual({ ...flat, place: { file } })
      const other = { code, hint: 'Change the file, or rename the key on the service.' }
      for (const key of ['steps.x', 'steps.3', 'steps.0.x']) {
        expect(refusal('{"steps":["a"]}', { [key]: 'E' })).toEqual({ ...other, place: {} })
        expect(refusal('{"steps":["a"]}', { [key]: 'E' }, { file })).toEqual({ ...other, place: { file } })
      }
    })

    test('comes where names are no parts of a key: a text and an object of one name', () => {
      const joined = { keySeparator: PATH_JOINT, file }
      const hint = 'Rename one of them on the service.'
      const refused = { code: 'FILE_KEY_COLLISION', hint, place: { file } }
      expect(refusal('{"a": {"b": "x"}}', { a: '3' }, joined)).toEqual(refused)
      expect(refusal('{"a": "x"}', { [`a${PATH_JOINT}b`]: '3' }, joined)).toEqual(refused)
      expect(refusal('{"a.b": "x"}', { [`a${PATH_JOINT}b`]: '3', 'a.c': '4' }, joined)).toBe(
        '{"a.b": "x","a": {"b": "3"},"a.c": "4"}',
      )
    })
  })

  test('a file with nothing but white space is a new one', () => {
    for (const text of ['', ' \r\n', '\uFEFF', '\uFEFF \n']) {
      expect(update(text, { a: '1' })).toBe('{\n  "a": "1"\n}\n')
      expect(update(text, { a: undefined })).toBe('{}\n')
    }
    expect(update('{ }', { a: '1' })).toBe('{\n  "a": "1"\n}')
  })

  test('every spelling stays beside a change: spaces, numbers, empty objects', () => {
    const text = '{ "n" : 1.0,  "e": { }, "a": {"b" : "x"  },"c":{"d":"y", "f": "z"}}'
    expect(update(text, { 'c.d': 'new' })).toBe(text.replace('"y"', '"new"'))
    expect(update(text, { 'a.b': undefined })).toBe(text.replace(' "a": {"b" : "x"  },', ''))
    expect(update(text, { 'c.d': undefined })).toBe(text.replace('"d":"y", ', ''))
    expect(update(text, { 'c.g': 'G' })).toBe(text.replace('"z"', '"z", "g" : "G"'))
    expect(update('{\n"a" :"1"}', { b: '2' })).toBe('{\n"a" :"1",\n"b" :"2"}')
    expect(update('{ "a": "1", "b": "2" }', { c: '3' })).toBe('{ "a": "1", "b": "2", "c": "3" }')
  })

  test('a new key is split as the file splits its keys; a sentence and a very deep key are one name', () => {
    const nested = '{"a":{"b":"x"}}'
    expect(update(nested, { 'c.d': 'y', 'a.e.f': 'z' })).toBe('{"a":{"b":"x","e":{"f":"z"}},"c":{"d":"y"}}')
    expect(update('{"a.b":"x"}', { 'c.d': 'y' }, { shape: 'nested' })).toBe('{"a.b":"x","c.d":"y"}')
    expect(update('{"a":"x"}', { 'c.d': 'y' }, { shape: 'nested' })).toBe('{"a":"x","c":{"d":"y"}}')
    expect(update('{"a":"x"}', { 'c.d': 'y' })).toBe('{"a":"x","c.d":"y"}')
    // Objects show it better than names with the separator.
    expect(update('{"a.b":"1","c":{"d":"x"}}', { 'e.f': '2' })).toBe('{"a.b":"1","c":{"d":"x"},"e":{"f":"2"}}')
    expect(update(nested, { 'c..d': 'y', 'Loading...': 'z' })).toBe('{"a":{"b":"x"},"c..d":"y","Loading...":"z"}')
    const [most, more] = [100, 101].map((count) => Array(count).fill('n').join('.'))
    for (const [key, isOne] of [
      [most, false],
      [more, true],
    ] as const) {
      const result = JSON.parse(update(nested, { [`${key}`]: 'deep' })) as Record<string, unknown>
      expect(Object.hasOwn(result, `${key}`)).toBe(isOne)
    }
  })

  test('a text where a branch has its name lifts the branch, as long as no other text is in the way', () => {
    expect(update('{"a":{"b":"x"},"a.c":"y"}', { a: 't' })).toBe('{"a.c":"y","a.b":"x","a":"t"}')
    expect(() => update('{"a":{"b":"x","c":"y"},"a.b":{"z":"w"}}', { a: 't' })).toThrow(
      expect.objectContaining({ code: 'FILE_KEY_COLLISION' }),
    )
    const lifted = update('{"a":{"b":"x","c":{"d":"y"}}}', { a: 't', 'a.c': 'u' })
    expect(lifted).toBe('{"a.b":"x","a":"t","a.c.d":"y","a.c":"u"}')
  })

  const ARRAY = '{\n  "n": 1.50,\n  "steps": [\n    "A",\n    2,\n    "C"\n  ],\n  "in": ["x"]\n}\n'

  test('an element changes in its place, and is added behind the last one', () => {
    expect(update(ARRAY, { 'steps.2': 'Z', 'in.0': 'y' })).toBe(ARRAY.replace('"C"', '"Z"').replace('"x"', '"y"'))
    expect(update(ARRAY, { 'in.2': 'z', 'in.1': 'y' })).toBe(ARRAY.replace('["x"]', '["x", "y", "z"]'))
    expect(update(ARRAY, { 'steps.3': 'D' })).toBe(ARRAY.replace('"C"', '"C",\n    "D"'))
    expect(update('{"a":["x"]}', { 'a.1': 'y' })).toBe('{"a":["x","y"]}')
    expect(update('{"a":[{"t":"x"}]}', { 'a.1.t': 'y' })).toBe('{"a":[{"t":"x"},{"t":"y"}]}')
    expect(update('{"a": [[]], "b": ""}', { 'a.0.0': 'x' })).toBe('{"a": [["x"]], "b": ""}')
  })

  test('an element that is removed keeps the place of those behind it', () => {
    expect(update(ARRAY, { 'steps.0': undefined })).toBe(ARRAY.replace('"A"', '""'))
    expect(update(ARRAY, { 'steps.2': undefined })).toBe(ARRAY.replace(',\n    "C"', ''))
    expect(update(ARRAY, { 'in.0': undefined })).toBe(ARRAY.replace(',\n  "in": ["x"]', ''))
    const three = '{"l":["x","y","z"],"a":"b"}'
    expect(update(three, { 'l.0': undefined, 'l.2': undefined })).toBe('{"l":["","y"],"a":"b"}')
    expect(update(three, { 'l.1': undefined, 'l.2': undefined })).toBe('{"l":["x"],"a":"b"}')
    const objects = '{"l":[{"t":"x"},{"t":"y"}],"a":"b"}'
    expect(update(objects, { 'l.0.t': undefined })).toBe('{"l":[{},{"t":"y"}],"a":"b"}')
    expect(update(objects, { 'l.1.t': undefined })).toBe('{"l":[{"t":"x"}],"a":"b"}')
    expect(update(objects, { 'l.1.t': undefined, 'l.0.t': undefined })).toBe('{"a":"b"}')
  })

  test('an element that no array has a place for is refused', () => {
    expect(() => update(ARRAY, { 'steps.4': 'E' })).toThrow(
      /"steps.4" cannot be written into the file: the array has fewer/,
    )
    expect(() => update(ARRAY, { 'steps.title': 'E' })).toThrow(/an array has the same name/)
    expect(() => update(ARRAY, { 'steps.0.title': 'E' })).toThrow(/a different value is already there/)
    expect(() => update(ARRAY, { 'steps.1': 'E' })).toThrow(/cannot be both a text and a branch/)
  })

  test('an array that another file has is made as an array, as long as it is there', () => {
    const lengths = Object.entries({ steps: 3, 'a.list': 2, 'a.list.0': 1 })
    const branches = new Map(lengths.map(([key, length]) => [key, { kind: 'array', length } as const]))
    const make = (changes: Record<string, string>, more: object = {}) =>
      JSON.parse(update(undefined, changes, { branches, ...more }))
    expect(make({ 'steps.2': 'C', 'steps.0': 'A' })).toEqual({ steps: ['A', '', 'C'] })
    expect(make({ 'a.list.1.t': 'x', 'a.list.0.0': 'y' })).toEqual({ 'a.list': [['y'], { t: 'x' }] })
    expect(make({ 'a.list.1.t': 'x' }, { shape: 'nested' })).toEqual({ a: { list: ['', { t: 'x' }] } })
    expect(update(ARRAY, { 'in.1': 'y' }, { branches })).toContain('"in": ["x", "y"]')
    expect(() => make({ 'steps.3': 'D' })).toThrow(/"steps.3" cannot be written/)
    expect(update('{\n  "a": "x"\n}', { 'steps.0': 'A', 'steps.1': 'B' }, { branches })).toBe(
      '{\n  "a": "x",\n  "steps": [\n    "A",\n    "B"\n  ]\n}',
    )
  })

  test('__proto__ and constructor are ordinary keys', () => {
    const changes = new Map([
      ['__proto__.polluted', 'x'],
      ['constructor', 'y'],
    ])
    const text = updateTranslationText('{"z":{"y":"1"}}', changes, options)
    expect(text).toBe('{"z":{"y":"1"},"__proto__":{"polluted":"x"},"constructor":"y"}')
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  test('many new keys in one go', () => {
    const count = repeats(5_000, 30_000)
    const changes = new Map(Array.from({ length: count }, (_, i) => [`branch${i % 100}.key${i}`, `${i}`]))
    const text = updateTranslationText(undefined, changes, { ...options, shape: 'nested' })
    expect(parseTranslationText(text, options).entries.size).toBe(count)
  })
})

const segment = fc.constantFrom('a', 'b', 'c', '', 'x.y', '__proto__', 'é', '"')
const key = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'))
const words = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((value) => !/\p{Surrogate}/u.test(value))
const tree = fc.letrec((tie) => ({
  node: fc.dictionary(segment, fc.oneof({ maxDepth: 3 }, words, tie('node')), { maxKeys: 4 }),
})).node
const indent = fc.constantFrom<string | number | undefined>(undefined, 1, 2, 4, '\t')

test('whatever the file and the changes: what was asked for, and every other line as it was', () => {
  let written = 0
  fc.assert(
    fc.property(
      tree,
      indent,
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.array(fc.tuple(key, fc.option(words, { nil: undefined })), { maxLength: 6 }),
      (value, space, eol, bom, changes) => {
        const text = (bom ? '\uFEFF' : '') + JSON.stringify(value, null, space).replaceAll('\n', eol) + eol
        const before = parseTranslationText(text, options)
        fc.pre(before.ok)
        const expected = new Map<string, string>(before.entries)
        for (const [name, to] of new Map(changes)) to === undefined ? expected.delete(name) : expected.set(name, to)
        let result: string
        try {
          result = updateTranslationText(text, new Map(changes), options)
        } catch (error) {
          expect((error as { code?: string }).code).toBe('FILE_KEY_COLLISION')
          return
        }
        written++
        const after = parseTranslationText(result, options)
        expect(after.diagnostics).toEqual([])
        expect(new Map(after.entries)).toEqual(expected)
        expect(result.startsWith('\uFEFF')).toBe(bom)
        expect(result.endsWith(eol)).toBe(true)
        if (eol === '\r\n') expect(result.replaceAll('\r\n', '')).not.toContain('\n')
        // Untouched texts keep their order.
        const kept = [...before.entries.keys()].filter((name) => expected.has(name))
        const shape = [...changes].some(([name, to]) => to !== undefined && !before.entries.has(name))
        if (!shape) expect([...after.entries.keys()].filter((name) => before.entries.has(name))).toEqual(kept)
      },
    ),
    { numRuns: repeats(200, 1000) },
  )
  expect(written).toBeGreaterThan(repeats(60, 300))
})

test('changing one text of a laid-out file changes exactly its line', () => {
  fc.assert(
    fc.property(tree, fc.constantFrom(1, 2, 4, '\t'), words, fc.nat(), (value, space, to, pick) => {
      const text = `${JSON.stringify(value, null, space)}\n`
      const before = parseTranslationText(text, options)
      const names = [...before.entries.keys()]
      fc.pre(before.ok && names.length > 0)
      const name = names[pick % names.length] as string
      fc.pre(before.entries.get(name) !== to)
      const lines = text.split('\n')
      const result = updateTranslationText(text, new Map([[name, to]]), options).split('\n')
      const changed = lines.flatMap((line, index) => (line === result[index] ? [] : [index + 1]))
      expect(result).toHaveLength(lines.length)
      expect(changed).toEqual([before.positionOf(name)?.line])
    }),
    { numRuns: repeats(100, 500) },
  )
})
