/**
 * Generates the declaration files for a configuration. Some add the project's keys to the types of a library's own
 * functions. Each of these files must be a module, because only a module can augment another module.
 */

import { createPluralRules, isPluralGroup, pluralGroups } from '../catalog/plurals.ts'
import type { Translations } from '../catalog/translations.ts'
import { objectTest } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { nestStrings } from '../shared/flatten.ts'
import { branchesOf, PATH_JOINT } from '../shared/key-path.ts'
import { type DeclaredKey, declarationMapLine, KeyMarks } from './declared-keys.ts'
import { MANIFEST_ID } from './ids.ts'
import { stringLiteral } from './literal.ts'
import { FORMATTED, GENERATED_MARK, generateTypes, statement, type TypesOptions } from './types.ts'
import { block, intersection, nestedLines, propertyTypes, treeType, union } from './value-types.ts'

export interface DeclarationFile {
  /** The absolute path. */
  readonly path: string
  readonly content: string
  /** The declared keys, for the file's declaration map. */
  readonly keys: readonly DeclaredKey[]
}

/** Returns no files if `types` is off. */
export function generateDeclarations(
  translations: Translations,
  config: Pick<ResolvedConfig, 'types' | 'fallback' | 'pseudo' | keyof Omit<TypesOptions, 'gaps'>>,
): readonly DeclarationFile[] {
  const { types } = config
  if (!types) return []
  const options: TypesOptions = { ...config, gaps: config.fallback === false }
  const beside = (library: string) => types.file.replace(/(?:\.d)?\.ts$/, `.${library}.d.ts`)
  const marks = new KeyMarks(translations, config)
  /** Removes the marks, and adds the comment that refers to the declaration map. */
  const withKeys = (path: string, marked: string): DeclarationFile => {
    const { content, keys } = marks.finish(marked)
    return { path, content: `${content}${declarationMapLine(path)}\n`, keys }
  }
  const forI18next = (path: string): DeclarationFile =>
    types.i18next === 'selector'
      ? withKeys(path, generateSelectorTypes(translations, options, marks))
      : { path, content: generateI18nextTypes(translations, options), keys: [] }
  const forVueI18n = (path: string) => ({ path, content: generateVueI18nTypes(translations, options), keys: [] })
  return [
    withKeys(types.file, generateTypes(translations, options, marks)),
    ...(types.i18next ? [forI18next(beside('i18next'))] : []),
    ...(types.vueI18n ? [forVueI18n(beside('vue-i18n'))] : []),
  ]
}

/** i18next's `CustomTypeOptions`, with the types of the namespaces and the keys for i18next's `t`. */
export function generateI18nextTypes(translations: Translations, { shape, keySeparator }: TypesOptions): string {
  return i18nextFile([
    `defaultNS: ${defaultNamespaces(translations)}`,
    ...(shape === 'nested' || keySeparator === PATH_JOINT ? separatorLines(keySeparator) : []),
    'resources: LanguageMessages',
  ])
}

/**
 * i18next's `CustomTypeOptions` for selectors, such as `t($ => $.basket.open)`. They contain trees of messages,
 * whatever `shape` is. With `enableSelector: 'optimize'`, i18next uses these types directly. With `true`, it would
 * derive other types from them, which takes half a minute for 100,000 keys. For `'optimize'`, each plural is also
 * included under its base: `$ => $.bags`.
 */
export function generateSelectorTypes(translations: Translations, options: TypesOptions, marks?: KeyMarks): string {
  const { keySeparator } = options
  const resources = translations.namespaces.flatMap((namespace) => {
    const [first = '', ...more] = selectorTree(translations, namespace, options, marks)
    return [`${stringLiteral(namespace)}: ${first}`, ...more]
  })
  return i18nextFile([
    "enableSelector: 'optimize'",
    `defaultNS: ${defaultNamespaces(translations)}`,
    ...separatorLines(keySeparator),
    ...block('resources:', resources),
  ])
}

function i18nextFile(lines: readonly string[]): string {
  const head = `import type { LanguageMessages } from ${stringLiteral(MANIFEST_ID)}`
  return moduleFile('i18next', head, block('export interface CustomTypeOptions', lines))
}

function selectorTree(
  translations: Translations,
  namespace: string,
  { shape, keySeparator, pluralSeparator = '_' }: TypesOptions,
  marks?: KeyMarks,
): string[] {
  const text = 'string'
  const types = propertyTypes(translations, namespace, keySeparator, text)
  const bases = pluralBases(translations, namespace, pluralSeparator)
  const branches = new Set([...types.keys()].flatMap((key) => [...branchesOf(key, keySeparator)]))
  const added = bases.filter((base) => !types.has(base) && !branches.has(base)).map((base) => [base, text] as const)
  const own = shape === 'nested' ? [] : types
  const isObject = objectTest(translations.defaultValues(namespace))
  const tree = treeType(nestStrings([...own, ...added], keySeparator, isObject).value, '', marks?.of(namespace))
  if (shape !== 'nested') return tree
  const messages = [`LanguageMessages[${stringLiteral(namespace)}]`]
  return added.length === 0 ? messages : intersection(messages, tree)
}

/** The base of each plural: `bags` for `bags_one` and `bags_other`. */
function pluralBases(translations: Translations, namespace: string, separator: string): string[] {
  const messages = translations.defaultMessages(namespace)
  const rulesOf = createPluralRules()
  const bases = [...pluralGroups(messages, separator).values()].flatMap((group) => {
    const { base, type } = group.key
    const plurals = rulesOf(translations.defaultLanguage, type)
    // Languages with a single form have only `bags_other`.
    const isOnly = group.categories.has('other') && plurals?.required().length === 1
    return isOnly || isPluralGroup(group, plurals) ? [base] : []
  })
  return [...new Set(bases)]
}

/**
 * vue-i18n's `DefineLocaleMessage`: a single tree of messages with a branch for each namespace, as this package's glue
 * passes it to vue-i18n.
 */
export function generateVueI18nTypes(translations: Translations, { shape, keySeparator }: TypesOptions): string {
  const paths = new Map<string, string>()
  for (const namespace of translations.namespaces) {
    for (const [key, type] of propertyTypes(translations, namespace, keySeparator, 'string')) {
      const path = shape === 'nested' ? key.replaceAll(keySeparator, '.') : key
      paths.set(translations.namespacePrefix ? `${namespace}.${path}` : path, type)
    }
  }
  const lines = nestedLines(nestStrings(paths, '.').value)
  const body = ['export interface DefineLocaleMessage {', ...lines.map((line) => `  ${line}`), '}']
  return moduleFile('vue-i18n', 'export {}', body)
}

function separatorLines(keySeparator: string): string[] {
  if (keySeparator === '.') return []
  return [`keySeparator: ${keySeparator === PATH_JOINT ? 'false' : stringLiteral(keySeparator)}`]
}

/**
 * The namespaces whose keys need no prefix. If the default namespace does not exist, i18next has a different default,
 * so keys from any namespace are accepted.
 */
function defaultNamespaces({ namespaces, defaultNamespace }: Translations): string {
  return union(namespaces.includes(defaultNamespace) ? [defaultNamespace] : namespaces)
}

/** @param head an import or an export, because the file is not a module otherwise */
function moduleFile(library: string, head: string, lines: readonly string[]): string {
  const augmentation = statement(`declare module ${stringLiteral(library)}`, lines)
  return [GENERATED_MARK, ...FORMATTED, '// prettier-ignore', head, '', ...augmentation, ''].join('\n')
}
