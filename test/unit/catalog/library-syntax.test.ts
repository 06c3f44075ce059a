import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { createI18n } from 'vue-i18n'
import { i18nextSyntax, icuSyntax, vueI18nSyntax } from '../../../src/catalog/library-syntax.ts'

/** Packages that the libraries bring along. */
const require = createRequire(import.meta.url)
const packageOf = (library: string, name: string) => createRequire(require.resolve(library))(name)
const vue = vueI18nSyntax(packageOf('vue-i18n', '@intlify/message-compiler'))
const { IntlMessageFormat } = packageOf('react-intl', 'intl-messageformat')
const messagesOf = (text: string) => vue.check(text).map(({ severity, message }) => `${severity} ${message}`)

function vueThrows(text: string): boolean {
  const i18n = createI18n({
    legacy: false,
    locale: 'en',
    missingWarn: false,
    fallbackWarn: false,
    messages: { en: { x: text, key: 'text' } },
  })
  try {
    i18n.global.t('x', { name: 'N', count: 2 }, 2)
    return false
  } catch {
    return true
  }
}

const REFUSED = [
  'help@example.org',
  '@team',
  'Close } it',
  '{name}}.',
  'Fill {} in',
  'a| b|',
  'a { b',
  '{{name}}',
  '{name',
  '{a b}',
  "{'open}",
  '@:',
  '@ home',
  '| a',
  '@.:key',
  '@.kebab:key',
  '@.vnode:key',
  'ask a@b.c or d@e.f',
]
const ACCEPTED = [
  '{',
  'plain',
  '{name}',
  '{ name }',
  '{0} and {1}',
  'a | b | c',
  'a|b',
  "{'@'}team",
  "{'{'}{'}'}",
  "a {'|'} b",
  '@:key',
  '@.lower:key',
  "@:{'key'}",
  '@:{name}',
  'say (@:key).',
  'a\nb',
  '<b>bold</b>',
  '{count} car | {count} cars',
]

test('vue-i18n: exactly what its compiler throws at', () => {
  for (const text of [...REFUSED, ...ACCEPTED])
    expect([text, messagesOf(text).length > 0], text).toEqual([text, vueThrows(text)])
  for (const text of REFUSED) expect(messagesOf(text), text).toHaveLength(1)
  for (const text of ACCEPTED) expect(messagesOf(text), text).toEqual([])
})

test('vue-i18n: any mixture of its characters', () => {
  const parts = ['{', '}', '@', '|', ':', 'a', ' ', "'", '.', '(', ')', '0']
  for (let number = 0; number < 500; number++) {
    const text = [7, 11, 13, 17, 19].map((step) => parts[Math.floor((number * step) / 5 + number / step) % 12]).join('')
    expect([text, messagesOf(text).length > 0]).toEqual([text, vueThrows(text)])
  }
})

test('vue-i18n: how to write it', () => {
  const advice = (text: string) => messagesOf(text)[0]?.split('; write ')[1]
  expect(messagesOf('help@example.org')[0]).toContain('error is rejected by vue-i18n: ')
  expect(advice('help@example.org')).toBe(`{'@'} for "@" at character 5`)
  expect(advice('ask a@b.c or d@e.f')).toBe(`{'@'} for "@"`)
  expect(advice('{name}}.')).toBe(`{'}'} for "}" at character 7`)
  expect(advice('Fill {} in')).toBe(`{'{'} for "{", {'}'} for "}"`)
  expect(advice('a| b|')).toBe(`{'|'} for "|" at character 5`)
})

test('vue-i18n: the keys of links', () => {
  const keys = vue.references("@:a.b and @.lower:c | @:{'d e'} @:{name}").map(({ key }) => key)
  expect(keys).toEqual(['a.b', 'c', 'd e'])
  expect(vue.references('help@example.org')).toEqual([])
})

test('vue-i18n: modifiers of the app', () => {
  expect(messagesOf('@.kebab:key')).toEqual([
    'error has the modifier "kebab", but vue-i18n knows only upper, lower, capitalize',
  ])
  expect(vueI18nSyntax(packageOf('vue-i18n', '@intlify/message-compiler'), true).check('@.kebab:key')).toEqual([])
})

test('ICU with tags and without: what the formatter refuses', () => {
  const texts = [
    'a { b',
    '{}',
    'a } b',
    '{n, plural, one {x}}',
    '{g, select, a {{h, select, b {x}}} other {y}}',
    '<b>a',
    'a < b',
    '<b>a</b>',
    "it''s '{x}'",
    '{a, nothing}',
    'x',
  ]
  for (const ignoreTag of [true, false])
    for (const text of texts) {
      const refuses = () => {
        try {
          new IntlMessageFormat(text, 'en', undefined, { ignoreTag })
          return false
        } catch {
          return true
        }
      }
      expect([text, icuSyntax(!ignoreTag).check(text).length > 0]).toEqual([text, refuses()])
    }
})

test('i18next: what it leaves on the page', () => {
  for (const text of ['{{name}', 'a {{b', '{{a} {{b}}', '$t(key', '$t(key, {count: 1})'])
    expect(i18nextSyntax().check(text), text).toHaveLength(1)
  for (const text of [
    '{{name}}',
    '{{- a}} {{b, number}}',
    '$t(key)',
    '$t(key, {"count": 1})',
    "$t(key, {'count': 1})",
    '$t(key, {"count": {{n}} })',
    '$t(ns:key)',
    '{name}',
    '{ {',
  ])
    expect(i18nextSyntax().check(text), text).toEqual([])
  const keys = i18nextSyntax().references('$t(a.b, {"count": 1}) $t(ns:c) $t({{x}}.d) $t($t(e)) $t()')
  expect(keys.map(({ key }) => key)).toEqual(['a.b', 'ns:c', ''])
})

test("i18next: signs of the app's own", () => {
  const own = i18nextSyntax({ prefix: '[[', suffix: ']]', nestingPrefix: '<<', nestingSuffix: '>>' })
  for (const text of ['[[name]', '<<key', '<<key, {count: 1}>>']) expect(own.check(text), text).toHaveLength(1)
  for (const text of ['[[name]]', '{{name}', '$t(key', '<<key>>', '<<key, {"count": [[n]]}>>'])
    expect(own.check(text), text).toEqual([])
  expect(own.references('<<a>> $t(b) <<[[c]]>>').map(({ key }) => key)).toEqual(['a'])
  const unknown = i18nextSyntax({ prefix: false, nestingSuffix: false })
  for (const text of ['{{name', '$t(key', '$t(key, {count: 1})']) expect(unknown.check(text), text).toEqual([])
  expect(unknown.references('$t(a)')).toEqual([])
  expect(i18nextSyntax({ prefix: '%', suffix: '%' }).check('%name% is 100%')).toEqual([])
})
