/** Finds the places of keys in the project's files, for declaration maps. */
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { TranslationFile } from '../files/patterns.ts'
import { readTranslationFile, type TranslationFileContent } from '../files/read.ts'
import { displayPath } from '../shared/paths.ts'
import type { FilesResult } from './files.ts'

/** A key's place in a file. Line and column are 1-based. */
export interface KeyPlace {
  /** An absolute path. */
  readonly path: string
  readonly line: number
  readonly column: number
}

/**
 * The places of the default language's keys. The files are parsed again, because the fast parser does not report
 * positions.
 */
export async function readKeyPlaces(
  { root, keySeparator, pluralSeparator }: Pick<ResolvedConfig, 'root' | 'keySeparator' | 'pluralSeparator'>,
  { defaultLanguage }: Pick<Translations, 'defaultLanguage'>,
  { list }: Pick<FilesResult, 'list'>,
): Promise<(namespace: string, key: string) => KeyPlace | undefined> {
  const contents = new Map<string, { readonly path: string; readonly content: TranslationFileContent }[]>()
  const read = async ({ path, namespace, wrappers }: TranslationFile) => {
    const content = await readTranslationFile(path, { keySeparator, file: displayPath(root, path), wrappers })
    if (content) contents.set(namespace, [...(contents.get(namespace) ?? []), { path, content }])
  }
  const isOwn = ({ language, customer }: TranslationFile) => language === defaultLanguage && customer === undefined
  await Promise.all(list.filter(isOwn).map(read))
  return (namespace, key) => {
    // i18next's selectors refer to a plural by its base.
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
