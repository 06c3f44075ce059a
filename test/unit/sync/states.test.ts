/** The table in `states.md`, and the one in `docs/sync.md`, show the states that the code decides. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ACTIONS, type Action, type Common, decide } from '../../../src/sync/decide.ts'

const WORDS: Readonly<Record<Action, RegExp>> = {
  base: /is the base/,
  send: /^sent/,
  write: /^written into the file/,
  keep: /^stays/,
  ask: /a person decides/,
}

/** The states of one side, in the words that all pages, messages and commands use. */
const STATES: Readonly<Record<string, string>> = {
  'new-here': 'new in the file',
  'new-there': 'new on the service',
  'edited-here': 'changed in the file',
  'edited-there': 'changed on the service',
  'deleted-here': 'deleted in the file',
  'deleted-there': 'deleted on the service',
}

const text = readFileSync(new URL('states.md', import.meta.url), 'utf8')
const rows = [
  ...text.matchAll(/^\| (any|[-b]|met x, y|gone b) \| (\S|any) \| (\S|any) \| ([a-z ]+) \| (.+) \|$/gm),
].map(([, ...cells]) => cells)

const REMEMBERED: Readonly<Record<string, Common | undefined>> = {
  '-': undefined,
  b: 'b',
  'met x, y': { met: ['x', 'y'] },
  'gone b': { gone: ['b'] },
}
const TEXTS = ['-', 'b', 'x', 'y', 'z']

/** Each row with the values that it stands for: a text that is not remembered stands for every such text. */
function valuesOf(row: readonly string[]) {
  const [remembered = '', ...sides] = row
  const last = /b/.test(remembered) ? ['b', 'b'] : remembered === 'met x, y' ? ['x', 'y'] : []
  const [ours = [], theirs = []] = sides.slice(0, 2).map((cell, side) => {
    if (cell === '-' || cell === last[side]) return [cell]
    return TEXTS.filter((text) => text !== '-' && (cell === 'any' || text !== last[side]))
  })
  const isEqual = sides[0] === sides[1] && sides[0] !== 'any'
  const names = remembered === 'any' ? Object.keys(REMEMBERED) : [remembered]
  return names.flatMap((name) =>
    ours.flatMap((one) =>
      theirs.filter((other) => (one === other) === isEqual).map((other) => [name, one, other] as const),
    ),
  )
}

test('docs/sync.md lists each state', () => {
  const page = readFileSync(new URL('../../../docs/sync.md', import.meta.url), 'utf8')
  const cells = page.matchAll(/^\| ((?:equal|new|changed|deleted|conflict)\b[a-z ,]*) \|/gm)
  const listed = Array.from(cells, ([, cell = '']) => cell.split(', ')).flat()
  expect(listed.sort()).toEqual(['conflict', 'equal', ...Object.values(STATES)].sort())
})

test('every combination of three texts is in exactly one row', () => {
  const shown = rows.flatMap(valuesOf).map(String)
  const all = Object.keys(REMEMBERED).flatMap((name) =>
    TEXTS.flatMap((one) => TEXTS.map((other) => [name, one, other])),
  )
  const notGone = all.filter(([name, one, other]) => !(one === '-' && other === '-') || name === 'b')
  expect(shown.sort()).toEqual(notGone.map(String).sort())
})

test.each(rows)('remembered %s, file %s, service %s: %s', (...row) => {
  const [, , , state = '', happens] = row
  for (const [name, ours, theirs] of valuesOf(row)) {
    const value = (text: string) => (text === '-' ? undefined : text)
    const decided = decide(REMEMBERED[name], { ours: value(ours), theirs: value(theirs) })
    expect(STATES[decided] ?? decided).toBe(state)
    expect(happens).toMatch(WORDS[ACTIONS[decided]])
  }
})
