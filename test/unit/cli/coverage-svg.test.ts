import { expect, test } from 'vitest'
import { coverageSvg } from '../../../src/cli/coverage-svg.ts'

const HOSTILE = `<script>&"'\u0000\ud800`
const TABLE = {
  defaultLanguage: 'en',
  languages: [
    { language: 'en', expected: 1200, translated: 1200 },
    { language: 'pl', expected: 1200, translated: 1199 },
  ],
  parts: [
    { language: 'en', namespace: HOSTILE, expected: 1200, translated: 1200 },
    { language: 'pl', namespace: HOSTILE, expected: 1200, translated: 1199 },
    { language: 'pl', namespace: 'empty', expected: 0, translated: 0 },
  ],
}

/** The texts of each element. Throws where the document is not well-formed. */
function parse(svg: string): Record<string, string[]> {
  const token = /<(\w+)((?: [\w:-]+='[^'<&]*')*)(\/?)>|<\/(\w+)>|((?:[^<&]|&(?:amp|lt|gt|quot|apos);)+)/y
  const open: string[] = []
  const texts: Record<string, string[]> = {}
  for (let at = 0; at < svg.length; at = token.lastIndex) {
    token.lastIndex = at
    const match = token.exec(svg)
    if (!match) throw new Error(`not well-formed at ${at}: ${svg.slice(at, at + 40)}`)
    const [, start, , isEmpty, end, text] = match
    if (start && !isEmpty) open.push(start)
    if (end && open.pop() !== end) throw new Error(`</${end}> closes nothing`)
    const name = open.at(-1)
    if (text && name) texts[name] = [...(texts[name] ?? []), text]
  }
  if (open.length > 0) throw new Error(`open: ${open}`)
  return texts
}

test('the badge says how much is translated, without the default language', () => {
  const { title, text } = parse(coverageSvg('badge', TABLE))
  expect(title).toEqual(['translated: 99.9% in 1 language'])
  expect(text).toEqual(['translated', '99.9%'])
})

test('the grid has a row for each namespace, and escapes names', () => {
  const svg = coverageSvg('grid', TABLE)
  const { title, text } = parse(svg)
  expect(title?.[0]).toBe('Coverage of 2 languages and 2 namespaces')
  const escaped = '&lt;script&gt;&amp;&quot;&apos;\ufffd\ufffd'
  expect(text).toEqual(['en *', 'pl', 'all namespaces', '100%', '99.9%', escaped, '100%', '99.9%', 'empty', '–'])
  expect(title).toContain(`pl, ${escaped}: 1,199 of 1,200 texts`)
  expect(svg).toContain('prefers-color-scheme:dark')
  expect(coverageSvg('grid', TABLE)).toBe(svg)
})
