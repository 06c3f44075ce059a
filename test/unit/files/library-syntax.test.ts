/** Each text is compared with vue-i18n itself: what `t()` throws on is a problem, and nothing else is. */
import { describe, expect, it } from 'vitest'
import { createI18n } from 'vue-i18n'
import { I18NEXT_SYNTAX, loadVueSyntax } from '../../../src/files/library-syntax.ts'
import { tempFolder } from '../../helpers/temp.ts'

const TEXTS = [
  ...['help@example.org', '@team', 'Close } it', '{name}}.', 'Fill {} in', 'a| b|', 'a | b', 'a|b', '| a', '{'],
  ...['{name}', '{ name }', '{0}', '{name', '{a b}', '{{name}}', "{'@'}", "{'{'}", "{'}'}", "{'|'}", "{'a", '{-1}'],
  ...['@:other', '@.lower:other', '@:{"other"}', "@:{'other'}", '@:(other)', '@.lower', '@:', '@.:other', 'x @ y'],
  ...['{count, plural, one {a} other {b}}', '<b>bold</b>', 'a < b', '100%', '%{name}', 'plain', '', "it's", '\\@'],
]

const vue = loadVueSyntax(process.cwd())
const check = vue?.problemIn

function throwsOnThePage(text: string): boolean {
  const messages = { en: { text, other: 'OTHER' } }
  const i18n = createI18n({ legacy: false, locale: 'en', messages, missingWarn: false, fallbackWarn: false })
  try {
    i18n.global.t('text', { name: 'N' })
    return false
  } catch (error) {
    if (error instanceof SyntaxError) return true
    throw error
  }
}

describe('the syntax of vue-i18n', () => {
  it.each(TEXTS)('%j: a problem exactly where t() throws', (text) => {
    expect(check?.(text) !== undefined).toBe(throwsOnThePage(text))
  })

  it.each([
    ['help@example.org', "{'@'}"],
    ['Close } it', "{'}'}"],
    ['a| b|', "{'|'}"],
    ['a {b c} d', "{'{'}, {'}'}"],
  ])('%j: says how to write it', (text, advice) => {
    expect(check?.(text)).toContain(`write ${advice} to show`)
  })

  it.each([
    ['@:other', ['other']],
    ['a @.lower:b.c and @:{d} {name}', ['b.c']],
    ["@:{'x y'} | @:z", ['x y', 'z']],
    ['help', []],
  ])('%j refers to %j', (text, keys) => {
    expect(vue?.referencesIn(text)).toEqual(keys)
  })

  it('is unknown where the project has no compiler', async () => {
    expect(loadVueSyntax(await tempFolder())).toBeUndefined()
  })
})

describe('the syntax of i18next', () => {
  it.each([
    ['$t(other)', ['other']],
    ['a $t(ns:b.c, { "count": {{count}} }) $t( d )', ['ns:b.c', 'd']],
    ['$t({{key}}) $t($t(x)) 5 $t', ['x']],
  ])('%j refers to %j', (text, keys) => {
    expect(I18NEXT_SYNTAX.referencesIn(text)).toEqual(keys)
  })
})
