/** The comments of keys in declarations, and the places of keys in declaration maps. */
import '../../helpers/seed.ts'
import { decode } from '@jridgewell/sourcemap-codec'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCatalog } from '../../../src/catalog/model.ts'
import { createTranslations, type Translations } from '../../../src/catalog/translations.ts'
import { generateDeclarations } from '../../../src/output/declarations.ts'
import { generateDeclarationMap } from '../../../src/output/declared-keys.ts'
import { anyText } from '../../helpers/any-text.ts'
import { TRANSLATION_SETTINGS } from '../../helpers/translation-settings.ts'
import { ts } from '../../helpers/typescript.ts'

const CONFIG = {
  types: { file: '/app/types/localization.d.ts', i18next: false, vueI18n: false },
  shape: 'flat',
  keySeparator: '.',
  fallback: {},
  compile: false,
  pluralSeparator: '_',
  pseudo: false,
} as const

function translationsOf(texts: Iterable<readonly [string, string]>, pl: Readonly<Record<string, string>> = {}) {
  const parts = [
    { language: 'en', namespace: 'common', messages: [...texts] },
    { language: 'pl', namespace: 'common', messages: Object.entries(pl) },
  ]
  return createTranslations(createCatalog({ parts }), TRANSLATION_SETTINGS)
}

const declare = (translations: Translations, config: Partial<typeof CONFIG> = {}) => {
  const [file] = generateDeclarations(translations, { ...CONFIG, ...config })
  if (!file) return expect.fail('no file')
  return file
}

/** Each property of the messages, with its documentation as TypeScript reads it. */
function documented(content: string): Record<string, string | undefined> {
  const found: Record<string, string | undefined> = Object.create(null)
  const source = ts.createSourceFile('a.d.ts', content, ts.ScriptTarget.ES2023, true)
  expect((source as unknown as { parseDiagnostics: unknown[] }).parseDiagnostics).toEqual([])
  const visit = (node: import('typescript').Node) => {
    if (ts.isTypeAliasDeclaration(node) && !node.name.text.startsWith('Messages_')) return
    if (ts.isPropertySignature(node) && ts.isStringLiteral(node.name)) {
      const [doc] = ts.getJSDocCommentsAndTags(node)
      found[node.name.text] = doc && ts.isJSDoc(doc) ? `${ts.getTextOfJSDocComment(doc.comment)}` : undefined
      if (doc && ts.isJSDoc(doc)) expect(doc.tags).toBeUndefined()
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

test('the default text, and that of one other language if it differs', () => {
  const { content } = declare(
    translationsOf(
      [
        ['a', 'One'],
        ['b', 'Two'],
      ],
      { a: 'Jeden' },
    ),
  )
  expect(documented(content)).toMatchObject({ a: '`One`\n\npl: `Jeden`', b: '`Two`' })
})

test('no comment has the text of the pseudo-language', () => {
  const { content } = declare(translationsOf([['a', 'One']], { a: '[Öñé]' }), { pseudo: 'pl' } as never)
  expect(documented(content)).toMatchObject({ a: '`One`' })
})

test('any text is shown as text: no tag, no markup, no end of the comment', () => {
  fc.assert(
    fc.property(fc.oneof(anyText(), fc.constantFrom('*/', '@param {x} y', '`', '{@link a}', '``` a ```')), (text) => {
      const shown = documented(
        declare(
          translationsOf([
            ['a', text],
            ['z', 'Z'],
          ]),
        ).content,
      )
      expect(shown.z).toBe('`Z`')
      if (/^[\w ]+$/.test(text.trim())) expect(shown.a).toBe(`\`${text.replace(/\s+/g, ' ').trim()}\``)
    }),
    { numRuns: 200 },
  )
})

test('3,000 keys have comments; more have none, and a smaller form', () => {
  const keys = (count: number) => Array.from({ length: count }, (_, at) => [`key${at}`, `Text ${at}`] as const)
  const most = declare(translationsOf(keys(3_000)))
  const more = declare(translationsOf(keys(3_001)))
  expect(documented(most.content).key2999).toBe('`Text 2999`')
  expect(documented(more.content).key2999).toBeUndefined()
  expect(more.content).toContain("  'key2999': string\n")
  expect(more.keys).toHaveLength(3_001)
})

test('a map leads from each name to its place, relative to the map', () => {
  const file = declare(
    translationsOf([
      ['a b', 'One'],
      ['gone', 'Two'],
      ["it's", 'Three'],
    ]),
  )
  const places: Record<string, { path: string; line: number; column: number }> = {
    'a b': { path: '/app/locales/en #1/ä.json', line: 2, column: 3 },
    "it's": { path: '/app/locales/en #1/ä.json', line: 9, column: 5 },
  }
  const map = JSON.parse(generateDeclarationMap(file.path, file.keys, (_, key) => places[key]) ?? '{}')
  expect(map).toMatchObject({ version: 3, file: 'localization.d.ts', sources: ['../locales/en%20%231/%C3%A4.json'] })
  const lines = file.content.split('\n')
  const found = decode(map.mappings).flatMap((segments, line) =>
    segments.map(([column, , at, from]) => [lines[line]?.slice(column), (at ?? 0) + 1, (from ?? 0) + 1]),
  )
  expect(found).toEqual([
    ["'a b': string", 2, 3],
    [': string', 2, 3],
    ['', 2, 3],
    ["'it\\'s': string", 9, 5],
    [': string', 9, 5],
    ['', 9, 5],
  ])
  expect(generateDeclarationMap(file.path, file.keys, () => undefined)).toBeUndefined()
})
