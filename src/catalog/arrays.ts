/** Finds the arrays in a service's texts, which have only flat keys, and compares the arrays of languages. */
import { branchesOf, segmentBelow } from '../shared/key-path.ts'
import type { Finding } from './finding.ts'
import { type Catalog, type CatalogPart, createCatalog, type Messages } from './model.ts'
import { indexOf, joinValues, longestBranches, type Value, type Values } from './values.ts'

/**
 * Adds arrays to the service's catalog. A name is an array if it is one in any file of the namespace. If `infers` is
 * true, a name in a namespace without files is an array if the keys below it are exactly `0` to `n - 1`. A language
 * gets only the arrays for which it has texts.
 */
export function withArrays(
  service: Catalog,
  files: Catalog,
  { keySeparator, infers }: { readonly keySeparator: string; readonly infers: boolean },
): Catalog {
  const known = new Map<string, Values>()
  for (const namespace of service.namespaces) {
    const parts = [...files.parts, ...service.parts].filter((part) => part.namespace === namespace)
    const values = longestBranches(parts.map((part) => part.values))
    const isInferred = infers && files.parts.every((part) => part.namespace !== namespace)
    const inferred = isInferred ? inferArrays(textsOf(service, namespace), keySeparator) : undefined
    const all = joinValues([values, inferred])
    if (all) known.set(namespace, all)
  }
  if (known.size === 0) return service
  const parts = service.parts.map((part) => {
    const values = known.get(part.namespace)
    if (!values) return part
    const file = files.part(part.language, part.namespace, part.customer)?.values
    const own = valuesAbove(part.messages, values, file, keySeparator)
    const { language, namespace, customer, messages } = part
    return { language, namespace, customer, messages, values: joinValues([part.values, own]) }
  })
  return createCatalog({ languages: service.languages, parts })
}

/**
 * The arrays that contain these texts, and the objects in these arrays. An array's length comes from the language's own
 * file if that file has the array.
 */
function valuesAbove(messages: Messages, known: Values, file: Values | undefined, keySeparator: string): Values {
  const above = new Map<string, Value>()
  for (const key of messages.keys()) {
    for (const branch of branchesOf(key, keySeparator)) {
      const value = known.get(branch)
      if (!value || above.has(branch)) continue
      const own = file?.get(branch)
      above.set(branch, own?.kind === value.kind ? own : value)
    }
  }
  return above
}

function* textsOf(catalog: Catalog, namespace: string): Iterable<string> {
  for (const part of catalog.parts) if (part.namespace === namespace) yield* part.messages.keys()
}

function inferArrays(keys: Iterable<string>, separator: string): Values | undefined {
  const all = [...keys]
  if (!all.some((key) => /\d/.test(key))) return undefined
  const segments = new Map<string, Set<string>>()
  for (const key of new Set(all)) {
    for (const branch of branchesOf(key, separator)) {
      const known = segments.get(branch) ?? new Set()
      segments.set(branch, known.add(segmentBelow(branch, key, separator)))
    }
  }
  const texts = new Set(all)
  const arrays = [...segments].filter(([branch, names]) => {
    return !texts.has(branch) && [...names].every((name) => (indexOf(name) ?? names.size) < names.size)
  })
  return arrays.length === 0
    ? undefined
    : new Map(arrays.map(([branch, { size }]) => [branch, { kind: 'array', length: size }]))
}

/**
 * Warns about arrays that have a different length in the default language, or are not arrays there.
 *
 * @param lengths false to ignore different lengths
 */
export function checkArrays(
  catalog: Catalog,
  defaultLanguage: string,
  keySeparator: string,
  lengths = true,
): Finding[] {
  return catalog.parts.flatMap((part) => {
    const { language, namespace, customer } = part
    const reference = catalog.part(defaultLanguage, namespace)
    if (!reference || part === reference || (!part.values && !reference.values)) return []
    return compare(part, reference, keySeparator, lengths).map(({ key, problem }): Finding => {
      const place = { namespace, key }
      return {
        rule: 'array',
        severity: 'warning',
        message: `${JSON.stringify(key)} ${problem}`,
        place: { ...place, language, ...(customer !== undefined && { customer }) },
        other: { ...place, language: defaultLanguage },
      }
    })
  })
}

function compare(own: CatalogPart, reference: CatalogPart, keySeparator: string, lengths: boolean) {
  const kindOf = [own, reference].map((part) => kindFinder(part, keySeparator)) as [KindFinder, KindFinder]
  const found: { key: string; problem: string }[] = []
  for (const key of arraysOf(own, reference)) {
    const [value, other] = [own.values?.get(key), reference.values?.get(key)]
    if (value?.kind === 'array' && other?.kind === 'array') {
      if (lengths && value.length !== other.length)
        found.push({ key, problem: `has ${elements(value.length)}, but ${other.length} in the default language` })
      continue
    }
    const [kind, otherKind] = [kindOf[0](key), kindOf[1](key)]
    if (kind && otherKind && kind !== otherKind)
      found.push({ key, problem: `is ${kind}, but ${otherKind} in the default language` })
  }
  return found
}

function* arraysOf(own: CatalogPart, reference: CatalogPart): Iterable<string> {
  for (const [key, { kind }] of own.values ?? []) if (kind === 'array') yield key
  for (const [key, { kind }] of reference.values ?? [])
    if (kind === 'array' && own.values?.get(key)?.kind !== 'array') yield key
}

type KindFinder = (key: string) => string | undefined

function kindFinder({ values, messages }: CatalogPart, separator: string): KindFinder {
  let branches: Set<string> | undefined
  return (key) => {
    const value = values?.get(key)
    if (value?.kind === 'array') return 'an array'
    if (value?.kind === 'scalar') return JSON_TYPES[value.json] ?? 'a number'
    if (messages.has(key)) return 'a text'
    branches ??= new Set([...messages.keys()].flatMap((each) => [...branchesOf(each, separator)]))
    return branches.has(key) ? 'an object' : undefined
  }
}

const JSON_TYPES: Readonly<Record<string, string>> = { null: 'null', true: 'a boolean', false: 'a boolean' }

function elements(length: number): string {
  return length === 1 ? '1 element' : `${length} elements`
}
