/** The declarations, generated and then compiled by tsc itself. */
import { TRANSLATION_SETTINGS } from '../../helpers/translation-settings.ts'
import '../../helpers/seed.ts'
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import type TypeScript from 'typescript'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createCatalog, type PartInput } from '../../../src/catalog/model.ts'
import { withPseudoLanguage } from '../../../src/catalog/pseudo.ts'
import { createTranslations, type Translations } from '../../../src/catalog/translations.ts'
import { generateI18nextTypes, generateSelectorTypes, generateVueI18nTypes } from '../../../src/output/declarations.ts'
import { generateTypes, type TypesOptions } from '../../../src/output/types.ts'
import { anyText } from '../../helpers/any-text.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'
import { type CompilerError, compile, installTypes, ts } from '../../helpers/typescript.ts'

type Texts = Readonly<Record<string, string>> | readonly (readonly [string, string])[]

vi.setConfig({ testTimeout: 300_000 })

const FLAT: TypesOptions = { shape: 'flat', keySeparator: '.' }
const packages = join(import.meta.dirname, '../../../node_modules')
const fixtures = join(import.meta.dirname, '../../fixtures/types')

const ODD_KEY = 'line\nbreak "quoted" \'single\' \\ \u2028'
const ICU =
  '{count, plural, one {# file} other {# files in {folder}}} since {since, date, short}, {gender, select, female {her} male {his} other {their}}'
const ENGLISH: Readonly<Record<string, Texts>> = {
  common: [
    ['title', 'Title'],
    ['greeting', 'Hello, {name}, {name}!'],
    ['double', '{{ who }} {{price, currency(EUR)}} {{when, datetime}} {{all, list}} {{- raw}} {{own, shout}}'],
    ['files', ICU],
    ['flag', '{on, select, true {yes} false {no}  other {}}'.replace('  other {}', ' other {no}')],
    ['broken', '{count, plural, one {x'],
    ['', 'A key without a name'],
    [ODD_KEY, 'Odd'],
    ['__proto__', 'Proto {constructor}'],
    ['toString', 'To string'],
    ['1', 'One'],
    ['gap', ''],
  ],
  'views/home': { lead: 'Lead' },
  home: { other: 'Other' },
  'it\'s "odd"': { key: 'Key' },
  'spaced name': { key: 'Key' },
  __proto__: { key: '{0}' },
}

function translationsOf(
  texts: Iterable<readonly [namespace: string, texts: Texts]>,
  settings: Partial<Parameters<typeof createTranslations>[1]> = {},
): Translations {
  const namespaces = [...texts].map(
    ([namespace, given]) => [namespace, Array.isArray(given) ? given : Object.entries(given)] as const,
  )
  const parts = namespaces.flatMap(([namespace, messages]) => [
    { language: 'en', namespace, messages },
    { language: 'pl', namespace, messages: [['only Polish', 'Tylko po polsku']] as const },
  ])
  return createTranslations(createCatalog({ parts }), {
    languages: undefined,
    defaultLanguage: 'en',
    fallback: {},
    defaultNamespace: 'common',
    customer: undefined,
    customers: ['acme'],
    ...settings,
  })
}

const english = (settings?: Parameters<typeof translationsOf>[1]) =>
  translationsOf([...Object.entries(ENGLISH), ['__proto__', { key: '{0}' }]], settings)

/** Has the types of this package, i18next and vue-i18n; each program is a folder in it. */
let home: string
let programs = 0

beforeAll(async () => {
  home = await tempFolder()
  await installTypes(home)
  for (const name of ['i18next', 'vue-i18n', '@intlify'])
    await symlink(join(packages, name), join(home, 'node_modules', name))
})

async function compileFiles(files: Readonly<Record<string, string>>, options?: Readonly<Record<string, unknown>>) {
  const folder = join(home, `${programs++}`)
  await writeTree(folder, files)
  return compile(folder, Object.keys(files), options)
}

const fixture = (name: string) => readFile(join(fixtures, name), 'utf8')

const placesOf = (errors: readonly CompilerError[]) => errors.map(({ file, line, code }) => `${file}:${line} ${code}`)

/** The places of the comments that name an error. */
const markedLines = (file: string, source: string) =>
  source
    .split('\n')
    .flatMap((line, i) => [...line.matchAll(/\/\/ (TS\d+)$/g)].map(([, code]) => `${file}:${i + 1} ${code}`))

describe('tsc', () => {
  const declaration = generateTypes(withPseudoLanguage(english(), 'en-XA'), FLAT)

  test('refuses the import of an unknown language or namespace, but for an unknown language with a known namespace', async () => {
    const imports = ['en/common', 'xx/common', 'en/unknown', 'xx']
    const lines = imports.map((path, i) => `export { default as m${i} } from 'virtual:translations/${path}'`)
    const errors = await compileFiles({ 'localization.d.ts': declaration, 'main.ts': `${lines.join('\n')}\n` })
    expect(placesOf(errors)).toEqual(['main.ts:3 TS2307', 'main.ts:4 TS2307'])
  })

  test('takes what is right, and refuses each wrong language, namespace, key and placeholder on its line', async () => {
    const bad = await fixture('bad.ts')
    const expected = markedLines('bad.ts', bad)
    expect(expected.length).toBeGreaterThan(20)
    const files = { 'localization.d.ts': declaration, 'good.ts': await fixture('good.ts'), 'bad.ts': bad }
    expect(placesOf(await compileFiles(files))).toEqual(expected)
  })

  test('takes what is right beside the ambient types, and with the strictest settings', async () => {
    const files = { 'localization.d.ts': declaration, 'good.ts': await fixture('good.ts') }
    const source = "import nope from 'virtual:translations/en/nope'\nexport const title = nope.title\n"
    const beside = { types: ['unplugin-localization/virtual'] }
    expect(placesOf(await compileFiles({ ...files, 'main.ts': source }, beside))).toEqual(['main.ts:2 TS2339'])
    const strictest = { module: 'NodeNext', moduleResolution: 'NodeNext', exactOptionalPropertyTypes: true }
    expect(await compileFiles(files, strictest)).toEqual([])
  })

  test('any string goes where nothing is generated', async () => {
    const source = `
import { type Key, type LanguageKey, load, type Translate } from 'virtual:translations'
import messages from 'virtual:translations/xx/yy'
declare const t: Translate
const language: LanguageKey = String(1)
const key: Key<'any'> = String(2)
t('any', key, { name: 1 })
t('any', key)
export const loaded = await load(language, 'any')
export const text: string = messages.title
`
    expect(await compileFiles({ 'main.ts': source }, { types: ['unplugin-localization/virtual'] })).toEqual([])
  })

  test('nested messages are nested, their keys joined', async () => {
    const nested = translationsOf([
      ['common', { 'a.b.c': '{x}', 'a.d': 'd', x: 'x', 'x.y': 'kept', 'p.__proto__.q': 'q' }],
    ])
    const declaration = generateTypes(nested, { shape: 'nested', keySeparator: '.' })
    const source = `
import type { Translate } from 'virtual:translations'
import m from 'virtual:translations/pl/common'
declare const t: Translate
export const texts: string[] = [m.a.b.c, m.a.d, m.x, m['x.y'], m.p.__proto__.q, t('common', 'a.b.c', { x: 1 }), t('common', 'x.y')]
m['a.d'] // TS7053
t('common', 'a.b') // TS2345
`
    const errors = await compileFiles({ 'localization.d.ts': declaration, 'main.ts': source })
    expect(placesOf(errors)).toEqual(markedLines('main.ts', source))
  })

  test.each(['flat', 'nested'] as const)('compiled texts are trees or strings: %s', async (shape) => {
    const texts = translationsOf([['common', { title: 'Title', files: ICU }]])
    const declaration = generateTypes(texts, { shape, keySeparator: '.', compile: 'icu' })
    const source = `
import { type CompiledMessage, type Key, load, onUpdate, type Translate } from 'virtual:translations'
import messages from 'virtual:translations/en/common'
declare const t: Translate
t('common', 'files', { count: 1, folder: 'x', since: 1, gender: 'other' })
export const key: Key<'common'> = 'title'
export const both: string | CompiledMessage = messages.title
export const alsoBoth: string | CompiledMessage = (await load('en', 'common')).files
onUpdate((update) => update.type)
// @ts-expect-error it may be a tree
export const text: string = messages.title
// @ts-expect-error no such key
messages.nothing
`
    expect(await compileFiles({ 'localization.d.ts': declaration, 'main.ts': source })).toEqual([])
  })

  test('a plural takes a number, a select one of its branches in any language', async () => {
    const part = (language: string, messages: Readonly<Record<string, string>>): PartInput => ({
      language,
      namespace: 'common',
      messages: Object.entries(messages),
    })
    const parts = [
      part('en', {
        bags_one: '{{count}} bag of {{name}}',
        bags_other: '{{count}} bags of {{name}}',
        step_one: '{{count}}',
        place: '{n, selectordinal, one {#st} other {#th}}',
        their: '{who, select, male {his} other {their}} {who, select, female {her} other {}}',
        any: '{who, select, other {their}}',
        polish: '{who, select, other {their}}',
      }),
      part('pl', { their: '{who, select, nobody {} other {ich}}', polish: '{who, select, female {jej} other {jego}}' }),
    ]
    const declaration = generateTypes(createTranslations(createCatalog({ parts }), TRANSLATION_SETTINGS), FLAT)
    const source = `
import type { Translate, Values } from 'virtual:translations'
declare const t: Translate
t('common', 'bags_one', { count: 1, name: 2 })
t('common', 'bags_other', { count: '2', name: 'x' }) // TS2322
t('common', 'step_one', { count: '2' })
t('common', 'place', { n: 1 })
t('common', 'place', { n: '1' }) // TS2322
export const who: Values<'common', 'their'>['who'][] = ['male', 'female', 'nobody', 'other']
t('common', 'their', { who: 'someone' }) // TS2322
t('common', 'any', { who: String(1) })
t('common', 'polish', { who: 'female' })
t('common', 'polish', { who: 'male' }) // TS2322
`
    const errors = await compileFiles({ 'localization.d.ts': declaration, 'main.ts': source })
    expect(placesOf(errors)).toEqual(markedLines('main.ts', source))
  })

  test('a text may be missing where no language fills gaps', async () => {
    const source = `
import m from 'virtual:translations/pl/common'
export const title: string | undefined = m.title
export const greeting: string = m.greeting
`
    const gaps = generateTypes(english({ fallback: false }), { ...FLAT, gaps: true })
    expect(placesOf(await compileFiles({ 'localization.d.ts': gaps, 'main.ts': source }))).toEqual(['main.ts:4 TS2322'])
  })
})

/** A part whose messages are given, not read later. */
type EagerPart = Extract<PartInput, { readonly messages: unknown }>

const WITH_VALUES: EagerPart = {
  language: 'en',
  namespace: 'common',
  messages: Object.entries({ title: 'T', 'steps.0': 'a', 'steps.1': 'b', 'list.0.title': 'x' }),
  values: [
    ['steps', { kind: 'array', length: 2 }],
    ['list', { kind: 'array', length: 1 }],
    ['list.0', { kind: 'object' }],
    ['size', { kind: 'scalar', json: '3' }],
    ['none', { kind: 'scalar', json: 'null' }],
  ],
}

/** The same with keys that are joined otherwise. */
function joinedWith(separator: string): EagerPart {
  const { messages, values = [] } = WITH_VALUES
  const joined = <T>(entries: Iterable<readonly [string, T]>) =>
    [...entries].map(([key, value]) => [key.replaceAll('.', separator), value] as const)
  return { ...WITH_VALUES, messages: joined(messages), values: joined(values) }
}

const VIEWS: PartInput = { language: 'en', namespace: 'views/home', messages: [['lead', 'Lead']] }

describe('i18next', () => {
  const wrongLines = async (declarations: Readonly<Record<string, string>>, source: string) => {
    const errors = await compileFiles({ ...declarations, 'main.ts': source }, { skipLibCheck: true })
    return [...new Set(errors.map(({ file, line }) => (file === 'main.ts' ? line : file)))]
  }

  test('without the default namespace, a key of any namespace is right, and no other; dots that do not split are kept', async () => {
    const namespaces = [
      ['admin', { users: 'Users', 'Save. Now?': 's', 'errors\u241fa.b': 'e' }],
      ['views', { lead: 'Lead' }],
    ] as const
    const translations = translationsOf(namespaces, { defaultNamespace: 'default' })
    const options = { shape: 'nested', keySeparator: '\u241f' } as const
    const declarations = {
      'localization.d.ts': generateTypes(translations, options),
      'localization.i18next.d.ts': generateI18nextTypes(translations, options),
    }
    const source = `import i18next from 'i18next'
export const text: string = i18next.t('lead') + i18next.t('users') + i18next.t('views:lead') + i18next.t('lead', { ns: 'views' })
i18next.t('Save. Now?')
i18next.t('Save.')
i18next.t('nope')
i18next.t('views:users')
i18next.t('users', { ns: 'views' })
i18next.t('errors\u241fa.b')
`
    expect(await wrongLines(declarations, source)).toEqual([4, 5, 6, 7, 8])
    const flat = generateI18nextTypes(translations, { ...options, shape: 'flat' })
    expect(flat).toBe(declarations['localization.i18next.d.ts'])
  })

  test.each([
    ['flat', '.'],
    ['nested', '::'],
  ] as const)(
    "its own t knows the project's keys, arrays and other values: %s, joined with %s",
    async (shape, joint) => {
      const translations = createTranslations(
        createCatalog({ parts: [joinedWith(joint), VIEWS] }),
        TRANSLATION_SETTINGS,
      )
      const options = { shape, keySeparator: joint }
      const declarations = {
        'localization.d.ts': generateTypes(translations, options),
        'localization.i18next.d.ts': generateI18nextTypes(translations, options),
      }
      const source = `import i18next from 'i18next'
import type { MessagesOf } from 'virtual:translations'
export const steps: readonly string[] = i18next.t('steps', { returnObjects: true })
export const list: readonly { readonly title: string }[] = i18next.t('list', { returnObjects: true })
export const values: number | null = null as unknown as MessagesOf<'common'>['size'] | MessagesOf<'common'>['none']
export const texts: string = i18next.t('title') + i18next.t('steps${joint}1') + i18next.t('list${joint}0${joint}title') + i18next.t('views/home:lead')
i18next.t('step', { returnObjects: true })
i18next.t('steps${joint}2')
i18next.t('titel')
i18next.t('views/home:leed')
i18next.t('steps${joint === '.' ? '::' : '.'}1')
`
      expect(await wrongLines(declarations, source)).toEqual([7, 8, 9, 10, 11])
    },
  )

  test.each([
    ['flat', '::'],
    ['nested', '.'],
  ] as const)('selectors: %s, joined with %s', async (shape, keySeparator) => {
    const { messages, values } = joinedWith(keySeparator)
    const more = {
      'basket.open': 'Open',
      'basket.bags_one': 'bag',
      'basket.bags_other': 'bags',
      'basket.bags_ordinal_one': '1st',
      'basket.bags_ordinal_other': 'nth',
      'not a name.x': 'X',
      size_many: 'Many',
      above: 'Above',
      'above.below': 'Below',
      'box.lid': 'Lid',
      box_one: 'Box',
      box_other: 'Boxes',
    }
    const unsplit = keySeparator === '.' ? 'c::d' : 'c.d'
    const joined = Object.entries(more).map(([key, text]) => [key.replaceAll('.', keySeparator), text] as const)
    const common = { language: 'en', namespace: 'common', messages: [...messages, ...joined, [unsplit, 'd'] as const] }
    const parts = [{ ...common, values: values ?? [] }, VIEWS]
    const translations = createTranslations(createCatalog({ parts }), TRANSLATION_SETTINGS)
    const options = { shape, keySeparator }
    const declarations = {
      'localization.d.ts': generateTypes(translations, options),
      'localization.i18next.d.ts': generateSelectorTypes(translations, options),
    }
    if (keySeparator !== '.') expect(declarations['localization.i18next.d.ts']).toContain("keySeparator: '::'")
    // i18next takes the tree as it is: what a selector finds is what the tree has.
    const source = `import i18next, { type CustomTypeOptions } from 'i18next'
const { t } = i18next
declare const $: CustomTypeOptions['resources']['common']
const texts: string[] = [t($ => $.title), $.basket.open, $['not a name'].x, $['${unsplit}'], $.above, $['above${keySeparator}below'], $.basket.bags_one]
texts.push(t($ => $.lead, { ns: 'views/home' }), t($ => $['views/home'].lead, { ns: ['common', 'views/home'] }))
texts.push(t($ => $.basket.bags, { count: 2, ordinal: true }), $.steps[1], $.list[0].title, $.box.lid, $.box_one)
export const steps: readonly string[] = t($ => $.steps, { returnObjects: true })
export const values: [number, readonly { readonly title: string }[]] = [$.size, $.list]
texts.push(i18next.getFixedT('en')($ => $.title))
t($ => $.titel)
t($ => $.basket)
t($ => $.basket.bags, { count: '2' })
t($ => $.box)
t($ => $.leed, { ns: 'views/home' })
$.steps[2]
$.c.d
`
    expect(await wrongLines(declarations, source)).toEqual([10, 11, 12, 13, 14, 15, 16])
  })
})

test("vue-i18n's messages are one tree, a branch per namespace, and its tm knows arrays", async () => {
  const { messages, ...rest } = joinedWith('::')
  const menu = Object.entries({ 'menu::file': 'File', 'menu::edit': 'Edit' })
  const parts = [{ ...rest, messages: [...messages, ...menu] }]
  const translations = createTranslations(createCatalog({ parts }), TRANSLATION_SETTINGS)
  const source = `import { type DefineLocaleMessage, useI18n } from 'vue-i18n'
declare const m: DefineLocaleMessage
export const texts: string[] = [m.common.title, m.common.menu.file, useI18n().t('common.menu.edit')]
export const list: readonly string[] = [...m.common.steps, m.common.list[0].title]
export const size: number = m.common.size
export const shown: unknown = useI18n().tm('common.steps')
m.common.steps[2] // TS2493
m.common.titel // TS2551
`
  const files = {
    'localization.vue-i18n.d.ts': generateVueI18nTypes(translations, { shape: 'nested', keySeparator: '::' }),
    'main.ts': source,
  }
  // Without Vue, which takes longer than all the rest: nothing here is of a type of Vue's.
  const options = { skipLibCheck: true, preserveSymlinks: true }
  expect(placesOf(await compileFiles(files, options))).toEqual(markedLines('main.ts', source))
})

test('without the prefix, the messages of the one namespace are the tree', () => {
  const translations = translationsOf([['common', { title: 'Title', 'menu.file': 'File' }]], { namespacePrefix: false })
  const declaration = generateVueI18nTypes(translations, FLAT)
  expect(declaration).toContain(`  export interface DefineLocaleMessage {
    readonly 'menu': {
      readonly 'file': string
    }
    readonly 'title': string
  }`)
})

describe('the text', () => {
  test('is as it was read', () => {
    const translations = translationsOf([
      ['common', { title: 'Title', greeting: 'Hello, {name}' }],
      ['views/home', { lead: 'Lead' }],
    ])
    expect(generateTypes(translations, FLAT)).toMatchInlineSnapshot(`
      "// Generated by unplugin-localization from the texts of the project.
      /* eslint-disable */
      // biome-ignore-all format: generated
      // biome-ignore-all lint: generated
      // Do not edit: it is rewritten when languages, namespaces, keys or placeholders change.
      // A program can include only one such file: give each application its own tsconfig.json.
      /// <reference types="unplugin-localization/virtual-strict" />

      // prettier-ignore
      declare module 'virtual:translations' {
        export interface Register {
          readonly languages: 'en' | 'pl'
          readonly defaultNamespace: 'common'
          readonly messages: {
            readonly 'common': Messages_common
            readonly 'views/home': Messages_views$2fhome
          }
          readonly keys: {
            readonly 'common': Messages_common
            readonly 'views/home': Messages_views$2fhome
          }
          readonly values: {
            readonly 'common': Values_common
          }
        }

        export type Messages_common = Readonly<{
          'greeting': string
          'title': string
        }>
        export type Values_common = Readonly<{
          'greeting': Placeholders<'name'>
        }>

        export type Messages_views$2fhome = Readonly<{
          'lead': string
        }>
      }
      // prettier-ignore
      declare module 'virtual:translations/en' {
        const messages: import('virtual:translations').LanguageMessages
        export default messages
      }
      // prettier-ignore
      declare module 'virtual:translations/en?customer=acme' {
        const messages: import('virtual:translations').LanguageMessages
        export default messages
      }
      // prettier-ignore
      declare module 'virtual:translations/pl' {
        const messages: import('virtual:translations').LanguageMessages
        export default messages
      }
      // prettier-ignore
      declare module 'virtual:translations/pl?customer=acme' {
        const messages: import('virtual:translations').LanguageMessages
        export default messages
      }
      // prettier-ignore
      declare module 'virtual:translations/*/views/home' {
        const messages: import('virtual:translations').Messages_views$2fhome
        export default messages
      }
      // prettier-ignore
      declare module 'virtual:translations/*/views/home?customer=acme' {
        const messages: import('virtual:translations').Messages_views$2fhome
        export default messages
      }
      // prettier-ignore
      declare module 'virtual:translations/*/common' {
        const messages: import('virtual:translations').Messages_common
        export default messages
      }
      // prettier-ignore
      declare module 'virtual:translations/*/common?customer=acme' {
        const messages: import('virtual:translations').Messages_common
        export default messages
      }
      "
    `)
    expect(generateI18nextTypes(translations, FLAT)).toMatchInlineSnapshot(`
      "// Generated by unplugin-localization from the texts of the project.
      /* eslint-disable */
      // biome-ignore-all format: generated
      // biome-ignore-all lint: generated
      // prettier-ignore
      import type { LanguageMessages } from 'virtual:translations'

      // prettier-ignore
      declare module 'i18next' {
        export interface CustomTypeOptions {
          defaultNS: 'common'
          resources: LanguageMessages
        }
      }
      "
    `)
  })

  test('has the same bytes whatever order the texts came in', () => {
    const forward = translationsOf([
      ['b', { x: '{q} {p}', y: 'y' }],
      ['a', { z: 'z' }],
    ])
    const backward = translationsOf([
      ['a', { z: 'z' }],
      ['b', { y: 'y', x: '{q} {p}' }],
    ])
    expect(generateTypes(backward, FLAT)).toBe(generateTypes(forward, FLAT))
  })

  test('stays when a text changes and its placeholders do not', () => {
    const before = generateTypes(translationsOf([['a', { x: 'One {p}' }]]), FLAT)
    expect(generateTypes(translationsOf([['a', { x: '{p}, two' }]]), FLAT)).toBe(before)
    expect(generateTypes(translationsOf([['a', { x: '{q}, two' }]]), FLAT)).not.toBe(before)
  })

  test('leaves out gaps and what only another language has', () => {
    const text = generateTypes(english(), FLAT)
    expect(text).not.toContain('gap')
    expect(text).not.toContain('only Polish')
  })
})

const nameOf = ({ name }: TypeScript.TypeElement) => (name && ts.isStringLiteral(name) ? name.text : undefined)

test('any name is a name: the compiler reads every one as it was', () => {
  const names = fc.uniqueArray(fc.oneof(anyText(), fc.string(), fc.constant('__proto__')), {
    minLength: 1,
    maxLength: 6,
  })
  fc.assert(
    fc.property(names, names, (namespaces, keys) => {
      const texts = keys.map((key) => [key, 'text {x}'] as const)
      const code = generateTypes(translationsOf(namespaces.map((namespace) => [namespace, texts] as const)), FLAT)
      const file = ts.createSourceFile('a.d.ts', code, ts.ScriptTarget.ES2023, true)
      expect((file as unknown as { parseDiagnostics: unknown[] }).parseDiagnostics).toEqual([])
      const [manifest] = file.statements
      if (!manifest || !ts.isModuleDeclaration(manifest) || !manifest.body || !ts.isModuleBlock(manifest.body))
        return expect.fail('no module')
      const aliases = manifest.body.statements.filter(ts.isTypeAliasDeclaration)
      expect(new Set(aliases.map(({ name }) => name.text)).size).toBe(aliases.length)
      const found = aliases.filter(({ name }) => name.text.startsWith('Messages_'))
      expect(found).toHaveLength(namespaces.length)
      for (const { type } of found) {
        // Readonly<{ … }>
        const [members] = ts.isTypeReferenceNode(type) ? (type.typeArguments ?? []) : []
        const found = members && ts.isTypeLiteralNode(members) ? members.members.map(nameOf) : []
        expect(found.sort()).toEqual([...keys].sort())
      }
    }),
    { numRuns: 60 },
  )
})
