/** Cases from `Intl.PluralRules` itself: every category that a whole number selects is needed, and no other. */
import { expect, test } from 'vitest'
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

interface Variant {
  readonly type: PluralType
  readonly writer: keyof typeof WRITERS
  readonly categories: readonly string[]
  /** The category that is missing. */
  readonly without?: string
}

function variantsOf(language: string): readonly Variant[] {
  return TYPES.flatMap((type) => {
    const all = categoriesOf(language, type)
    const needed = neededBy(language, type)
    return (['icu', 'suffixes'] as const).flatMap((writer) => [
      { type, writer, categories: all },
      // ICU requires `other` in any case.
      { type, writer, categories: writer === 'icu' ? [...new Set([...needed, 'other'])] : needed },
      ...needed.map((without) => {
        return { type, writer, categories: all.filter((each) => each !== without), without }
      }),
    ])
  })
}

/** The findings of each variant: it is a namespace of one catalog. */
function check(language: string, variants: readonly Variant[]): readonly (readonly Finding[])[] {
  const defaultLanguage = language === 'en' ? 'de' : 'en'
  const parts = variants.flatMap(({ type, writer, categories }, at) => {
    const write = WRITERS[writer]
    return [
      { language: defaultLanguage, namespace: `${at}`, messages: write(type, categoriesOf(defaultLanguage, type)) },
      { language, namespace: `${at}`, messages: write(type, categories) },
    ]
  })
  const findings = checkTexts(createCatalog({ parts }), { defaultLanguage })
  return variants.map((_, at) => findings.filter(({ place }) => place.namespace === `${at}`))
}

let cases = 0

test.each(LANGUAGES)('%s: each needed category, and no other', (language) => {
  const variants = variantsOf(language)
  for (const [at, found] of check(language, variants).entries()) {
    const { type, writer, without } = variants[at] as Variant
    const what = `${type} ${writer} without ${without}`
    cases++
    if (without === undefined || (writer === 'suffixes' && categoriesOf(language, type).length === 1)) {
      expect(found, what).toEqual([])
      continue
    }
    expect(
      found.map(({ place }) => place.language),
      what,
    ).toEqual([language])
    const [{ rule, message }] = found as [Finding]
    const isSyntax = writer === 'icu' && without === 'other'
    expect(rule, what).toBe(isSyntax ? 'icu' : 'plurals')
    if (!isSyntax) expect(message).toContain(writer === 'icu' ? `category ${without} of {n}` : `_${without}"`)
  }
})

test('there are at least 200 cases of 30 languages', () => {
  expect(LANGUAGES.length).toBeGreaterThanOrEqual(30)
  expect(cases).toBeGreaterThanOrEqual(200)
})
