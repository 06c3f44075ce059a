/** Dense and large sources: every key is still found, or all keys are kept. */
import { describe, expect, test } from 'vitest'
import { createAnalyzer } from '../../../src/usage/analyze.ts'
import { usesIn } from '../../helpers/usage.ts'

const list = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at))
const usesOf = (code: string) => usesIn(`import { t } from 'i18next'; ${code}`, 'a.js')
const keys = (count: number) => list(count, (at) => `a${at}`)

describe('every key is found in', () => {
  test.each([
    ['alternatives', 200, `t(${list(200, (at) => `b${at} && 'a${at}'`).join(' || ')})`],
    ['alternatives of calls', 200, list(200, (at) => `c${at} && t('a${at}')`).join(' || ')],
    ['conditionals', 200, `t(${list(199, (at) => `c${at} ? 'a${at}' : `).join('')}'a199')`],
    ['conditionals of calls', 200, `${list(199, (at) => `c${at} ? t('a${at}') : `).join('')} t('a199')`],
    [
      'names',
      200,
      `${list(200, (at) => `const k${at} = 'a${at}';`).join('')} t(${list(200, (at) => `k${at}`).join(' || ')})`,
    ],
    ['assignments to one name', 200, `let k; ${list(200, (at) => `k = 'a${at}';`).join('')} t(k)`],
    ['assignments to one property', 200, `const o = {}; ${list(200, (at) => `o.k = 'a${at}';`).join('')} t(o.k)`],
    [
      'assignments to one object',
      1000,
      `const o = {}; ${list(1000, (at) => `o.k${at} = 'a${at}';`).join('')} ${list(1000, (at) => `t(o.k${at});`).join('')}`,
    ],
    [
      'spreads that follow each other',
      200,
      `const o0 = { k0: 'a0' }; ${list(199, (at) => `const o${at + 1} = { ...o${at}, k${at + 1}: 'a${at + 1}' };`).join('')}
       ${list(200, (at) => `t(o199.k${at});`).join('')}`,
    ],
    [
      'spreads in one list',
      200,
      `${list(200, (at) => `const o${at} = ['a${at}'];`).join('')} [${list(200, (at) => `...o${at}`)}].map((k) => t(k))`,
    ],
    [
      'properties',
      20_000,
      `const o = { ${list(20_000, (at) => `k${at}: 'a${at}'`)} }; ${list(20_000, (at) => `t(o.k${at});`).join('')}`,
    ],
    ['branches', 1000, list(1000, (at) => `if (c${at}) t('a${at}'); `).join('else ')],
    ['cases', 5000, `switch (x) { ${list(5000, (at) => `case ${at}: t('a${at}');`).join('')} }`],
    [
      'minified code',
      2000,
      list(2000, (at) => `function f${at}(e,n){for(var r=0;r<e.length;r++){var o=e[r];n.x(o)&&t("a${at}")}}`).join(''),
    ],
    ['one large file', 1, `const data = [${list(200_000, (at) => `{ id: ${at}, n: 'text ${at}' }`)}]; t('a0')`],
  ])('%s', (_name, count, code) => {
    const uses = new Set(usesOf(code))
    expect(keys(count).filter((key) => !uses.has(key))).toEqual([])
  })
})

test.each([
  ['assignments to one property', `const o = {}; ${list(20_000, (at) => `o.k = 'a${at}';`).join('')} t(o.k)`],
  ['assignments to one object', `const o = {}; ${list(20_000, (at) => `o.k${at} = 'a${at}';`).join('')} t(o.k7)`],
  ['assignments to one name', `let k; ${list(20_000, (at) => `k = 'a${at}';`).join('')} t(k)`],
  ['elements', `const rows = [${list(20_000, (at) => `{ k: 'a${at}' }`)}]; rows.map((row) => t(row.k))`],
  ['calls', `const f = (k) => t(k); ${list(20_000, (at) => `f('a${at}');`).join('')}`],
  ['members', `t(x${'.y'.repeat(3000)})`],
])('too many %s keep every key', (_name, code) => {
  expect(usesOf(code)).toContain('?')
})

describe('code that is nested too deep keeps every key, and is reported as such', () => {
  const nested = (count: number, start: string, end: string) => `t(${start.repeat(count)}'a'${end.repeat(count)})`
  test.each([
    ['parentheses', nested(3000, '(', ')')],
    ['arrays', nested(3000, '[', ']')],
    ['calls', nested(3000, 't(', ')')],
    ['objects', nested(3000, '{ a: ', '}')],
    ['functions', nested(3000, '() => ', '')],
    ['templates', nested(3000, '`${', '}`')],
    ['blocks', `${'{'.repeat(5000)} t('a') ${'}'.repeat(5000)}`],
    ['sums', `t(${list(20_000, () => 'x').join(' + ')})`],
    ['methods', `t(x${'.y()'.repeat(20_000)})`],
  ])('%s', (_name, code) => {
    const { unknown } = createAnalyzer().analyze(code, 'a.js')
    expect(unknown).toMatchObject([
      { namespaces: 'any', reason: 'syntax', code: 'cannot be read: it is nested too deeply' },
    ])
  })
})
