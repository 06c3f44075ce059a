/** `docs/sync.md` shows the states that the code decides. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ACTIONS, type Action, decide } from '../../../src/sync/decide.ts'

const WORDS: Readonly<Record<Action, RegExp>> = {
  base: /is the base/,
  send: /^sent/,
  write: /^written into the file/,
  keep: /^stays/,
  ask: /a person decides/,
}
const text = readFileSync(new URL('../../../docs/sync.md', import.meta.url), 'utf8')
const rows = [...text.matchAll(/^\| (any|-|b) \| (\S) \| (\S) \| ([a-z ]+) \| (.+) \|$/gm)].map(([, ...cells]) => cells)

test('every way that three texts can stand to each other is a row', () => {
  expect(rows).toHaveLength(11)
})

test.each(rows)('base %s, file %s, service %s: %s', (base, ours, theirs, state, happens) => {
  const value = (cell: string | undefined) => (cell === '-' ? undefined : cell)
  for (const known of base === 'any' ? ['b', undefined] : [value(base)]) {
    const decided = decide({ base: known, ours: value(ours), theirs: value(theirs) })
    expect(decided.replace('-', ' ')).toBe(state)
    expect(happens).toMatch(WORDS[ACTIONS[decided]])
  }
})
