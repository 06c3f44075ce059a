/** Finds the places of findings in translation files. */
import type { Finding } from '../catalog/finding.ts'
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
