/** Finds the places of findings and keys in translation files. */
import type { Finding } from '../catalog/finding.ts'
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { formatPlace, type Place } from '../errors.ts'
import type { TranslationFile } from '../files/patterns.ts'
import { readTranslationFile, type TranslationFileContent } from '../files/read.ts'
import { displayPath } from '../shared/paths.ts'
import type { FilesResult } from './files.ts'

/**
 * Adds places to findings. Only files with findings are read again. If a finding compares two texts, its message also
 * names the place of the other text.
 */
export function createLocator(
  { root, keySeparator }: Pick<ResolvedConfig, 'root' | 'keySeparator'>,
  files: Pick<FilesResult, 'list'>,
): (finding: Finding) => Promise<Finding> {
  const contents = new Map<string, Promise<TranslationFileContent | undefined>>()
  const read = ({ path, wrappers }: TranslationFile) => {
    const options = { keySeparator, file: displayPath(root, path), wrappers }
    const known = contents.get(path) ?? readTranslationFile(path, options)
    contents.set(path, known)
    return known
  }
  const locate = async (place: Place): Promise<Place> => {
    const { file, language, namespace, key, customer } = place
    if (file !== undefined || language === undefined || namespace === undefined || key === undefined) return place
    for (const part of files.list) {
      if (part.language !== language || part.namespace !== namespace || part.customer !== customer) continue
      const content = await read(part)
      // An object's place is the place of its first text.
      const below = () => [...(content?.entries.keys() ?? [])].find((each) => each.startsWith(key + keySeparator))
      const position = content?.positionOf(key) ?? content?.positionOf(below() ?? '')
      if (position) return { ...place, file: displayPath(root, part.path), ...position }
    }
    return place
  }
  return async (finding) => {
    const place = await locate(finding.place)
    const other = finding.other && (await locate(finding.other))
    return { ...finding, place, ...(other && { message: `${finding.message} (${formatPlace(other)})` }) }
  }
}

/** A key's place in a file. Line and column are 1-based. */
export interface KeyPlace {
  /** An absolute path. */
  readonly path: string
  readonly line: number
  readonly column: number
}

/**
 * The places of the default language's keys, for declaration maps. The files are parsed again, because the fast parser
 * does not report positions.
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
