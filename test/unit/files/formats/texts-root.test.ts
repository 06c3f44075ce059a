/** Files whose texts are inside an object: the `root` of a pattern. One suite for every file format. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTranslationText } from '../../../../src/files/read.ts'
import { updateTranslationText } from '../../../../src/files/update.ts'
import { FILE_ENDINGS } from '../../../../src/shared/file-pattern.ts'
import { PRINTERS, type TextTree } from '../../../helpers/file-formats.ts'
import { repeats } from '../../../helpers/repeats.ts'
import '../../../helpers/seed.ts'

const NAME = fc.stringMatching(/^[a-z]{1,3}$/)
const WORD = fc.stringMatching(/^[A-Z][a-z ]{0,6}[a-z]$/)

type Changes = Record<string, string | undefined>

describe.each(FILE_ENDINGS)('%s', (ending) => {
  const file = `pl${ending}`
  const wrappers = [['pl']]
  const read = (text: string, paths = wrappers) =>
    parseTranslationText(text, { keySeparator: '.', file, wrappers: paths })
  const update = (text: string | undefined, changes: Changes, more: { wrappers?: string[][]; shape?: 'nested' } = {}) =>
    updateTranslationText(text, new Map(Object.entries(changes)), { keySeparator: '.', file, wrappers, ...more })
  const findings = (text: string, paths = wrappers) =>
    read(text, paths).diagnostics.map(({ code, message, hint, place }) => [
      `${code} ${place?.line}:${place?.column}`,
      message,
      hint,
    ])
  const print = (tree: TextTree) => PRINTERS[ending](tree)
  /** The object of Polish texts stands between values and texts that are none of the file's. */
  const tree = {
    meta: { version: 3, title: 'no text', list: ['x'] },
    pl: { title: 'Tytuł', menu: { open: 'Otwórz', close: 'Zamknij' }, last: 'Koniec' },
    also: { title: 'no text either' },
  }
  const sample = print(tree)
  const changed = (after: string) => {
    const [before, now] = [sample.split('\n'), after.split('\n')]
    return { count: now.length - before.length, lines: now.filter((line) => !before.includes(line)) }
  }

  test('only the texts inside are read, with their places', () => {
    const parsed = read(sample)
    expect(parsed.diagnostics).toEqual([])
    expect(parsed.values).toBeUndefined()
    expect(Object.fromEntries(parsed.entries)).toEqual({
      title: 'Tytuł',
      'menu.open': 'Otwórz',
      'menu.close': 'Zamknij',
      last: 'Koniec',
    })
    const { line = 0, column = 0 } = parsed.positionOf('menu.close') ?? {}
    expect(sample.split('\n')[line - 1]?.slice(column - 1)).toMatch(/^["']?close/)
  })

  test('writes change their lines only, and nothing outside', () => {
    expect(update(sample, { title: 'Tytuł', absent: undefined })).toBe(sample)
    for (const key of read(sample).entries.keys())
      expect(changed(update(sample, { [key]: 'Nowy' }))).toMatchObject({ count: 0, lines: { length: 1 } })
    const added = update(sample, { 'menu.save': 'Zapisz', extra: 'Nowy', 'deep.a': 'A' }, { shape: 'nested' })
    expect([...read(added).entries.keys()]).toEqual([
      'title',
      'menu.open',
      'menu.close',
      'menu.save',
      'last',
      'extra',
      'deep.a',
    ])
    const outside = { meta: tree.meta, also: tree.also }
    const step = ending === '.yml' ? 4 : 2
    expect(changed(added).lines.find((line) => line.includes('Zapisz'))).toMatch(
      new RegExp(`^ {${3 * step - (ending.startsWith('.y') ? step : 0)}}\\S`),
    )
    expect(changed(update(added, { 'menu.save': undefined, extra: undefined, 'deep.a': undefined }))).toEqual({
      count: 0,
      lines: [],
    })
    const { entries, values } = parseTranslationText(added, { keySeparator: '.', file })
    const all = parseTranslationText(print(outside), { keySeparator: '.', file })
    for (const [key, text] of all.entries) expect(entries.get(key)).toBe(text)
    expect([...(values ?? [])]).toEqual([...(all.values ?? [])])
  })

  test('a new file, an empty object and an empty root get their texts in place', () => {
    const texts = { title: 'Tytuł', 'menu.open': 'Otwórz' }
    const nested = { pl: { title: 'Tytuł', menu: { open: 'Otwórz' } } }
    const created = update(undefined, texts, { shape: 'nested' })
    const isYaml = ending === '.yaml' || ending === '.yml'
    expect(created).toBe(
      isYaml ? 'pl:\n  title: Tytuł\n  menu:\n    open: Otwórz\n' : `${JSON.stringify(nested, null, 2)}\n`,
    )
    expect(update('{}\n', texts, { shape: 'nested' })).toBe(created)
    expect(update('', texts, { shape: 'nested' })).toBe(created)
    const empty = isYaml ? 'pl: {}\n' : '{\n  "pl": {}\n}\n'
    expect(findings(empty)).toEqual([])
    expect(findings('{}')).toEqual([])
    expect(update(empty, texts, { shape: 'nested' })).toBe(created)
    // Without its texts, the root stays.
    const emptied = update(created, { title: undefined, 'menu.open': undefined })
    expect(emptied).toBe(empty)
    expect(update(created, { title: undefined, 'menu.open': undefined, a: 'A' })).toBe(
      isYaml ? 'pl:\n  a: A\n' : '{\n  "pl": {\n    "a": "A"\n  }\n}\n',
    )
  })

  test('a root that loses its last text keeps its spelling and its comment', () => {
    const text = ending.startsWith('.y') ? 'pl: # Polish\n  a: x\n' : '{"pl" :{"a":"x"}}'
    const emptied = update(text, { a: undefined })
    expect(emptied).toContain(ending.startsWith('.y') ? 'pl: # Polish' : '{"pl" :{}}')
    expect(findings(emptied)).toEqual([])
    expect(update(emptied, {})).toBe(emptied)
  })

  test('comments of an object without texts stay when it gets one', () => {
    if (ending === '.json') return
    const note = ending.startsWith('.y') ? '# note' : '// note'
    const isBlock = ending.startsWith('.y')
    const empty = [
      isBlock ? `pl: {} ${note}\n` : `{"pl": {} ${note}\n}`,
      isBlock ? `pl: { ${note}\n}\n` : `{"pl": { ${note}\n}}`,
    ]
    for (const text of empty) {
      const filled = update(text, { a: 'x', b: 'y' })
      expect([text, Object.fromEntries(read(filled).entries)]).toEqual([text, { a: 'x', b: 'y' }])
      expect(filled.match(new RegExp(note, 'g'))).toHaveLength(1)
    }
    const root = `{ ${note}\n}\n`
    const filled = update(root, { a: 'x' }, { wrappers: [[]] })
    expect(Object.fromEntries(read(filled, [[]]).entries)).toEqual({ a: 'x' })
    expect(filled).toContain(note)
  })

  test('a nested root, and the spellings of a language', () => {
    const deep = print({ translations: { other: 'x', 'pt-BR': { title: 'T' } }, title: 'y' })
    const paths = [
      ['translations', 'pt_BR'],
      ['translations', 'pt-BR'],
    ]
    expect(Object.fromEntries(read(deep, paths).entries)).toEqual({ title: 'T' })
    const both = print({ translations: { 'pt-BR': { title: 'T' }, pt_BR: { title: 'U' } } })
    expect(Object.fromEntries(read(both, paths).entries)).toEqual({ title: 'U' })
    expect(update(deep, { title: 'Neu' }, { wrappers: paths })).toBe(deep.replace(/\bT\b/, 'Neu'))
    const created = update(print({ translations: {}, kept: { a: 'b' } }), { title: 'T' }, { wrappers: paths })
    expect(Object.fromEntries(read(created, paths).entries)).toEqual({ title: 'T' })
    expect(created).toContain('pt_BR')
    expect(parseTranslationText(created, { keySeparator: '.', file }).entries.get('kept.a')).toBe('b')
  })

  test('any texts inside change as they would in a file of their own; all else stays', () => {
    const branch = fc.dictionary(NAME, fc.oneof(WORD, fc.dictionary(NAME, WORD, { minKeys: 1, maxKeys: 3 })), {
      minKeys: 1,
      maxKeys: 4,
    })
    const change = fc.record({
      at: fc.nat(),
      text: fc.option(WORD, { nil: undefined }),
      added: fc.dictionary(NAME, WORD, { maxKeys: 2 }),
    })
    fc.assert(
      fc.property(branch, branch, branch, change, (before, inside, after, { at, text, added }) => {
        const outer = (texts: TextTree) => ({ before, app: { a: 'x', pl: texts, z: 'y' }, after })
        const paths = [['app', 'pl']]
        const file = print(outer(inside))
        const { entries } = read(file, paths)
        const key = [...entries.keys()][at % entries.size] as string
        const changes = {
          ...Object.fromEntries(Object.entries(added).map(([name, word]) => [`new${name}`, word])),
          [key]: text,
        }
        const now = update(file, changes, { wrappers: paths, shape: 'nested' })
        const own = updateTranslationText(print(inside), new Map(Object.entries(changes)), {
          keySeparator: '.',
          file: `x${ending}`,
          shape: 'nested',
        })
        expect(new Map(read(now, paths).entries)).toEqual(
          new Map(parseTranslationText(own, { keySeparator: '.', file: `x${ending}` }).entries),
        )
        const outside = (whole: string) =>
          [...parseTranslationText(whole, { keySeparator: '.', file: `x${ending}` }).entries].filter(
            ([name]) => !name.startsWith('app.pl.'),
          )
        expect(outside(now)).toEqual(outside(file))
        const kept = new Set(now.split('\n'))
        if (text !== undefined && Object.keys(added).length === 0)
          expect(file.split('\n').filter((line) => !kept.has(line)).length).toBeLessThan(2)
      }),
      { numRuns: repeats(12, 1000) },
    )
  })

  test('a wrong root is named with its place, and nothing is read or written', () => {
    const start = (name: string, text: string) => {
      const at = text.split('\n').findIndex((line) => line.includes(name))
      return `${at + 1}:${(text.split('\n')[at]?.search(new RegExp(`["']?${name}`)) ?? 0) + 1}`
    }
    const german = print({ de: { title: 'Titel' } })
    const listed = print({ one: { a: 'x' }, two: { a: 'x' } })
    const deep = print({ app: { plx: { a: 'x' } } })
    const wrong = [
      [
        german,
        wrappers,
        'FILE_ROOT',
        'de',
        'the root "pl" is missing: the file has "de"',
        /"de" is a different language/,
      ],
      [
        listed,
        wrappers,
        'FILE_ROOT',
        'one',
        'the root "pl" is missing: the file has "one", "two"',
        /Put the texts into/,
      ],
      [deep, [['app', 'pl']], 'FILE_ROOT', 'plx', 'the root "app.pl" is missing: the file has "plx"', /Rename "plx"/],
      [print({ pl: 'x' }), wrappers, 'FILE_ROOT', 'pl', /not an object of texts: "pl" is a text/, /Write \{\}/],
      [print({ pl: null }), wrappers, 'FILE_ROOT', 'pl', /not an object of texts: "pl" is null/, /Write \{\}/],
      [print({ pl: ['x'] }), wrappers, 'FILE_ROOT', 'pl', /not an object of texts: "pl" is an array/, /Write \{\}/],
    ] as const
    for (const [text, paths, code, name, message, hint] of wrong) {
      const all = paths.map((path) => [...path])
      expect(findings(text, all)).toEqual([
        [
          `${code} ${start(name, text)}`,
          typeof message === 'string' ? message : expect.stringMatching(message),
          expect.stringMatching(hint),
        ],
      ])
      expect([...read(text, all).entries]).toEqual([])
      expect(() => update(text, { a: 'b' }, { wrappers: all })).toThrow(/not written: the root/)
    }
    const twice = ending.startsWith('.y') ? 'pl:\n  a: x\npl:\n  b: y\n' : '{\n"pl": {"a": "x"},\n"pl": {"b": "y"}}'
    expect(findings(twice)).toEqual([['FILE_DUPLICATE_KEY 3:1', 'duplicate root "pl"', 'Merge the two objects.']])
  })
})
