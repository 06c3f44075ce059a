import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatFinding } from '../../../src/errors.ts'
import { parseTranslationText, readTranslationFile } from '../../../src/files/read.ts'
import { flattenStrings } from '../../../src/shared/flatten.ts'
import { anyText } from '../../helpers/any-text.ts'
import { repeats } from '../../helpers/repeats.ts'
import '../../helpers/seed.ts'
import { tempFolder } from '../../helpers/temp.ts'

const options = { keySeparator: '.', file: 'en.json' }
const parse = (content: string | Uint8Array) => parseTranslationText(content, options)
const findings = (content: string | Uint8Array) =>
  parse(content).diagnostics.map((d) => `${d.code} ${formatFinding(d)}`)

describe('texts and their places', () => {
  test('elements are texts with an index; other values are kept beside them', () => {
    const parsed = parse('{"a": ["x", 1.50, null, ["y", []], {"t": "z", "o": {}}],\n"n": -0, "b": true, "e": {}}')
    expect(parsed.diagnostics).toEqual([])
    expect([...parsed.entries]).toEqual([
      ['a.0', 'x'],
      ['a.3.0', 'y'],
      ['a.4.t', 'z'],
    ])
    expect([...(parsed.values ?? [])]).toEqual([
      ['a', { kind: 'array', length: 5 }],
      ['a.1', { kind: 'scalar', json: '1.50' }],
      ['a.2', { kind: 'scalar', json: 'null' }],
      ['a.3', { kind: 'array', length: 2 }],
      ['a.3.1', { kind: 'array', length: 0 }],
      ['a.4', { kind: 'object' }],
      ['a.4.o', { kind: 'object' }],
      ['n', { kind: 'scalar', json: '-0' }],
      ['b', { kind: 'scalar', json: 'true' }],
    ])
    expect(parsed.positionOf('a.0')).toEqual({ line: 1, column: 8 })
    expect(parsed.positionOf('n')).toEqual({ line: 2, column: 1 })
    expect(parse('{"a": "x"}').values).toBeUndefined()
  })

  test('nested and flat, in order, with the place of each key', () => {
    const parsed = parse('{\r\n  "b": "1",\r\n  "a": { "x": "2", "é\\n": "3" },\r\n  "": "4"\r\n}')
    expect([...parsed.entries]).toEqual([
      ['b', '1'],
      ['a.x', '2'],
      ['a.é\n', '3'],
      ['', '4'],
    ])
    expect(parsed.ok).toBe(true)
    expect(parsed.positionOf('a.x')).toEqual({ line: 3, column: 10 })
    expect(parsed.positionOf('')).toEqual({ line: 4, column: 3 })
    expect(parsed.positionOf('absent')).toBeUndefined()
  })

  test('a byte order mark takes no column', () => {
    const parsed = parse(Buffer.from('\uFEFF{"a": "1"}'))
    expect(parsed.positionOf('a')).toEqual({ line: 1, column: 2 })
  })

  test('__proto__ and constructor are ordinary keys', () => {
    const parsed = parse('{"__proto__": {"polluted": "x"}, "constructor": "y", "toString": "z"}')
    expect([...parsed.entries.keys()]).toEqual(['__proto__.polluted', 'constructor', 'toString'])
    expect(parsed.ok).toBe(true)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  test('{} holds no texts and is fine; so do empty branches', () => {
    for (const text of ['{}', ' {\n}\n', '{"a": {}}']) expect(parse(text)).toMatchObject({ ok: true, diagnostics: [] })
  })
})

describe('what is wrong is named with its place', () => {
  test.each([
    ['', 'FILE_SYNTAX en.json:1:1: the file is empty. Write {} for a file without texts.'],
    [' \n', 'FILE_SYNTAX en.json:1:1: the file is empty. Write {} for a file without texts.'],
    [
      '{"a": "1",\n}',
      'FILE_SYNTAX en.json:2:1: trailing comma before "}". Remove it: JSON does not allow trailing commas.',
    ],
    ['{"a": "1"\n "b": "2"}', 'FILE_SYNTAX en.json:2:2: missing comma. Add a comma before this entry.'],
    [
      '{\n// no\n}',
      'FILE_SYNTAX en.json:2:1: comments are not allowed in JSON. Remove the comment, or rename the files to .jsonc and change the option "files".',
    ],
    [
      '{"a": "1"',
      'FILE_SYNTAX en.json:1:10: unexpected end of file: "}" expected. The file is truncated or still being written.',
    ],
    ['{"a": "1', 'FILE_SYNTAX en.json:1:9: unterminated string at the end of the file. A closing quote is missing.'],
    ['{"a"', 'FILE_SYNTAX en.json:1:5: unexpected end of file. The file is truncated or still being written.'],
    ['{"a" "b"}', 'FILE_SYNTAX en.json:1:2: missing ":" after this key'],
    ["{'a': 'b'}", 'FILE_SYNTAX en.json:1:2: single quote. JSON requires double quotes.'],
    ['{a: "b"}', 'FILE_SYNTAX en.json:1:2: unexpected "a": key expected. Keys are strings in double quotes.'],
    ['{"a": "x\ny"}', 'FILE_SYNTAX en.json:1:9: unterminated string. Close the quote, or write \\n for a line break.'],
    ['{"a": "\\x"}', 'FILE_SYNTAX en.json:1:8: \\x is not a valid escape. Write \\\\ for a backslash.'],
    ['{"a": "\u0008"}', 'FILE_SYNTAX en.json:1:8: control character (U+0008) in a string. Write \\u0008.'],
    ['{"a": "1"}}', 'FILE_SYNTAX en.json:1:11: unmatched "}". Remove it.'],
    ['{"a": "1"} x', 'FILE_SYNTAX en.json:1:12: unexpected content after the end of the JSON. Remove it.'],
    ['<<<<<<< HEAD\n{}', 'FILE_SYNTAX en.json:1:1: merge conflict marker. Resolve the conflict in this file first.'],
    ['{"a": nul}', 'FILE_SYNTAX en.json:1:7: unexpected "n": value expected'],
    ['["a"]', 'FILE_VALUE en.json:1:1: expected an object of texts, found an array'],
    ['"a"', 'FILE_VALUE en.json:1:1: expected an object of texts, found a string'],
    [
      '{"a": "1",\n "b": "2",\n "a": "3"}',
      'FILE_DUPLICATE_KEY en.json:3:2: duplicate key "a", first defined at en.json:1:2. Remove one.',
    ],
    [
      '{"a": {"x": "1"},\n "a": {"y": "2"}}',
      'FILE_DUPLICATE_KEY en.json:2:2: duplicate key "a", first defined at en.json:1:2. Remove one.',
    ],
    [
      '{"a": "1",\n "a": {"y": "2"}}',
      'FILE_DUPLICATE_KEY en.json:2:2: duplicate key "a", first defined at en.json:1:2. Remove one.',
    ],
    [
      '{"a": {"y": "2"},\n "a": "1"}',
      'FILE_DUPLICATE_KEY en.json:2:2: duplicate key "a", first defined at en.json:1:2. Remove one.',
    ],
    [
      '{"\\u0061": "1",\n "a": "3"}',
      'FILE_DUPLICATE_KEY en.json:2:2: duplicate key "a", first defined at en.json:1:2. Remove one.',
    ],
    [
      '{"a.b": "1",\n "a": {\n  "b": "2"}}',
      'FILE_KEY_COLLISION en.json:3:3: two paths form the same key "a.b": here and at en.json:1:2. Rename one, or set keySeparator to a string that no key contains.',
    ],
    ['{"a": "\\ud800"}', 'FILE_ENCODING en.json:1:7: a lone surrogate (half a character). Write the character itself.'],
    [
      '{"\\udc00x": "a"}',
      'FILE_ENCODING en.json:1:2: a lone surrogate (half a character). Write the character itself.',
    ],
    ['{"é": "\ud800"}', 'FILE_ENCODING en.json:1:8: a lone surrogate (half a character). Save the file as UTF-8.'],
  ])('%j', (text, finding) => {
    expect(findings(text)[0]).toBe(finding)
    expect(parse(text).ok).toBe(false)
  })

  test('a repeated object is one finding: its texts are not said to come from different paths', () => {
    const again = '{"a": {"b": {"x": "1"}},\n "a": {"b": {"x": "2", "y": "3"}}}'
    expect(findings(again)).toEqual([
      'FILE_DUPLICATE_KEY en.json:2:2: duplicate key "a", first defined at en.json:1:2. Remove one.',
    ])
    expect([...parse(again).entries]).toEqual([
      ['a.b.x', '1'],
      ['a.b.y', '3'],
    ])
  })

  test("with values: 'error', every value that is no text is listed, a list once", () => {
    const text = '{"a": 1, "b": null, "c": [1, ["x"], {"d": 1, "a": 2}], "e": true, "f": "ok"}'
    const parsed = parseTranslationText(text, { ...options, values: 'error' })
    expect(parsed.diagnostics[0] && formatFinding(parsed.diagnostics[0])).toBe(
      'en.json:1:7: the value of "a" is a number. With values: \'error\', only texts and objects of texts are allowed.',
    )
    expect(parsed.diagnostics.map((d) => d.place?.key)).toEqual(['a', 'b', 'c', 'e'])
    expect([...parsed.entries]).toEqual([['f', 'ok']])
  })

  test('a file of values alone is no translation file', () => {
    expect(findings('{\n  "pl": 96}')).toEqual([
      'FILE_VALUE en.json:2:9: the file contains values but no texts. Leave it out with the option "files" or "languages".',
    ])
  })

  test('an element and a key that join to one key are a collision', () => {
    expect(findings('{"a": ["x"],\n "a.0": "y"}')[0]).toMatch(/^FILE_KEY_COLLISION en.json:2:2: .* en.json:1:8/)
    expect(findings('{"a": ["x"],\n "a": {"0": "y"}}')[0]).toMatch(/^FILE_DUPLICATE_KEY en.json:2:2/)
  })

  test('of a key that comes twice the first text is kept; another separator mends a collision', () => {
    expect([...parse('{"a": "1", "a": "2", "b": "3"}').entries]).toEqual([
      ['a', '1'],
      ['b', '3'],
    ])
    expect(parseTranslationText('{"a.b": "1", "a": {"b": "2"}}', { keySeparator: '/' }).ok).toBe(true)
  })

  test.each([
    [[0x7b, 0x22, 0xff, 0x22], 1, 3, 'ff'],
    [[0x7b, 0x0a, 0xe2, 0x82, 0xac, 0xc3, 0x28], 2, 2, 'c3'],
    [[0x0a, 0x0a, 0xed, 0xa0, 0x80], 3, 1, 'ed'],
    [[0xf0, 0x9f, 0x98, 0x80, 0xf0, 0x9f], 1, 3, 'f0'],
    [[0xff, 0xfe, 0x7b, 0x00], 1, 1, 'ff'],
  ])('bytes %j are not UTF-8', (bytes, line, column, byte) => {
    expect(findings(Uint8Array.from(bytes))).toEqual([
      `FILE_ENCODING en.json:${line}:${column}: not UTF-8 (byte 0x${byte}). Save the file as UTF-8.`,
    ])
  })

  test('100,000 levels are a clean error', () => {
    for (const text of ['['.repeat(100_000), '{"a":'.repeat(100_000), `${'['.repeat(1e5)}${']'.repeat(1e5)}`]) {
      const [finding] = parse(text).diagnostics
      expect(finding?.code).toBe('FILE_DEPTH')
    }
  })

  test('a file full of mistakes gives a list a person can read, and how many more there are', () => {
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i])))
    const { diagnostics } = parseTranslationText(text, { ...options, values: 'error' })
    expect(diagnostics).toHaveLength(51)
    expect(diagnostics.at(-1)?.message).toBe('4950 more findings in this file are not listed')
  })
})

describe('against JSON.parse', () => {
  test('the same texts are accepted and refused', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '"\\u00e9"',
      '1',
      '-0.5e3',
      '01',
      'true',
      'nul',
      ' ',
      '\n',
      '"',
      '\\',
      '/',
      '\uFEFF',
    )
    let accepted = 0
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(pieces, { maxLength: 12 }).map((list) => list.join('')),
          fc.json(),
        ),
        (text) => {
          let valid = true
          try {
            JSON.parse(text.replace(/^\uFEFF/, ''))
          } catch {
            valid = false
          }
          if (valid) accepted++
          expect(parse(text).diagnostics.some((d) => d.code === 'FILE_SYNTAX')).toBe(!valid)
        },
      ),
      { numRuns: repeats(200, 3000) },
    )
    expect(accepted).toBeGreaterThan(repeats(30, 500))
  })

  test('objects of strings read the same as flattened values', () => {
    const name = fc.constantFrom('a', 'b', 'a.b', '', '__proto__', 'constructor', 'é"\\\n')
    const node = fc.letrec((tie) => ({
      node: fc.dictionary(name, fc.oneof({ maxDepth: 4 }, anyText(), tie('node'))),
    })).node
    fc.assert(
      fc.property(node, fc.constantFrom(undefined, 2), (value, space) => {
        const parsed = parse(JSON.stringify(value, null, space))
        const flat = flattenStrings(JSON.parse(JSON.stringify(value)), '.')
        expect(new Map(parsed.entries)).toEqual(flat.entries)
        expect(parsed.ok).toBe(flat.problems.length === 0)
      }),
      { numRuns: repeats(40, 500) },
    )
  })
})

describe('from the disk', () => {
  test('content; absent; unreadable', async () => {
    const folder = await tempFolder()
    const path = join(folder, 'en.json')
    expect(await readTranslationFile(path, options)).toBeUndefined()
    await writeFile(path, '{"a": "ü"}')
    const content = await readTranslationFile(path, { keySeparator: '.' })
    expect(content?.entries.get('a')).toBe('ü')
    const directory = await readTranslationFile(folder, options)
    expect(directory?.diagnostics[0]).toMatchObject({ code: 'FILE_READ', place: { file: 'en.json' } })
    expect(directory?.ok).toBe(false)
  })
})

test('a text that is kept keeps nothing else of its file', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const filler = 'x'.repeat(512 * 1024)
  const used = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = used()
  const kept = Array.from({ length: 20 }, (_, i) => {
    const text = JSON.stringify({
      [`key of a certain length ${i}`]: `a text that is long enough ${i}`,
      filler,
    })
    return [...parseTranslationText(Buffer.from(text), { keySeparator: '.' }).entries][0]
  })
  expect(used() - before).toBeLessThan(3 * 1024 * 1024)
  expect(kept[19]).toEqual(['key of a certain length 19', 'a text that is long enough 19'])
})
