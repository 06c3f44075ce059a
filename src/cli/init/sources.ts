/** The app's source files: their quoted texts and imports, and the way in which the code names texts. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { walkFiles } from '../../shared/walk.ts'
import { type LibraryName, libraryInfo, type Naming } from './libraries.ts'
import type { FileTexts } from './texts.ts'

export interface Sources {
  readonly importsTexts: boolean
  /** All content between two quotation marks, also keys. */
  readonly quoted: ReadonlySet<string>
  /** The option `defaultNS` of i18next. */
  readonly defaultNamespace: string | undefined
  /** A call of i18next takes the object below a key. */
  readonly takesObjects: boolean
}

export const MODULE_ID = 'virtual:translations'
export const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'target', 'vendor'])
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx|vue|svelte|astro)$/
const MOST_FILES = 3000

export async function readSources(root: string): Promise<Sources> {
  const quoted = new Set<string>()
  let importsTexts = false
  let takesObjects = false
  let defaultNamespace: string | undefined
  let seen = 0
  for await (const path of walkFiles(root, { skipped: SKIPPED, maxDepth: 7, ignoresUnreadable: true })) {
    if (!SOURCE.test(path) || path.endsWith('.d.ts')) continue
    if (++seen > MOST_FILES) break
    const text = await readFile(join(root, path), 'utf8').catch(() => '')
    importsTexts ||= text.includes(MODULE_ID) || /['"]#translations(?:\/[^'"]*)?['"]/.test(text)
    takesObjects ||= text.includes('returnObjects')
    defaultNamespace ??= /\bdefaultNS:\s*['"]([^'"]+)['"]/.exec(text)?.[1]
    for (const piece of text.split(/['"`\n]/)) if (piece.length < 200) quoted.add(piece)
  }
  return { importsTexts, quoted, defaultNamespace, takesObjects }
}

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
