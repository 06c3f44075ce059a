/** Where a key of the code is looked for, and where its text belongs. */
import { PATH_JOINT } from '../../shared/key-path.ts'
import type { KeyUse, UseNamespaces } from '../model.ts'
import type { Conventions } from './conventions.ts'

export interface KeyPlace {
  /** As the catalog writes it, without a namespace in front. */
  readonly key: string
  /** The namespaces that may have the key. */
  readonly namespaces: readonly string[]
  /** The namespace that its text belongs to. `undefined`: it is unknown. */
  readonly target: string | undefined
  /** Why nothing is written. */
  readonly problem?: string
}

export interface PlaceSettings {
  /** As in the options: the separator of the catalog's keys, and the namespace of files without one. */
  readonly keySeparator: string
  readonly defaultNamespace: string
  /** Whether `namespace.key` names a key in libraries without namespaces. */
  readonly namespacePrefix: boolean
  /** The namespaces of the default language. */
  readonly namespaces: readonly string[]
}

/** Whatever the separators are, such a key is not split. */
const PLAIN_KEY = /^[\p{L}\p{N}_-]*$/u

/** @param passed the namespaces of the functions that the use's function may be */
export function placeOfKey(
  { key: given, namespaces: own }: Pick<KeyUse, 'key' | 'namespaces'>,
  passed: readonly UseNamespaces[],
  conventions: Conventions,
  settings: PlaceSettings,
): KeyPlace {
  const { unclear, isFlat, nsSeparator } = conventions
  const unknown = (['nsSeparators', 'keySeparators'] as const).filter((field) => unclear.includes(field))
  if (unknown.length > 0 && !PLAIN_KEY.test(given)) {
    const problem = 'how i18next splits keys is set up where it cannot be read (nsSeparator, keySeparator)'
    return { key: given, namespaces: settings.namespaces, target: undefined, problem }
  }
  // The glue for vue-i18n and react-intl puts the namespace and a dot before the key.
  const glued = settings.namespacePrefix && conventions.plurals === 'messages' && own === 'any'
  const separators = glued ? [nsSeparator, '.'] : [nsSeparator]
  const [split] = separators.flatMap((separator) => splitKey(given, separator, settings.namespaces) ?? [])
  const isJoined = !isFlat && settings.keySeparator !== PATH_JOINT && conventions.keySeparator !== ''
  const catalogKey = (key: string) => (isJoined ? key.replaceAll(conventions.keySeparator, settings.keySeparator) : key)
  if (split) return { key: catalogKey(split.key), namespaces: [split.namespace], target: split.namespace }
  const key = catalogKey(given)
  const named = own === 'any' ? targetsOf(passed, conventions, settings) : targetsOf([own], conventions, settings)
  const isAny = own === 'any' || conventions.mayFallBack || named.length === 0
  const namespaces = isAny
    ? settings.namespaces
    : [...new Set([...(own === 'default' ? named : own), ...conventions.fallbackNamespaces])]
  const other = namespaceBefore(given, nsSeparator)
  if (other !== undefined && conventions.plurals !== 'messages') {
    const problem = `it seems to name the namespace ${other}, which has no file in the default language`
    return { key, namespaces, target: undefined, problem }
  }
  return { key, namespaces, target: named.length === 1 ? named[0] : undefined }
}

/** The namespaces that texts of these lookups belong to: the first of each. */
function targetsOf(
  lookups: readonly UseNamespaces[],
  { defaultNamespace }: Conventions,
  settings: PlaceSettings,
): string[] {
  const { namespaces } = settings
  if (lookups.length === 0) return namespaces.length === 1 ? [...namespaces] : []
  // All files of the language are one namespace, also if the library gives it another name.
  const isOnly = namespaces.length === 1 && namespaces[0] === settings.defaultNamespace
  const otherwise = isOnly ? settings.defaultNamespace : defaultNamespace
  const names = lookups.map((lookup) => (typeof lookup === 'object' ? lookup[0] : otherwise))
  const known = names.filter((name) => name !== undefined)
  return known.length === names.length ? [...new Set(known)] : []
}

/** A namespace that has no texts yet: `shop` in `shop:title`. A sentence with a colon has a space behind it. */
function namespaceBefore(key: string, separator: string): string | undefined {
  const at = separator === '' ? -1 : key.indexOf(separator)
  const [name, rest] = [key.slice(0, Math.max(0, at)), key.slice(at + separator.length)]
  return at > 0 && /^[\w./-]+$/.test(name) && /^\S/.test(rest) ? name : undefined
}

/** `shop:title`, where `shop` is a namespace. */
function splitKey(key: string, separator: string, namespaces: readonly string[]) {
  const at = separator === '' ? -1 : key.indexOf(separator)
  const namespace = key.slice(0, Math.max(0, at))
  return at > 0 && namespaces.includes(namespace) ? { namespace, key: key.slice(at + separator.length) } : undefined
}
