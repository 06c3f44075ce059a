/** Cases from `Intl.PluralRules` itself: every category that a whole number selects is needed, and no other. */
import { describe, expect, test } from 'vitest'
import { checkTexts } from '../../../src/catalog/check-texts.ts'
import type { Finding } from '../../../src/catalog/finding.ts'
import { createCatalog } from '../../../src/catalog/model.ts'

const LANGUAGES =
  'en de fr es it pt-BR pt-PT nl sv da fi hu tr ru uk be pl cs sk sl hr sr bg ro lt lv ar he hi bn fa ja ko zh-CN cy ga'.split(
    ' ',
  )
const TYPES = ['cardinal', 'ordinal'] as const
type PluralType = (typeof TYPES)[number]

const categoriesOf = (language: string, type: PluralType): readonly string[] =>
  new Intl.PluralRules(language, { type }).resolvedOptions().pluralCategories

function neededBy(language: string, type: PluralType): readonly string[] {
  const rules = new Intl.PluralRules(language, { type })
  const selected = new Set<string>(Array.from({ length: 1001 }, (_, number) => rules.select(number)))
  return categoriesOf(language, type).filter((category) => selected.has(category))
}

const WRITERS = {
  icu(type: PluralType, categories: readonly string[]) {
    const forms = categories.map((category) => `${category} {# ${category}}`).join(' ')
    return [['files', `{n, ${type === 'cardinal' ? 'plural' : 'selectordinal'}, ${forms}}`]] as const
  },
  suffixes(type: PluralType, categories: readonly string[]) {
    const prefix = type === 'cardinal' ? 'files_' : 'files_ordinal_'
    return categories.map((category) => [prefix + category, `{{count}} ${category}`] as const)
  },
}

function check(writer: keyof typeof WRITERS, language: string, type: PluralType, categories: readonly string[]) {
  const defaultLanguage = language === 'en' ? 'de' : 'en'
  const write = WRITERS[writer]
  return checkTexts(
    createCatalog({
      parts: [
        { language: defaultLanguage, namespace: '', messages: write(type, categoriesOf(defaultLanguage, type)) },
        { language, namespace: '', messages: write(type, categories) },
      ],
    }),
    { defaultLanguage },
  )
}

let cases = 0

describe.each(LANGUAGES)('%s', (language) => {
  for (const type of TYPES) {
    for (const writer of Object.keys(WRITERS) as (keyof typeof WRITERS)[]) {
      const all = categoriesOf(language, type)
      const needed = neededBy(language, type)

      test(`${type} ${writer}: every category, and every needed one`, () => {
        expect(check(writer, language, type, all)).toEqual([])
        // ICU requires `other` in any case.
        expect(check(writer, language, type, writer === 'icu' ? [...new Set([...needed, 'other'])] : needed)).toEqual(
          [],
        )
        cases += 2
      })

      test.each(needed)(`${type} ${writer}: without %s`, (category) => {
        const found = check(
          writer,
          language,
          type,
          all.filter((each) => each !== category),
        )
        cases++
        if (all.length === 1 && writer === 'suffixes') return expect(found).toEqual([])
        expect(found.map(({ place }) => place.language)).toEqual([language])
        const [{ rule, message }] = found as [Finding]
        if (writer === 'icu' && category === 'other') return expect(rule).toBe('icu')
        expect(rule).toBe('plurals')
        expect(message).toContain(writer === 'icu' ? `category ${category} of {n}` : `_${category}"`)
      })
    }
  }
})

test('there are at least 200 cases of 30 languages', () => {
  expect(LANGUAGES.length).toBeGreaterThanOrEqual(30)
  expect(cases).toBeGreaterThanOrEqual(200)
})
