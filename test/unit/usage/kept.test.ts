/** Names and globs in `keep`, and files in `ignoreIn`. */
import fc from 'fast-check'
import picomatch from 'picomatch'
import { expect, test } from 'vitest'
import { createCatalog } from '../../../src/catalog/model.ts'
import { createTranslations } from '../../../src/catalog/translations.ts'
import { pruneTranslations } from '../../../src/plugin/prune.ts'
import { keepFilter, PatternIndex } from '../../../src/usage/key-matcher.ts'

const PIECES = ['a', 'b', '.', ':', '*', '**', '?', '/', '-', '{a,b}', '[ab]', '|', '!', '(a)', '+(b)', '@', '\\*', ' ']

test('the filter agrees with every glob asked by itself', () => {
  const text = (pieces: readonly string[]) => fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 5 })
  const patterns = fc.array(
    text(PIECES).map((all) => all.join('')),
    { maxLength: 4 },
  )
  const keys = fc.array(
    text(['a', 'b', '.', '/', ':', ' ']).map((all) => all.join('')),
    { maxLength: 6 },
  )
  fc.assert(
    fc.property(patterns, keys, (names, asked) => {
      const keptBy = keepFilter(names)
      for (const key of asked) {
        const matches = (name: string) =>
          name === key || name === `a:${key}` || isMatch(name, key) || isMatch(name, `a:${key}`)
        const found = keptBy('a', key)
        expect(found !== undefined, JSON.stringify([names, key])).toBe(names.some(matches))
        if (found) expect(matches(found.name)).toBe(true)
        expect(keptBy('a', key)).toBe(found)
      }
    }),
    { numRuns: 1000 },
  )
})

/** A name without glob signs is only that name, while picomatch drops a leading `./` from it. */
const isMatch = (glob: string, key: string) =>
  /^[ab.:/ -]*$/.test(glob) ? glob === key : picomatch(glob, { dot: true, bash: true })(key)

test('a key may have several lines', () => {
  expect(keepFilter(['Sign in*'])('a', 'Sign in\nor up')).toMatchObject({ name: 'Sign in*' })
})

test('a name is compared only with patterns that begin like it', () => {
  const asked: string[] = []
  const index = new PatternIndex<number>()
  const starts = ['errors.', 'errors.e1', 'menu.', '']
  for (const [at, start] of starts.entries())
    index.add(start, (name) => asked.push(`${start}* ${name}`) > 0 && name.endsWith(`${at}`), at)
  expect([index.find('errors.e11'), index.find('errors.x'), index.find('menu.2'), index.find('m')]).toEqual([
    1,
    undefined,
    2,
    undefined,
  ])
  expect(asked).toEqual([
    'errors.* errors.e11',
    'errors.e1* errors.e11',
    'errors.* errors.x',
    '* errors.x',
    'menu.* menu.2',
    '* m',
  ])
})

test('each key is judged once, however many languages have it', () => {
  const languages = ['en', 'de', 'fr', 'pl']
  const messages = new Map(['a', 'b', 'c'].map((key) => [key, key]))
  const catalog = createCatalog({ parts: languages.map((language) => ({ language, namespace: 'app', messages })) })
  const asked: string[] = []
  const used = { isUsed: (_: string, key: string) => asked.push(key) > 0 && key !== 'b', isWhole: () => false }
  const translations = createTranslations(catalog, {
    defaultLanguage: 'en',
    customers: [],
    fallback: {},
    defaultNamespace: 'app',
  })
  const pruned = pruneTranslations(translations, used, { shape: 'flat', keySeparator: '.' })
  for (const language of languages) expect([...pruned.messages(language, 'app').keys()]).toEqual(['a', 'c'])
  expect(asked).toEqual(['a', 'b', 'c'])
})
