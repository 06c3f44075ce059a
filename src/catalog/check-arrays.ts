/** Compares a language's arrays with the default language's arrays. Pure. */
import { branchesOf } from '../shared/key-path.ts'
import type { Finding } from './finding.ts'
import type { Catalog, CatalogPart } from './model.ts'

export interface ArrayCheckOptions {
  readonly defaultLanguage: string
  readonly keySeparator: string
  /** True if different lengths are findings. Default true. */
  readonly lengths?: boolean
}

/** Warns about arrays that have a different length in the default language, or are not arrays there. */
export function checkArrays(catalog: Catalog, options: ArrayCheckOptions): Finding[] {
  return catalog.parts.flatMap((part) => {
    const { language, namespace, customer } = part
    const reference = catalog.part(options.defaultLanguage, namespace)
    if (!reference || part === reference || (!part.values && !reference.values)) return []
    return compare(part, reference, options).map(({ key, problem }): Finding => {
      const place = { namespace, key }
      return {
        rule: 'array',
        severity: 'warning',
        message: `${JSON.stringify(key)} ${problem}`,
        place: { ...place, language, ...(customer !== undefined && { customer }) },
        other: { ...place, language: options.defaultLanguage },
      }
    })
  })
}

function compare(own: CatalogPart, reference: CatalogPart, { keySeparator, lengths = true }: ArrayCheckOptions) {
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
