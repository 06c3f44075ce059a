/** The TypeScript types of a namespace's values, and of the placeholders in its texts. */
import type { Messages } from '../catalog/model.ts'
import { guessSyntax, listPlaceholders, type Placeholder } from '../catalog/placeholders.ts'
import { createPluralRules, isPluralGroup, parsePluralKey, pluralGroups } from '../catalog/plurals.ts'
import type { Translations } from '../catalog/translations.ts'
import { type NestedStrings, nestStrings } from '../shared/flatten.ts'
import { compareCodeUnits } from '../shared/split.ts'
import type { KeyMarks } from './declared-keys.ts'
import { stringLiteral } from './literal.ts'
import { type ValueWriter, writeValues } from './values.ts'

/**
 * Returns the type of each property of a flat module in the default language.
 *
 * @param text the type of texts
 * @param mark follows the name of each property that may be missing
 */
export function propertyTypes(
  translations: Pick<Translations, 'defaultMessages' | 'defaultValues'>,
  namespace: string,
  keySeparator: string,
  text: string,
  mark = '',
): ReadonlyMap<string, string> {
  const messages = translations.defaultMessages(namespace)
  const values = translations.defaultValues(namespace)
  if (!values) return new Map([...messages.keys()].map((key) => [key, text]))
  const writer: ValueWriter = {
    text: () => text,
    scalar: (json) => (json === 'null' ? json : json === 'true' || json === 'false' ? 'boolean' : 'number'),
    // A tuple, because i18next's types do not find the keys of elements in other array types.
    array: (items) => `readonly [${items.join(', ')}]`,
    object: (members, isObject) => objectType(nestStrings(members, keySeparator, isObject).value, mark),
  }
  return writeValues(messages, values, keySeparator, writer)
}

/** Returns the properties of a tree of types, sorted by name. */
export function nestedLines(value: NestedStrings): string[] {
  return sortedNames(value).flatMap((name) => {
    const child = value[name] as NestedStrings | string
    const property = `readonly ${stringLiteral(name)}:`
    return typeof child === 'string' ? [`${property} ${child}`] : block(property, nestedLines(child))
  })
}

/**
 * Returns the lines of a tree of types. Each text is a property, so that editors find its declaration. A mapped type
 * over a union of names would have no declarations.
 *
 * @param mark follows the name of each property that may be missing
 */
export function treeType(
  tree: NestedStrings,
  mark: string,
  notes?: ReturnType<KeyMarks['of']>,
  path: readonly string[] = [],
): string[] {
  // In `Readonly<…>`, TypeScript 7 does not show the comments of properties. Without comments, `Readonly` makes the
  // file much smaller.
  const [open, modifier, close] = notes?.hasComments ? ['{', 'readonly ', '}'] : ['Readonly<{', '', '}>']
  const properties = sortedNames(tree).flatMap((name) => {
    const child = tree[name] as NestedStrings | string
    const own = [...path, name]
    const { comment = [], end = '' } = notes?.annotate(own) ?? {}
    const [first = '', ...more] = typeof child === 'string' ? [child] : treeType(child, mark, notes, own)
    const property = `${modifier}${stringLiteral(name)}${mark}: ${first}`
    return typeof child === 'string' ? [...comment, property + end] : [property, ...more]
  })
  if (properties.length === 0) return ['Record<never, never>']
  return [open, ...properties.map((line) => `  ${line}`), close]
}

export function intersection(a: readonly string[], [first = '', ...more]: readonly string[]): string[] {
  return [...a.slice(0, -1), `${a.at(-1)} & ${first}`, ...more]
}

export function block(head: string, lines: readonly string[]): string[] {
  return lines.length === 0
    ? [`${head} Record<never, never>`]
    : [`${head} {`, ...lines.map((line) => (line === '' ? '' : `  ${line}`)), '}']
}

function objectType(value: NestedStrings, mark: string): string {
  const properties = sortedNames(value).map((name) => {
    const child = value[name] as NestedStrings | string
    return `readonly ${stringLiteral(name)}${mark}: ${typeof child === 'string' ? child : objectType(child, mark)}`
  })
  return properties.length === 0 ? 'Record<never, never>' : `{ ${properties.join('; ')} }`
}

function sortedNames(value: NestedStrings): string[] {
  return Object.keys(value).sort(compareCodeUnits)
}

/**
 * Returns a function that prints the type of a text's placeholders. It returns no lines if the text has none.
 *
 * @param pluralSeparator the separator before a plural category in i18next's keys
 */
export function createValueTypes(
  translations: Pick<Translations, 'languages' | 'defaultLanguage' | 'messages' | 'defaultMessages'>,
  namespace: string,
  pluralSeparator: string,
): (key: string) => string[] {
  const texts = translations.defaultMessages(namespace)
  const isPlural = pluralForms(texts, translations.defaultLanguage, pluralSeparator)
  let languages: readonly Messages[] | undefined
  const everyText = (key: string): string[] => {
    languages ??= translations.languages.map(({ key: language }) => translations.messages(language, namespace))
    return languages.flatMap((messages) => messages.get(key) ?? [])
  }
  return (key) => {
    const kinds = new Map<string, Set<string>>()
    const found = placeholdersIn(texts.get(key) ?? '')
    for (const { name, kind } of found) {
      const known = kinds.get(name) ?? new Set()
      kinds.set(name, known)
      if (kind.type !== 'select') known.add(name === 'count' && isPlural(key) ? 'number' : typeOf(kind))
    }
    // The branches come from all languages, because a translation may need branches that the default language does not
    // have.
    if (found.some(({ kind }) => kind.type === 'select'))
      for (const [name, branches] of branchesIn(found, everyText(key))) kinds.get(name)?.add(selectType(branches))
    if (kinds.size === 0) return []
    const types = [...kinds]
      .sort(([a], [b]) => compareCodeUnits(a, b))
      .map(([name, all]) => [name, narrowest(all)] as const)
    return [`${stringLiteral(key)}: ${placeholdersType(types)}`]
  }
}

/** Returns a function that returns true if a key is one of i18next's plural forms. */
function pluralForms(texts: Messages, language: string, separator: string): (key: string) => boolean {
  const groups = pluralGroups(texts, separator)
  const rulesOf = createPluralRules()
  return (key) => {
    const form = groups.size === 0 ? undefined : parsePluralKey(key, separator)
    return form !== undefined && isPluralGroup(groups.get(form.prefix), rulesOf(language, form.type))
  }
}

/** Returns the branches of each select in the text, including branches that only the other texts have. */
function branchesIn(own: readonly Placeholder[], texts: readonly string[]): Map<string, Set<string>> {
  const branches = new Map<string, Set<string>>()
  for (const { name, kind } of own) if (kind.type === 'select') branches.set(name, new Set())
  for (const { name, kind } of [...own, ...texts.flatMap(placeholdersIn)])
    if (kind.type === 'select') for (const option of kind.options) branches.get(name)?.add(option)
  return branches
}

/**
 * Returns the type of an object that contains the placeholders. Most placeholders take a string or a number. A short
 * form of these types keeps the file small and TypeScript fast.
 */
function placeholdersType(types: readonly (readonly [name: string, type: string])[]): string {
  const ofType = (wanted: string) => types.filter(([, type]) => type === wanted).map(([name]) => name)
  const [texts, numbers] = [ofType(TEXT_TYPE), ofType('number')]
  if (texts.length + numbers.length === types.length)
    return `Placeholders<${[texts, ...(numbers.length > 0 ? [numbers] : [])].map(union).join(', ')}>`
  return `{ ${types.map(([name, type]) => `${stringLiteral(name)}: ${type}`).join('; ')} }`
}

/**
 * Returns a text's placeholders, or an empty list if the message cannot be parsed. `localization check` reports such a
 * message.
 */
function placeholdersIn(text: string): readonly Placeholder[] {
  try {
    return listPlaceholders(text, guessSyntax(text))
  } catch {
    return []
  }
}

const TEXT_TYPE = 'string | number'

function typeOf(kind: Exclude<Placeholder['kind'], { type: 'select' }>): string {
  switch (kind.type) {
    case 'text':
      return TEXT_TYPE
    case 'number':
      return 'number'
    case 'date':
      return 'Date | number'
    case 'list':
      return 'readonly string[]'
    case 'any':
      return 'unknown'
  }
}

/**
 * Returns the type of a select's value, which is one of the branches. Any other value would show the text of `other`,
 * but it is usually a typo, or a sign that a branch is missing. If `other` is the only branch, any value is allowed.
 */
function selectType(branches: ReadonlySet<string>): string {
  if (branches.size === 1 && branches.has('other')) return 'string'
  const isBoolean = branches.has('true') || branches.has('false')
  return union([...branches]) + (isBoolean ? ' | boolean' : '')
}

/**
 * Returns the type of a placeholder that may occur several times. If it has a format in some of these places, its type
 * is that of the format. If it has several formats, a value must satisfy all of them.
 */
function narrowest(types: ReadonlySet<string>): string {
  const formats = [...types].filter((type) => type !== TEXT_TYPE && type !== 'unknown').sort(compareCodeUnits)
  if (formats.length > 0)
    return formats.length === 1 ? (formats[0] as string) : formats.map((type) => `(${type})`).join(' & ')
  return types.has(TEXT_TYPE) ? TEXT_TYPE : 'unknown'
}

export function union(names: readonly string[]): string {
  return names.length === 0 ? 'never' : [...names].sort(compareCodeUnits).map(stringLiteral).join(' | ')
}
