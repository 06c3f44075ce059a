/** Finds the arrays in a service's texts. The service itself has only flat keys. */
import { branchesOf } from '../shared/key-path.ts'
import { type Catalog, createCatalog, type Messages } from './model.ts'
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
      const rest = key.slice(branch.length + separator.length)
      const end = rest.indexOf(separator)
      const known = segments.get(branch) ?? new Set()
      segments.set(branch, known.add(end === -1 ? rest : rest.slice(0, end)))
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
