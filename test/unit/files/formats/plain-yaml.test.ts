/** What the quick reader of YAML takes, the library reads the same. What it cannot know, it leaves to the library. */

import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { plainYamlAsJson } from '../../../../src/files/formats/yaml/plain.ts'
import { parseTranslationText } from '../../../../src/files/read.ts'
import { repeats } from '../../../helpers/repeats.ts'

const quick = (text: string) => plainYamlAsJson(Buffer.from(text))?.toString()
const careful = (content: string | Buffer, file: string) => {
  const { entries, values, ok } = parseTranslationText(content, { keySeparator: '.', file })
  return { entries: [...entries], values, ok }
}

/** Whether the quick reader takes the text; it then says the same as the library. */
function takes(text: string): boolean {
  const json = quick(text)
  if (json !== undefined) expect(careful(json, 'a.json'), text).toEqual(careful(Buffer.from(text), 'a.yaml'))
  return json !== undefined
}

test('texts and mappings as tools and people write them', () => {
  for (const text of [
    'title: Hello\n',
    '---\ntitle: Hello\n',
    '# about\ntitle: Hello {name}!\n\n  # more\ncart:\n    add: In den Warenkorb\n    deep:\n      a: x\n    b: "y: z"\nend: 50 % – “ok”',
    '\'quoted key\': \'it\'\'s\'\n"key: with": "a \\"b\\" \\n c"\n',
    'key with spaces: x  \nspaces:    z\nempty: ""\n',
    'a: http://example.org/#x\nb: c#d\nc: x, y [z] {w} & * ! | > % @ `\nd: 設定\ne: 🎉\n',
  ])
    expect([takes(text), text]).toEqual([true, text])
})

test('everything else is left to the library', () => {
  for (const text of [
    ...['', '# nothing\n', 'a:\n', 'a: 1\n', 'a: null\n', 'a: True\n', 'a: yes\n', 'a: ~\n', 'a: .inf\n', 'true: x\n'],
    ...['a: x # comment\n', 'a: b: c\n', 'a: b:\n', 'a: |\n  x\n', 'a: x\n  y\n', 'a: "x\n  y"\n', 'a: [x]\n'],
    ...['a: {}\n', 'a: *b\n', 'a: &b c\n', 'a: !x y\n', '- a\n', 'a:\n  - b\n', 'a:x\n', 'a : x\n', '"a" : x\n'],
    ...[
      'a:\nb: x\n',
      'a:\n  b: x\n c: y\n',
      '  a: x\nb: y\n',
      'a: x\n  b: y\n',
      'a:\n  b: x\n   c: y\n',
      'a:\n    b: x\n  c: y\nd: z\n',
      'key:xtext\nb: y\n',
      '"key":text\n',
      'a: "x" y\n',
      "a: 'x\n",
      'a: "\\x41"\n',
    ],
    ...['a: "\\u0041"\n', 'a:\tx\n', 'a: x\r\n', '\ufeffa: x\n', 'a: x\u0085y\n', 'a: x\u2028y\n', 'a: x\n---\nb: y\n'],
    ...['a: x\n...\n', '%YAML 1.2\n---\na: x\n', '? a\n: x\n', '<<: x\n', 'a: \u00a0x\n', 'a: -x\n', 'a: x\n"b"\n'],
  ])
    expect([takes(text), text]).toEqual([false, text])
  expect(plainYamlAsJson(Buffer.from([0x61, 0x3a, 0x20, 0xff]))).toBeUndefined()
})

test('generated files, whole, cut anywhere, and with any character anywhere', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  const pieces = [
    'a',
    'Text',
    ' ',
    '#',
    ':',
    "'",
    '"',
    '\\',
    '-',
    '🎉',
    '設',
    '{n}',
    ' # ',
    ': ',
    '\u00a0',
    '  ',
    'no',
    '1',
    '\n',
  ]
  const pieceOf = () => (random(4) === 0 ? pieces[random(pieces.length)] : 'word')
  const word = () => Array.from({ length: 1 + random(4) }, pieceOf).join('')
  let taken = 0
  for (let round = 0; round < repeats(80, 400); round++) {
    const tree = { a: word(), [word()]: { [word()]: word(), x: { below: word() } }, z: word() }
    const options = { lineWidth: 0, indent: 1 + random(4), ...(random(2) === 0 && { singleQuote: true }) }
    const text = stringify(tree, options)
    const at = random(text.length)
    const other = pieces[random(pieces.length)] as string
    for (const each of [text, text.slice(0, at), text.slice(0, at) + other + text.slice(at)]) if (takes(each)) taken++
  }
  expect(taken).toBeGreaterThan(repeats(20, 100))
})
