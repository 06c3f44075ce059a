/** Compares a catalog with the keys that the code uses: unused keys, missing keys, calls with an unknown key. Pure. */
import type { Finding } from '../catalog/finding.ts'
import type { Catalog } from '../catalog/model.ts'
import { joinValues, usedWithArrays } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { stemsOf } from './key-matcher.ts'
import type { AskedKey, UsedKeys } from './used-keys.ts'

export interface KeyName {
  readonly namespace: string
  readonly key: string
}

/** Every key of the catalog, each once, in the catalog's order. */
export function keysOf(catalog: Catalog): KeyName[] {
  const found = new Map<string, KeyName>()
  for (const { namespace, messages } of catalog.parts)
    for (const key of messages.keys()) found.set(JSON.stringify([namespace, key]), { namespace, key })
  return [...found.values()]
}

/** Keys that no source uses. A used element keeps its array. */
export function unusedKeys(
  catalog: Catalog,
  keys: readonly KeyName[],
  used: UsedKeys,
  keySeparator: string,
): KeyName[] {
  const filters = new Map<string, (key: string) => boolean>()
  for (const namespace of catalog.namespaces) {
    const values = joinValues(catalog.parts.filter((part) => part.namespace === namespace).map((part) => part.values))
    const own = keys.filter((name) => name.namespace === namespace).map(({ key }) => key)
    filters.set(
      namespace,
      usedWithArrays(values, keySeparator, own, (key) => used.isUsed(namespace, key)),
    )
  }
  return keys.filter(({ namespace, key }) => !filters.get(namespace)?.(key))
}

/** One finding for each key, in the default language if that has the key. */
export function unusedFindings(catalog: Catalog, unused: readonly KeyName[], defaultLanguage: string): Finding[] {
  const languages = [defaultLanguage, ...catalog.languages.map(({ key }) => key)]
  return unused.map(({ namespace, key }) => {
    const language = languages.find((each) => catalog.messages(each, namespace)?.has(key))
    const place = { namespace, key, ...(language !== undefined && { language }) }
    return { rule: 'unused', severity: 'error', message: `${JSON.stringify(key)} is used by no source`, place }
  })
}

/** Keys that the code spells out and no language has; one finding for each place. */
export function missingFindings(
  catalog: Catalog,
  used: UsedKeys,
  naming: Pick<ResolvedConfig, 'keySeparator' | 'namespacePrefix'>,
): Finding[] {
  const known = knownNames(catalog, naming)
  const { keySeparator } = naming
  const has = ({ namespaces, key: asked }: AskedKey) => {
    const key = dotted(asked, keySeparator)
    return known.anywhere.has(key) || namespaces.some((namespace) => known.byNamespace.get(namespace)?.has(key))
  }
  return used
    .askedKeys()
    .filter((asked) => asked.key !== '' && !has(asked) && !asked.orElse.some(has))
    .map(({ file, line, column, key, namespaces }) => {
      const existing = namespaces.filter((namespace) => known.byNamespace.has(namespace))
      const where = existing.length === 1 ? ` in ${existing[0]}` : ''
      const message = `${JSON.stringify(key)} is used and no language has it${where}`
      return { rule: 'missing-in-code', severity: 'error', message, place: { file, line, column, key } }
    })
}

const REASONS = {
  key: 'the key is not known before it runs',
  function: 'the translation function goes where it cannot be followed',
  messages: 'the messages go where they cannot be followed',
  syntax: 'the file cannot be read',
}

/** Calls that keep whole namespaces. */
export function unknownFindings({ unknownCalls }: UsedKeys): Finding[] {
  return unknownCalls
    .filter(({ reason }) => reason !== 'syntax')
    .map(({ file, line, column, code, reason, namespaces, isIgnored }) => {
      const listed = namespaces.length > 4 ? `${namespaces.length} namespaces` : namespaces.join(', ')
      const effect = isIgnored ? 'ignored, as configured' : `keeps all of ${listed}`
      const message = `${code}: ${REASONS[reason]}; ${effect}`
      return { rule: 'unknown-call', severity: 'warning', message, place: { file, line, column } }
    })
}

/** Every key, the keys that it may be a form of, and the branches it is in; the same with the namespace in front. */
function knownNames(
  catalog: Catalog,
  { keySeparator, namespacePrefix }: Pick<ResolvedConfig, 'keySeparator' | 'namespacePrefix'>,
) {
  const byNamespace = new Map<string, Set<string>>()
  const anywhere = new Set<string>()
  for (const { namespace, messages, values } of catalog.parts) {
    const names = byNamespace.get(namespace) ?? new Set<string>()
    byNamespace.set(namespace, names)
    const prefix = dotted(namespace, keySeparator)
    for (const given of [...messages.keys(), ...(values?.keys() ?? [])]) {
      for (const name of stemsOf(dotted(given, keySeparator), ['_', '.'])) {
        names.add(name)
        anywhere.add(`${prefix}:${name}`)
        if (namespacePrefix) anywhere.add(`${prefix}.${name}`)
      }
    }
  }
  return { byNamespace, anywhere }
}

/** The app's library may join segments otherwise than the catalog does. */
function dotted(key: string, keySeparator: string): string {
  return key.replaceAll(keySeparator, '.')
}
