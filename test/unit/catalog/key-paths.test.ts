/** Names with dots and empty names: from a file to the page, and back into a file. */

import fc from 'fast-check'
import { createInstance } from 'i18next'
import { describe, expect, test } from 'vitest'
import { withArrays } from '../../../src/catalog/arrays.ts'
import { createCatalog } from '../../../src/catalog/model.ts'
import { createTranslations } from '../../../src/catalog/translations.ts'
import { parseTranslationText } from '../../../src/files/read.ts'
import { updateTranslationText } from '../../../src/files/update.ts'
import { generateTexts } from '../../../src/output/texts.ts'
import { generateTypes } from '../../../src/output/types.ts'
import { PATH_JOINT as JOINT } from '../../../src/shared/key-path.ts'
import { textsOf } from '../../../src/sources/source.ts'
import { repeats } from '../../helpers/repeats.ts'
import { TRANSLATION_SETTINGS } from '../../helpers/translation-settings.ts'
import '../../helpers/seed.ts'

const read = (tree: unknown, keySeparator: string) => parseTranslationText(JSON.stringify(tree), { keySeparator })
const keysOf = (tree: unknown, keySeparator = JOINT) => [...read(tree, keySeparator).entries.keys()]

/** The module of a language, and the warnings about it. */
async function shown(
  trees: Readonly<Record<string, unknown>>,
  { keySeparator = JOINT, shape = 'nested' as 'flat' | 'nested', language = 'en', isService = false } = {},
) {
  const files = createCatalog({
    parts: Object.entries(trees).map(([name, tree]) => {
      const { entries, values, diagnostics } = read(tree, keySeparator)
      expect(diagnostics).toEqual([])
      return { language: name, namespace: 'common', messages: entries, ...(values && { values }) }
    }),
  })
  const bare = createCatalog({ parts: files.parts.map(({ values: _, ...part }) => part) })
  const catalog = isService ? withArrays(bare, files, { keySeparator, infers: shape === 'nested' }) : files
  const translations = createTranslations(catalog, { ...TRANSLATION_SETTINGS, keySeparator })
  const config = { shape, compile: false, keySeparator } as const
  const { json, kept } = await generateTexts(translations, config, { kind: 'namespace', language, namespace: 'common' })
  return { module: JSON.parse(json) as unknown, kept: kept.flatMap((each) => each.kept), translations }
}

const DOTTED = {
  'Save. Now?': 'sentence',
  'Loading...': 'ellipsis',
  errors: { 'auth/invalid.email': 'Invalid', '': 'An error', 'a.b': { '': { '.': 'deep' } } },
  '': 'the empty name',
  steps: ['One', { 'x.y': 'Two', '': 'Three' }],
}

describe('keySeparator: false', () => {
  test('a name at the top is its key; names of nested objects are joined by one character', () => {
    expect(keysOf(DOTTED)).toEqual([
      'Save. Now?',
      'Loading...',
      'errors␟auth/invalid.email',
      'errors␟',
      'errors␟a.b␟␟.',
      '',
      'steps␟0',
      'steps␟1␟x.y',
      'steps␟1␟',
    ])
  })

  test('the page has the structure of the file, from files and from the service', async () => {
    for (const isService of [false, true]) {
      const { module, kept } = await shown({ en: DOTTED }, { isService })
      expect(module).toEqual(DOTTED)
      expect(kept).toEqual([])
    }
    expect((await shown({ en: { 'a.b': 'x', c: { d: 'y' } } }, { shape: 'flat' })).module).toEqual({
      'a.b': 'x',
      'c␟d': 'y',
    })
    const { translations } = await shown({ en: DOTTED })
    const types = generateTypes(translations, { shape: 'nested', keySeparator: JOINT })
    expect(types).toMatch(/'errors': Readonly<\{\n\s+'': string\n[^}]*'a\.b': Readonly<\{\n\s+'': Readonly<\{/)
  })

  test('i18next finds the names at the top', async () => {
    for (const shape of ['flat', 'nested'] as const) {
      const { module } = await shown(
        { en: { 'Save. Now?': 'sentence', 'a:b.c...': 'other', o: { 'x.y': 'z' } } },
        { shape },
      )
      const i18n = createInstance()
      const resources = { en: { common: module as Record<string, string> } }
      await i18n.init({
        lng: 'en',
        defaultNS: 'common',
        keySeparator: false,
        nsSeparator: false,
        resources,
      } as object)
      const find = i18n.t as (key: string, options?: object) => unknown
      expect([find('Save. Now?'), find('a:b.c...')]).toEqual(['sentence', 'other'])
      if (shape === 'nested') expect(find('o', { returnObjects: true })).toEqual({ 'x.y': 'z' })
      else expect(find('o␟x.y')).toBe('z')
    }
  })

  test('a new key makes nested objects in every file, and never a name with the joint', () => {
    const change = (text: string, changes: Record<string, string>) =>
      updateTranslationText(text, new Map(Object.entries(changes)), { keySeparator: JOINT })
    expect(JSON.parse(change('{"x.y": "z"}', { 'a␟b.c': 'new', 'd.e': 'flat' }))).toEqual({
      'x.y': 'z',
      a: { 'b.c': 'new' },
      'd.e': 'flat',
    })
    expect(() => change('{"a": "x"}', { 'a␟b': 'y' })).toThrow(/"a" cannot be both a text and a branch/)
    expect(() => change('{"a": {"b": "x"}}', { a: 'y' })).toThrow(/"a" cannot be both a text and a branch/)
    const { diagnostics } = parseTranslationText('{\n  "a␟b": "x"}', { keySeparator: JOINT, file: 'en.json' })
    expect(diagnostics).toMatchObject([{ code: 'FILE_KEY_COLLISION', place: { file: 'en.json', line: 2, column: 3 } }])
  })

  test("the service's own nesting is undone at dots", () => {
    const config = { keySeparator: JOINT, values: 'keep' } as const
    const nested = { a: { b: 'x' }, 'errors␟auth/invalid': { email: 'y' }, steps: ['z'] }
    const { messages, values } = textsOf(nested, config, 'a document')
    expect([...messages.keys()]).toEqual(['a.b', 'errors␟auth/invalid.email', 'steps␟0'])
    expect([...(values ?? [])]).toEqual([['steps', { kind: 'array', length: 1 }]])
  })
})

describe('empty names with a separator', () => {
  const tree = { a: { '': 'own', b: 'B', c: { '': { d: 'D' } } }, 'Loading...': 'ellipsis', '': { x: 'X' } }

  test('keep their place in the page; a sentence is not split', async () => {
    expect(keysOf(tree, '.')).toEqual(['a.', 'a.b', 'a.c..d', 'Loading...', '.x'])
    for (const isService of [false, true]) {
      const { module, kept } = await shown({ en: tree }, { keySeparator: '.', isService })
      expect(module).toEqual(tree)
      expect(kept).toEqual(['Loading...'])
    }
    expect((await shown({ en: tree }, { keySeparator: '.', shape: 'flat' })).module).toEqual({
      'a.': 'own',
      'a.b': 'B',
      'a.c..d': 'D',
      'Loading...': 'ellipsis',
      '.x': 'X',
    })
    const { translations } = await shown({ en: tree }, { keySeparator: '.' })
    const types = generateTypes(translations, { shape: 'nested', keySeparator: '.' })
    expect(types).toMatch(/'a': Readonly<\{\n\s+'': string\n\s+'b': string\n/)
  })

  test('a gap is filled in its place, and leaves nothing behind where nothing fills it', async () => {
    const trees = { en: { a: { '': 'own' }, n: { '': '' } }, pl: { a: { '': '' }, 't.': 'T' } }
    expect((await shown(trees, { keySeparator: '.', language: 'pl' })).module).toEqual({ a: { '': 'own' }, 't.': 'T' })
  })

  test('a text of the name in another language stays beside it', async () => {
    const trees = { en: { a: 'text' }, pl: { a: { '': 'own' } } }
    const { module, kept } = await shown(trees, { keySeparator: '.', language: 'pl' })
    expect([module, kept]).toEqual([{ a: 'text', 'a.': 'own' }, ['a.']])
  })

  test('a new key goes where another language has it', () => {
    const branches = new Map([['a', { kind: 'branch' } as const]])
    const change = (text: string) =>
      JSON.parse(updateTranslationText(text, new Map([['a.', 'new']]), { keySeparator: '.', branches }))
    expect(change('{"x": {"y": "z"}}')).toEqual({ x: { y: 'z' }, a: { '': 'new' } })
    expect(change('{"x.y": "z"}')).toEqual({ 'x.y': 'z', a: { '': 'new' } })
  })
})

const name = fc.oneof(
  fc.constantFrom('', '.', 'a', 'b', 'a.b', '0', '1', '__proto__'),
  fc.string({ unit: 'grapheme', maxLength: 3 }),
)
const { tree: trees } = fc.letrec<{ tree: Record<string, unknown>; node: unknown }>((tie) => ({
  node: fc.oneof({ maxDepth: 4, depthSize: 'small' }, fc.string({ minLength: 1, maxLength: 4 }), tie('tree')),
  tree: fc.array(fc.tuple(name, tie('node')), { minLength: 1, maxLength: 4 }).map((pairs) => {
    const object: Record<string, unknown> = Object.create(null)
    for (const [key, value] of pairs) object[key] = value
    return object
  }),
}))
const isWellFormed = (tree: unknown) => !/\\u[dD][89a-fA-F]|␟/.test(JSON.stringify(tree))

test('with keySeparator: false, any tree of names is the same in the page and in a new file', async () => {
  await fc.assert(
    fc.asyncProperty(trees.filter(isWellFormed), async (tree) => {
      const before = read(tree, JOINT)
      if (before.entries.size === 0) return
      expect(before.diagnostics).toEqual([])
      const { module, kept } = await shown({ en: tree })
      expect(JSON.stringify(sorted(module))).toBe(JSON.stringify(sorted(tree)))
      expect(kept).toEqual([])
      const written = updateTranslationText(undefined, before.entries, { keySeparator: JOINT })
      expect(JSON.stringify(sorted(JSON.parse(written)))).toBe(JSON.stringify(sorted(tree)))
    }),
    { numRuns: repeats(60, 2000) },
  )
})

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([key, child]) => [key, sorted(child)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
