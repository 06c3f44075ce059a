/** One suite for every file format. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ParsedTranslations, parseTranslationText } from '../../../../src/files/read.ts'
import { updateTranslationText } from '../../../../src/files/update.ts'
import { FILE_ENDINGS, type FileEnding } from '../../../../src/shared/file-pattern.ts'
import { PRINTERS, type TextTree } from '../../../helpers/file-formats.ts'
import { repeats } from '../../../helpers/repeats.ts'
import '../../../helpers/seed.ts'

const CATALOGS = resolve(import.meta.dirname, '../../../../../shared/catalogs')

const read = (ending: FileEnding, text: string, more: { values?: 'error' } = {}) =>
  parseTranslationText(text, { keySeparator: '.', file: `en${ending}`, ...more })
const findings = (ending: FileEnding, text: string) =>
  read(ending, text, { values: 'error' }).diagnostics.map(
    ({ code, message, hint, place }) =>
      `${code} ${place?.line}:${place?.column} ${message}${hint === undefined ? '' : `. ${hint}`}`,
  )
const update = (ending: FileEnding, text: string | undefined, changes: Record<string, string | undefined>, more = {}) =>
  updateTranslationText(text, new Map(Object.entries(changes)), { keySeparator: '.', file: `en${ending}`, ...more })

const ONLY_TEXTS = "With values: 'error', only texts and objects of texts are allowed."

/** By format: a file with a comment wherever the format has comments. */
const SAMPLES: Readonly<Record<FileEnding, string>> = {
  '.json': '{\n  "title": "A",\n\n  "menu": {\n    "open": "O",\n    "close": "C"\n  },\n  "end": "E"\n}\n',
  '.jsonc':
    '// head\n{ // first\n  "title": "A", // of the page\n\n  /* the menu */\n  "menu": {\n    "open": "O",\n' +
    '    // shuts it\n    "close": "C" // last\n    // nothing more\n  },\n  "end": "E", /* over */\n}\n// foot\n',
  '.json5':
    "// head\n{\n  title: 'A', // of the page\n\n  /* the menu */\n  menu: {\n    'open': 'O',\n" +
    '    // shuts it\n    "close": "C" // last\n    // nothing more\n  },\n  end: "E", /* over */\n}\n// foot\n',
  '.yaml':
    '# head\ntitle: A # of the page\n\n# the menu\nmenu: # below\n  open: \'O\'\n  # shuts it\n  close: "C" # last\n' +
    '  # nothing more\nend: E\n# foot\n',
  '.yml': '---\ntitle: A\n\nmenu: {\n  open: "O",\n  # shuts it\n  close: C # last\n}\nend: |-\n    E\n...\n',
}
const ENTRIES = { title: 'A', 'menu.open': 'O', 'menu.close': 'C', end: 'E' }

describe.each(FILE_ENDINGS)('%s', (ending) => {
  const sample = SAMPLES[ending]
  const lines = sample.split('\n')
  const changedLines = (after: string) => {
    const now = after.split('\n')
    return { count: now.length - lines.length, lines: now.filter((line, at) => line !== lines[at]) }
  }

  test('texts with their places', () => {
    const parsed = read(ending, sample)
    expect(parsed.diagnostics).toEqual([])
    expect(Object.fromEntries(parsed.entries)).toEqual(ENTRIES)
    for (const [key, name] of [
      ['title', 'title'],
      ['menu.close', 'close'],
      ['end', 'end'],
    ] as const) {
      const { line = 0, column = 0 } = parsed.positionOf(key) ?? {}
      expect(lines[line - 1]?.slice(column - 1)).toMatch(new RegExp(`^["']?${name}`))
    }
  })

  test('no change gives the same bytes; each changed text changes its line only', () => {
    expect(update(ending, sample, ENTRIES)).toBe(sample)
    for (const key of Object.keys(ENTRIES)) {
      const after = update(ending, sample, { [key]: 'Neu: "x" # \' // y' })
      expect(changedLines(after)).toMatchObject({ count: 0, lines: { length: 1 } })
      expect(read(ending, after).entries.get(key)).toBe('Neu: "x" # \' // y')
    }
  })

  test('new keys go behind the last of their branch, and a comment stays on its line', () => {
    const after = update(ending, sample, { 'menu.save': 'S', 'dialog.a.b': 'D' })
    expect([...read(ending, after).entries.keys()]).toEqual([
      'title',
      'menu.open',
      'menu.close',
      'menu.save',
      'end',
      'dialog.a.b',
    ])
    for (const line of lines)
      expect(after.replaceAll('"C"  ', '"C" ')).toContain(line.replace(/^(.*[CE]['"]?)( .*)?$/, '$1'))
    expect(after).toMatchSnapshot()
  })

  test('a removed text takes its line and its comment', () => {
    const without = (key: string) => update(ending, sample, { [key]: undefined })
    expect(without('menu.close')).toMatchSnapshot()
    for (const key of Object.keys(ENTRIES)) {
      const { [key as keyof typeof ENTRIES]: _, ...rest } = ENTRIES
      expect(Object.fromEntries(read(ending, without(key)).entries)).toEqual(rest)
    }
    const nothing = update(ending, sample, Object.fromEntries(Object.keys(ENTRIES).map((key) => [key, undefined])))
    expect(read(ending, nothing)).toMatchObject({ ok: true, entries: new Map() })
  })

  test('a new file', () => {
    const flat = update(ending, undefined, { 'a.b': '1', c: 'two' })
    const nested = update(ending, '', { 'a.b': 'one', 'a.c': 'no' }, { shape: 'nested' })
    expect(Object.fromEntries(read(ending, flat).entries)).toEqual({ 'a.b': '1', c: 'two' })
    expect(Object.fromEntries(read(ending, nested).entries)).toEqual({ 'a.b': 'one', 'a.c': 'no' })
    expect([flat, nested]).toMatchSnapshot()
  })

  test('byte order mark and CRLF stay', () => {
    const windows = `\uFEFF${sample.replaceAll('\n', '\r\n')}`
    expect(Object.fromEntries(read(ending, windows).entries)).toEqual(ENTRIES)
    const after = update(ending, windows, { 'menu.open': 'X', 'menu.save': 'S', title: undefined, extra: 'E' })
    expect(read(ending, after).diagnostics).toEqual([])
    expect(after.startsWith('\uFEFF')).toBe(true)
    expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  test('bad input is named with its place', () => {
    const column = ending.startsWith('.y') ? 1 : 2
    const object = (members: string) => (ending.startsWith('.y') ? `a: x\n${members}` : `{"a": "x",\n${members}}`)
    expect(findings(ending, object('"a": "y"'))).toEqual([
      `FILE_DUPLICATE_KEY 2:1 duplicate key "a", first defined at en${ending}:1:${column}. Remove one.`,
    ])
    expect(findings(ending, object('"b": 12'))).toEqual([`FILE_VALUE 2:6 the value of "b" is a number. ${ONLY_TEXTS}`])
    expect(findings(ending, object('"b": null'))[0]).toMatch('FILE_VALUE 2:6 the value of "b" is null')
    expect(findings(ending, object('"b": true'))[0]).toMatch('FILE_VALUE 2:6 the value of "b" is a boolean')
    expect(findings(ending, object('"b": ["x"]'))[0]).toMatch('FILE_VALUE 2:6 the value of "b" is an array')
    expect(findings(ending, object('"b": "\\ud83d"'))[0]).toMatch('FILE_ENCODING 2:6 a lone surrogate')
    expect(findings(ending, object('"b": "\\q'))).toHaveLength(1)
    expect(findings(ending, object('"b": "y'))[0]).toMatch(/^FILE_SYNTAX 2:/)
    expect(findings(ending, '')[0]).toMatch('FILE_SYNTAX 1:1 the file is empty')
    expect(findings(ending, '[]')[0]).toMatch('FILE_VALUE 1:1 expected an object of texts, found an array')
    expect(findings(ending, '{"a":'.repeat(101))[0]).toMatch(/^FILE_DEPTH 1:501 nested more than 100 levels/)
    expect(findings(ending, `${'{"a":'.repeat(100)}"x"${'}'.repeat(100)}`)).toEqual([])
    expect(findings(ending, '['.repeat(4_000))[0]).toMatch(/^FILE_DEPTH 1:101 /)
    expect(findings(ending, `${sample}<<<<<<< HEAD\n`)[0]).toMatch(new RegExp(`^FILE_SYNTAX ${lines.length}:1 `))
  })
})

const ARRAYS: Readonly<Record<FileEnding, string>> = {
  '.json':
    '{\n  "steps": ["one", "two"],\n  "list": [\n    {"a": "x", "n": 12},\n    true,\n' +
    '    "last"\n  ],\n  "no": null\n}\n',
  '.jsonc':
    '{\n  "steps": ["one", /* c */ "two"], // s\n  "list": [ // l\n    // first\n    {"a": "x", "n": 12},\n' +
    '    true, // t\n    "last", // z\n  ],\n  "no": null,\n}\n',
  '.json5':
    "{\n  steps: ['one', 'two',],\n  list: [\n    {a: 'x', n: +12},\n    true, // t\n" +
    "    'last' // z\n  ],\n  no: null,\n}\n",
  '.yaml': 'steps: [one, two] # s\nlist: # l\n  # first\n  - a: x\n    n: 12\n  - true # t\n  - last # z\nno:\n',
  '.yml': 'steps:\n- one\n- two\nlist:\n-   a: x\n    n: 0xC\n-   true\n-   last\nno: ~\n',
}

describe.each(FILE_ENDINGS)('arrays and other values in %s', (ending) => {
  const text = ARRAYS[ending]
  const entries = { 'steps.0': 'one', 'steps.1': 'two', 'list.0.a': 'x', 'list.2': 'last' }

  test('are read, and stay when a text changes', () => {
    const { entries: found, values, diagnostics } = read(ending, text)
    expect(diagnostics).toEqual([])
    expect(Object.fromEntries(found)).toEqual(entries)
    expect(Object.fromEntries(values ?? [])).toEqual({
      steps: { kind: 'array', length: 2 },
      list: { kind: 'array', length: 3 },
      'list.0': { kind: 'object' },
      'list.0.n': { kind: 'scalar', json: '12' },
      'list.1': { kind: 'scalar', json: 'true' },
      no: { kind: 'scalar', json: 'null' },
    })
    for (const key of Object.keys(entries)) {
      const after = update(ending, text, { [key]: 'a new text' })
      expect(Object.fromEntries(read(ending, after).entries)).toEqual({ ...entries, [key]: 'a new text' })
      const [old, now] = [text.split('\n'), after.split('\n')]
      expect(now.filter((line, at) => line !== old[at])).toHaveLength(1)
      expect(now).toHaveLength(old.length)
    }
  })

  test('new elements, and elements and arrays that go', () => {
    const branches = new Map([['more', { kind: 'array', length: 2 }]])
    const changes = {
      'list.3.a': 'new',
      'list.3.b': 'B',
      'steps.1': undefined,
      'list.0.b': 'y',
      'more.0': 'm0',
      'more.1.deep': 'm1',
    }
    const after = update(ending, text, changes, { branches })
    const { 'steps.1': _, ...rest } = entries
    const found = Object.fromEntries(read(ending, after).entries)
    expect(found).toEqual({
      ...rest,
      'list.3.a': 'new',
      'list.3.b': 'B',
      'list.0.b': 'y',
      'more.0': 'm0',
      'more.1.deep': 'm1',
    })
    expect(after).toMatchSnapshot()
    const less = update(ending, text, { 'steps.0': undefined, 'steps.1': undefined, 'list.2': undefined })
    expect([...read(ending, less).entries.keys()]).toEqual(['list.0.a'])
  })
})

test('numbers that JSON writes in another way, or not at all', () => {
  const numbers = [...(read('.json5', '{t: "x", a: +1, b: .5, c: -0xF, d: 5., e: 1e3}').values ?? [])]
  expect(numbers.map(([, value]) => value.kind === 'scalar' && value.json)).toEqual(['1', '0.5', '-15', '5', '1e3'])
  const yaml = [...(read('.yaml', 't: x\na: +1\nb: .5\nc: 0o17\nd: 007\ne: 12345678901234567890\n').values ?? [])]
  expect(yaml.map(([, value]) => value.kind === 'scalar' && value.json)).toEqual([
    '1',
    '0.5',
    '15',
    '7',
    '12345678901234567890',
  ])
  for (const number of ['Infinity', '-Infinity', 'NaN'])
    expect(findings('.json5', `{a: ${number}}`)[0]).toMatch('FILE_SYNTAX 1:5 not a valid JSON number')
  for (const number of ['.inf', '-.inf', '.nan'])
    expect(findings('.yaml', `a: ${number}\n`)[0]).toMatch('FILE_SYNTAX 1:4 not a valid JSON number')
})

test('bad input of JSON with comments and JSON5', () => {
  expect(findings('.jsonc', '{\n/* no end')).toEqual(['FILE_SYNTAX 2:1 unterminated comment. Add */.'])
  expect(findings('.jsonc', "{'a': 1}")[0]).toBe('FILE_SYNTAX 1:2 single quote. JSON requires double quotes.')
  expect(findings('.jsonc', '{,}')[0]).toMatch('FILE_SYNTAX 1:2 unexpected comma')
  expect(findings('.jsonc', '{"a": "x",,}')[0]).toMatch('FILE_SYNTAX 1:11 unexpected comma')
  expect(findings('.json5', "{a: 'x\n'}")).toEqual(["FILE_SYNTAX 1:7 unterminated string. Close it with '."])
  expect(findings('.json5', "{a: '\\8'}")[0]).toMatch('FILE_SYNTAX 1:6 \\8 is not a valid escape')
  expect(findings('.json5', '{a-b: "x"}')[0]).toBe('FILE_SYNTAX 1:2 missing ":" after this key')
  expect(findings('.json5', '{"a": [1, // two\n 2,], "b": "x"}')).toEqual([
    `FILE_VALUE 1:7 the value of "a" is an array. ${ONLY_TEXTS}`,
  ])
})

test('what JSON5 adds', () => {
  const text = "\u00a0{a: 'it\\'s', $b_1: \"a\\\nb\", 'c': '\\x41\\u0042\\v\\0', \\u0064: '\t', \u00e9: '\u2028',}"
  const { entries, diagnostics } = read('.json5', text)
  expect(diagnostics).toEqual([])
  expect(Object.fromEntries(entries)).toEqual({ a: "it's", $b_1: 'ab', c: 'AB\v\0', d: '\t', é: '\u2028' })
  for (const number of ['+1', '.5', '5.', '0xFf', '+.5e-3'])
    expect(findings('.json5', `{a: ${number}}`)).toEqual([`FILE_VALUE 1:5 the value of "a" is a number. ${ONLY_TEXTS}`])
  for (const wrong of ['01', '0x', '+', '1e', 'nan', '1_000'])
    expect(findings('.json5', `{a: ${wrong}}`)[0]).toMatch('FILE_SYNTAX 1:5')
})

const REFUSED: readonly (readonly [text: string, finding: string])[] = [
  ['a: &x b\n', 'FILE_SYNTAX 1:4 an anchor (&)'],
  ['a: x\nb: *x\n', 'FILE_SYNTAX 2:4 an alias (*)'],
  ['base: &base\n  a: x\nb:\n  <<: *base\n', 'FILE_SYNTAX 1:7 an anchor (&)'],
  ['b:\n  <<: {a: x}\n', 'FILE_SYNTAX 2:3 a merge key ("<<")'],
  ['a: !!str 1\n', 'FILE_SYNTAX 1:4 a tag (!)'],
  ['a: x\nb: !env "HOME"\n', 'FILE_SYNTAX 2:4 a tag (!)'],
  ['a: x\n---\nb: y\n', 'FILE_SYNTAX 2:1 a second document ("---")'],
  ['%YAML 1.1\n---\na: no\n', 'FILE_SYNTAX 1:1 a directive (%)'],
  ['? a\n: b\n', 'FILE_SYNTAX 1:1 a key after "?"'],
  ['a:\n\tb: x\n', 'FILE_SYNTAX 2:1 a tab in the indentation'],
  ['a:\n  b: x\n\tc: y\n', 'FILE_SYNTAX 3:1 a tab in the indentation'],
  ['a: x: y\n', 'FILE_SYNTAX 1:4 a second colon on this line'],
  ['a: `x`\n', 'FILE_SYNTAX 1:4 a text without quotes cannot begin'],
  ['a: x\nb\n', 'FILE_SYNTAX 2:1 something is missing'],
  ['a: [x\nb: y\n', 'FILE_SYNTAX 2:1 wrong indentation'],
  ['a: "x\u0007"\n', 'FILE_SYNTAX 1:6 a control character'],
  ['a: x\rb: y\n', 'FILE_SYNTAX 1:5 a control character'],
  ['# only a comment\n', 'FILE_SYNTAX 1:1 the file is empty'],
  [': x\n', 'FILE_SYNTAX 1:1 a key is missing'],
  ['[a]: x\n', 'FILE_SYNTAX 1:1 the key is not a string'],
  ['just a text\n', 'FILE_VALUE 1:1 expected an object of texts, found a string'],
]

test.each(REFUSED)('YAML: %j', (text, finding) => {
  expect(findings('.yaml', text)[0]).toMatch(new RegExp(`^${finding.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`))
  expect(() => update('.yaml', text, { z: 'new' })).toThrow(/not written/)
})

test('YAML: a `!` alone before a value makes it a string, and edits keep it', () => {
  const text = "a: ! 'x: {y}'\nb: ! 12\nc: [! one]\n"
  const { entries, diagnostics } = read('.yaml', text)
  expect(diagnostics).toEqual([])
  expect(Object.fromEntries(entries)).toEqual({ a: 'x: {y}', b: '12', 'c.0': 'one' })
  expect(update('.yaml', text, { a: "it's", b: '13' })).toBe("a: ! 'it''s'\nb: ! \"13\"\nc: [! one]\n")
})

test('YAML: a bomb of aliases is refused at its first anchor, at once', () => {
  const bomb = Array.from(
    { length: 30 },
    (_, i) => `l${i}: &l${i} {${'x'.repeat(1)}: ${i === 0 ? 'lol' : `[${`*l${i - 1},`.repeat(9)}]`}}\n`,
  )
  expect(findings('.yaml', `a: x\n${bomb.join('')}`)).toHaveLength(1)
  expect(findings('.yaml', `a: x\n${bomb.join('')}`)[0]).toMatch('FILE_SYNTAX 2:5 an anchor (&)')
})

test('YAML: words and keys that other versions take for other values are texts', () => {
  const text = 'a: no\nb: on\nc: yes\nd: off\ne: y\nf: 1_000\ng: 2001-01-01\nh: 12:30\n1: one\ntrue: t\nno: n\n~: nil\n'
  const { entries, diagnostics } = read('.yaml', text)
  expect(diagnostics).toEqual([])
  expect([...entries]).toEqual([
    ['a', 'no'],
    ['b', 'on'],
    ['c', 'yes'],
    ['d', 'off'],
    ['e', 'y'],
    ['f', '1_000'],
    ['g', '2001-01-01'],
    ['h', '12:30'],
    ['1', 'one'],
    ['true', 't'],
    ['no', 'n'],
    ['~', 'nil'],
  ])
  expect(update('.yaml', 'a: x\n', { b: 'no', c: '12', d: 'y', 2: 'on', null: '~', '<<': '+1.5e3' })).toBe(
    'a: x\n"2": "on"\nb: "no"\nc: "12"\nd: "y"\n"null": "~"\n"<<": "+1.5e3"\n',
  )
})

test('YAML: quotes and blocks of text stay what they are', () => {
  const text =
    'a: \'x\'\nb: "x"\nc: | # why\n    one\n\n    two\nd: >-\n  long\n  line\n\n  next\ne: plain\nf: |\n  a\n'
  expect(read('.yaml', text).entries.get('d')).toBe('long line\nnext')
  const after = update('.yaml', text, {
    a: "it's",
    b: 'y',
    c: 'one\n\nthree\n',
    d: 'first\n\nsecond',
    e: '1. x',
    f: ' b\n',
  })
  expect(after).toBe(
    'a: \'it\'\'s\'\nb: "y"\nc: | # why\n    one\n\n    three\nd: >-\n  first\n\n\n  second\ne: 1. x\nf: " b\\n"\n',
  )
})

test('a comment inside an array or an object survives changes beside it', () => {
  const text = '{\n  // a\n  "a": {"b": "x", /* c */ "c": "y"}, // d\n  "d": "z" // e\n}\n'
  expect(update('.jsonc', text, { 'a.b': undefined, d: 'new', e: 'E' })).toBe(
    '{\n  // a\n  "a": { /* c */ "c": "y"}, // d\n  "d": "new", // e\n  "e": "E"\n}\n',
  )
  expect(update('.jsonc', '{ "a": "x" // note\n}', { b: 'y' })).toBe('{ "a": "x", // note\n"b": "y"\n}')
  expect(update('.jsonc', '{"a": "x", // n\n"b": "y", "c": "z"}', { b: undefined })).toBe('{"a": "x", // n\n "c": "z"}')
})

describe('a model', () => {
  const german = { 'menu.close': 'Zu', title: 'T', 'menu.help.title': 'Hilfe', more: 'Mehr' }
  const created = (ending: FileEnding, text: string, texts: Record<string, string> = german) =>
    update(ending, undefined, texts, { model: { file: `fr${ending}`, text } })

  test('a new file has its nesting, order, indentation, line ends and quotes, and no comments', () => {
    expect(
      created('.json', '{\r\n\t"title": "A",\r\n\t"menu": {\r\n\t\t"open": "O",\r\n\t\t"close": "C"\r\n\t}\r\n}'),
    ).toBe(
      '{\r\n\t"title": "T",\r\n\t"menu": {\r\n\t\t"close": "Zu",\r\n\t\t"help": {\r\n\t\t\t"title": "Hilfe"\r\n\t\t}\r\n\t},\r\n\t"more": "Mehr"\r\n}',
    )
    expect(created('.json5', SAMPLES['.json5'])).toBe(
      '{\n  title: \'T\',\n\n  menu: {\n    "close": "Zu",\n    "help": {\n      "title": "Hilfe"\n    }\n  },\n  more: \'Mehr\',\n}\n',
    )
    expect(created('.yaml', SAMPLES['.yaml'])).toBe(
      'title: T\n\nmenu:\n  close: "Zu"\n  help:\n    title: Hilfe\nmore: Mehr\n',
    )
  })

  test('flat keys stay flat; one line stays one line; what is no text is left out', () => {
    expect(created('.json', '{"menu.open":"O","menu.close":"C","n":1,"title":"A"}\n')).toBe(
      '{"menu.close":"Zu","title":"T","menu.help.title":"Hilfe","more":"Mehr"}\n',
    )
  })

  test('without a common key, a new file still has its nesting and indentation', () => {
    const text = '{\n    "a": {\n        "b": "x"\n    }\n}\n'
    expect(created('.json', text, { 'c.d': 'y' })).toBe('{\n    "c": {\n        "d": "y"\n    }\n}\n')
  })

  test('an element keeps its place in its array', () => {
    const text = '{\n  "steps": ["a", "b", "c"],\n  "list": [{ "t": "x" }, { "t": "y" }]\n}\n'
    const file = created('.json', text, { 'steps.1': 'B', 'list.1.t': 'Y' })
    expect(JSON.parse(file)).toEqual({ steps: ['', 'B'], list: [{}, { t: 'Y' }] })
  })

  test('an empty object in a file is a new file; a file without nested keys nests a new one like the model', () => {
    const model = { file: 'en.json', text: '{\n\t"a": {\n\t\t"b": "x"\n\t}\n}\n' }
    expect(update('.json', '{}\n', { 'a.b': 'y' }, { model })).toBe(model.text.replace('x', 'y'))
    expect(update('.json', '{\n  "t": "z"\n}\n', { 'a.b': 'y' }, { model })).toBe(
      '{\n  "a": {\n    "b": "y"\n  },\n  "t": "z"\n}\n'.replace(
        '  "a": {\n    "b": "y"\n  },\n  "t": "z"',
        '  "t": "z",\n  "a": {\n    "b": "y"\n  }',
      ),
    )
  })

  test('a new key goes beside its neighbour of the model, unless the file is sorted', () => {
    const model = { file: 'en.json', text: '{"z":"1","new":"2","a":{"q":"3","new":"4","b":"5"},"k":"6"}' }
    expect(update('.json', '{"k":"6","z":"1","a":{"q":"3","b":"5"}}', { new: 'n', 'a.new': 'm' }, { model })).toBe(
      '{"k":"6","z":"1","new":"n","a":{"q":"3","new":"m","b":"5"}}',
    )
    const sorted = '{"a":"","b":"","c":"","k":"","y":"","z":""}'
    expect(update('.json', sorted, { new: 'n' }, { model })).toBe(sorted.replace('"y"', '"new":"n","y"'))
  })

  test('one with an error or of another format counts for nothing', () => {
    for (const model of [
      { file: 'en.json', text: '{"a":' },
      { file: 'en.yaml', text: 'a:\n  b: x\n' },
    ])
      expect(update('.json', undefined, { 'a.b': 'y' }, { model })).toBe('{\n  "a.b": "y"\n}\n')
  })

  test('the objects around the texts get the names of the new file', () => {
    const model = { file: 'en.yaml', text: 'meta: 1\nen:\n  app:\n    a:\n      b: one\n', wrappers: [['en', 'app']] }
    const more = { model, wrappers: [['de', 'app']] }
    expect(update('.yaml', undefined, { 'a.b': 'two' }, more)).toBe('de:\n  app:\n    a:\n      b: two\n')
  })
})

const segment = fc.constantFrom('a', 'b', 'open', 'no', '1', '', '__proto__', 'é', '"', '# x', 'k: v', '- x')
const graphemes = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((value) => !/\p{Surrogate}/u.test(value))
const words = fc.oneof(
  graphemes,
  fc
    .array(fc.constantFrom('yes', "it's", '"x"', '{n}', ' ', '\n', ': ', ' #', '\t', '1', '*', '\r', '\u2028'), {
      maxLength: 5,
    })
    .map((parts) => parts.join('')),
)
const tree = fc.letrec((tie) => ({
  node: fc.dictionary(segment, fc.oneof({ maxDepth: 3 }, words, tie('node')), { maxKeys: 5, noNullPrototype: true }),
})).node as fc.Arbitrary<TextTree>

describe.each(FILE_ENDINGS.filter((ending) => ending !== '.yml'))('generated documents in %s', (ending) => {
  test('written and read, they are equal; one changed text changes its lines only', () => {
    let documents = 0
    const check = (value: TextTree, changed: string, pick: number) => {
      const plain = read('.json', JSON.stringify(value))
      fc.pre(plain.ok)
      const printed = PRINTERS[ending](value)
      expect(findings(ending, printed)).toEqual([])
      expect([...read(ending, printed).entries]).toEqual([...plain.entries])
      documents++
      // Built up by the package itself.
      const built = updateTranslationText(undefined, plain.entries, {
        keySeparator: '.',
        file: `en${ending}`,
        shape: 'nested',
      })
      expect(new Map(read(ending, built).entries)).toEqual(new Map(plain.entries))
      const keys = [...plain.entries.keys()]
      const model = { file: `fr${ending}`, text: printed }
      const copied = update(ending, undefined, Object.fromEntries(plain.entries), { model })
      // Empty texts and empty objects are not copied.
      const isCopied = keys.every((name) => plain.entries.get(name) !== '') && !printed.includes('{}')
      if (ending === '.json' && isCopied) expect(copied).toBe(printed)
      expect([...read(ending, copied).entries]).toEqual([...plain.entries])
      const half = keys.filter((_, at) => (at + pick) % 2 === 0).map((name) => [name, changed] as const)
      const translated = new Map([...half, ['only.here', 'x']])
      const other = updateTranslationText('', translated, { keySeparator: '.', file: `de${ending}`, model })
      expect(new Map(read(ending, other).entries)).toEqual(translated)
      const key = keys[pick % keys.length]
      if (key === undefined) return
      for (const before of [printed, built]) {
        const after = update(ending, before, { [key]: changed })
        expect(new Map(read(ending, after).entries)).toEqual(new Map([...plain.entries, [key, changed]]))
        expectOneTextChanged(ending, [before, after], read(ending, before), key)
      }
      const some = Object.fromEntries(keys.filter((_, at) => (at + pick) % 2 === 0).map((name) => [name, undefined]))
      const less = update(ending, printed, some)
      expect([...read(ending, less).entries.keys()]).toEqual(keys.filter((name) => !Object.hasOwn(some, name)))
    }
    fc.assert(fc.property(tree, words, fc.nat(), check), { numRuns: repeats(10, 700) })
    process.stdout.write(`${ending}: ${documents} documents\n`)
    expect(documents).toBeGreaterThan(repeats(5, 500))
  })
})

/** The lines before and after the text are equal; the text was on one line unless the format folded it. */
function expectOneTextChanged(
  ending: FileEnding,
  [before, after]: readonly [string, string],
  { entries, positionOf }: ParsedTranslations,
  key: string,
): void {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const line = positionOf(key)?.line ?? 0
  expect(now.slice(0, line - 1)).toEqual(old.slice(0, line - 1))
  let same = 0
  while (same < old.length - line && old.at(-1 - same) === now.at(-1 - same)) same++
  const last = old.length - same
  const isFolded = ending === '.yml' || /: (?:[|>][-+0-9]*|(["'])(?!.*\1$).*)$/s.test(old[line - 1] ?? '')
  if (!isFolded || !ending.startsWith('.y')) expect(last).toBeLessThanOrEqual(line)
  for (const other of entries.keys()) {
    const at = positionOf(other)?.line ?? 0
    if (at > line && at <= last) expect.fail(`${JSON.stringify(other)} in line ${at} was changed`)
  }
}

const LAYOUTS = [
  ['headlamp', 'frontend/src/i18n/locales'],
  ['excalidraw', 'packages/excalidraw/locales'],
  ['mattermost-mobile', 'assets/base/i18n'],
  ['frigate', 'web/public/locales'],
] as const

describe.each(LAYOUTS)('the real catalog %s', (name, folder) => {
  const path = join(CATALOGS, name, folder)
  const isAbsent = !existsSync(path)
  if (isAbsent) process.stdout.write(`skipped: the catalog ${name} is not beside the repository\n`)

  const endings = FILE_ENDINGS.slice(1)
  const ofThis = endings.filter((_, at) => at === LAYOUTS.findIndex(([other]) => other === name))
  test.skipIf(isAbsent).each(repeats(ofThis, endings))('in %s', async (ending) => {
    const files = (await readdir(path, { recursive: true })).filter((file) => file.endsWith('.json')).sort()
    let texts = 0
    for (const file of repeats(files.slice(-1), files)) {
      const json = await readFile(join(path, file), 'utf8')
      const original = parseTranslationText(json, { keySeparator: '\0' })
      if (!original.ok) continue
      const printed = PRINTERS[ending](JSON.parse(json))
      const parsed = parseTranslationText(printed, { keySeparator: '\0', file: `x${ending}` })
      expect(parsed.diagnostics).toEqual([])
      expect([...parsed.entries]).toEqual([...original.entries])
      texts += parsed.entries.size
      const key = [...parsed.entries.keys()][parsed.entries.size >> 1]
      if (key === undefined) continue
      const options = { keySeparator: '\0', file: `x${ending}` }
      const after = updateTranslationText(printed, new Map([[key, 'a new text']]), options)
      expectOneTextChanged(ending, [printed, after], parsed, key)
      // A block of text in YAML has several lines.
      if (ending.startsWith('.j')) expect(after.split('\n')).toHaveLength(printed.split('\n').length)
    }
    process.stdout.write(`${name} in ${ending}: ${texts} texts\n`)
    expect(texts).toBeGreaterThan(repeats(20, 3_000))
  })
})
