/** The TypeScript types of a namespace's values. */
import { compareCodeUnits } from '../catalog/model.ts'
import type { Translations } from '../catalog/translations.ts'
import { type NestedStrings, nestStrings } from '../shared/flatten.ts'
import { stringLiteral } from './literal.ts'
import { type ValueWriter, writeValues } from './values.ts'

export interface PropertyTypesOptions {
  readonly keySeparator: string
  /** Follows the name of each property that may be missing. */
  readonly mark: string
  readonly type: string
}

/** Returns the type of each property of a flat module in the default language. */
export function propertyTypes(
  translations: Pick<Translations, 'defaultMessages' | 'defaultValues'>,
  namespace: string,
  { keySeparator, mark, type }: PropertyTypesOptions,
): ReadonlyMap<string, string> {
  const messages = translations.defaultMessages(namespace)
  const values = translations.defaultValues(namespace)
  if (!values) return new Map([...messages.keys()].map((key) => [key, type]))
  const writer: ValueWriter = {
    text: () => type,
    scalar: (json) => (json === 'null' ? json : json === 'true' || json === 'false' ? 'boolean' : 'number'),
    // A tuple, because i18next's types do not find the keys of elements in other array types.
    array: (items) => `readonly [${items.join(', ')}]`,
    object: (members, isObject) => objectType(nestStrings(members, keySeparator, isObject).value, mark),
  }
  return writeValues(messages, values, keySeparator, writer)
}

/** Returns the properties of a tree of types, sorted by name. `mark` follows each name. */
export function nestedLines(value: NestedStrings, { mark = '' } = {}): string[] {
  return sortedNames(value).flatMap((name) => {
    const child = value[name] as NestedStrings | string
    const property = `readonly ${stringLiteral(name)}${mark}:`
    return typeof child === 'string' ? [`${property} ${child}`] : block(property, nestedLines(child, { mark }))
  })
}

export interface TreeTypeOptions {
  /** Follows the name of each property that may be missing. */
  readonly mark?: string
  /**
   * Called with the path of each text. Returns the comment before the text's property, and the end of the property's
   * line.
   */
  readonly annotate?: ((path: readonly string[]) => PropertyNote) | undefined
  readonly hasComments?: boolean | undefined
}

interface PropertyNote {
  readonly comment: readonly string[]
  readonly end: string
}

/**
 * Returns the lines of a tree of types. Each text is a property, so that editors find its declaration. A mapped type
 * over a union of names would have no declarations.
 */
export function treeType(tree: NestedStrings, options: TreeTypeOptions = {}, path: readonly string[] = []): string[] {
  const { mark = '', annotate, hasComments = false } = options
  // In `Readonly<…>`, TypeScript 7 does not show the comments of properties. Without comments, `Readonly` makes the
  // file much smaller.
  const [open, modifier, close] = hasComments ? ['{', 'readonly ', '}'] : ['Readonly<{', '', '}>']
  const properties = sortedNames(tree).flatMap((name) => {
    const child = tree[name] as NestedStrings | string
    const own = [...path, name]
    const { comment = [], end = '' } = annotate?.(own) ?? {}
    const [first = '', ...more] = typeof child === 'string' ? [child] : treeType(child, options, own)
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
