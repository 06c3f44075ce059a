/** The places of keys in the project's files, for declaration maps. */
import { resolve } from 'node:path'
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { readTranslationFile, type TranslationFileContent } from '../files/read.ts'
import { displayPath } from '../shared/paths.ts'
import type { FilesResult } from './files.ts'

/** The place of a key in a file. Line and column start at 1. */
export interface KeyPlace {
  /** The absolute path. */
  readonly path: string
  readonly line: number
  readonly column: number
}

/** Reads the default language's files again, because only the parser with positions knows the places. */
export async function readKeyPlaces(
  { root, keySeparator, pluralSeparator }: Pick<ResolvedConfig, 'root' | 'keySeparator' | 'pluralSeparator'>,
  { defaultLanguage, namespaces }: Pick<Translations, 'defaultLanguage' | 'namespaces'>,
  files: Pick<FilesResult, 'filesOf' | 'patterns'>,
): Promise<(namespace: string, key: string) => KeyPlace | undefined> {
  const read = async (path: string) => {
    const { wrappers, customer } = files.patterns.match(path) ?? {}
    if (customer !== undefined) return []
    const content = await readTranslationFile(path, { keySeparator, file: displayPath(root, path), wrappers })
    return content ? [{ path: resolve(root, path), content }] : []
  }
  const contents = new Map<string, readonly { readonly path: string; readonly content: TranslationFileContent }[]>()
  for (const namespace of namespaces) {
    const paths = files.filesOf(defaultLanguage, namespace)
    contents.set(namespace, (await Promise.all(paths.map(read))).flat())
  }
  return (namespace, key) => {
    // i18next's selectors name plurals by their base.
    const names = [key, `${key}${pluralSeparator}one`, `${key}${pluralSeparator}other`]
    for (const name of names) {
      for (const { path, content } of contents.get(namespace) ?? []) {
        const position = content.positionOf(name)
        if (position) return { path, ...position }
      }
    }
    return undefined
  }
}
