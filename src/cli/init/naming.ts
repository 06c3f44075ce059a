/** How the code names texts: the options and the lines that keep those names. */
import { type LibraryName, libraryInfo, type Naming } from './libraries.ts'
import type { Sources } from './sources.ts'
import type { FileTexts } from './texts.ts'

/** Options of the configuration. */
export interface NamingOptions {
  readonly defaultNamespace?: string
  readonly namespacePrefix?: false
  readonly shape?: 'nested'
}

/** @param texts those of the default language */
export function findNaming(
  library: LibraryName | undefined,
  texts: readonly FileTexts[],
  { quoted, defaultNamespace: own }: Sources,
  hasNamespaces: boolean,
): Naming {
  const namespaces = [...new Set(texts.map(({ namespace }) => namespace))].sort()
  const keys = texts.flatMap(({ namespace, entries }) => [...entries.keys()].map((key) => [namespace, key] as const))
  const bare = keys.filter(([, key]) => quoted.has(key)).length
  const named = keys.filter(([namespace, key]) => quoted.has(`${namespace}.${key}`)).length
  const defaultNamespace = [own, 'translation', namespaces[0]].find((name) => name && namespaces.includes(name))
  const isOfLibrary = library !== undefined && libraryInfo(library).namespaces === 'none'
  return { namespaces, defaultNamespace, isBare: isOfLibrary && (!hasNamespaces || bare > named) }
}

export function namingOptions(
  library: LibraryName | undefined,
  { isBare, namespaces }: Naming,
  { defaultNamespace = 'translation', takesObjects }: Sources,
  hasNamespaces: boolean,
): NamingOptions {
  const isOfI18next = library !== undefined && libraryInfo(library).namespaces === 'i18next'
  return {
    ...(isOfI18next && !hasNamespaces && { defaultNamespace }),
    ...(isOfI18next && takesObjects && { shape: 'nested' as const }),
    ...(isBare && namespaces.length < 2 && { namespacePrefix: false as const }),
  }
}
