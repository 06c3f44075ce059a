/** The texts of the project's files. */
import type { FilePattern } from '../../config/types.ts'
import { listTranslationFiles } from '../../files/list.ts'
import { createFilePatterns, displayPath } from '../../files/patterns.ts'
import { readTranslationFile } from '../../files/read.ts'

export interface TextsOf {
  readonly root: string
  readonly files: readonly FilePattern[]
  readonly defaultNamespace: string
  readonly keySeparator: string
}

/** One file, without those of customers. */
export interface FileTexts {
  readonly language: string
  readonly namespace: string
  readonly entries: ReadonlyMap<string, string>
  /** Relative to the root. */
  readonly file: string
}

export async function readTexts({ root, files, defaultNamespace, keySeparator }: TextsOf): Promise<FileTexts[]> {
  const patterns = createFilePatterns({ root, files, defaultNamespace })
  const list = await listTranslationFiles(patterns)
  const read = list.files
    .filter(({ customer }) => customer === undefined)
    .map(async ({ path, language, namespace, wrappers }): Promise<FileTexts> => {
      const content = await readTranslationFile(path, { keySeparator, wrappers })
      return { language, namespace, entries: content?.entries ?? new Map(), file: displayPath(root, path) }
    })
  return Promise.all(read)
}

export const hasNamespaces = (files: readonly FilePattern[]) =>
  files.some(({ pattern }) => pattern.includes('{namespace}'))

/** Languages with more plural forms have more keys, and no more texts. */
const FORM = /_(?:ordinal_)?(?:zero|one|two|few|many|other|plural)$/

/** The language with the most keys. Of several, English. `undefined`: there is no text. */
export function largestLanguage(texts: readonly FileTexts[]): string | undefined {
  const keys = new Map<string, Set<string>>()
  for (const { language, namespace, entries } of texts) {
    const own = keys.get(language) ?? new Set()
    keys.set(language, own)
    for (const key of entries.keys()) own.add(`${namespace}:${key.replace(FORM, '')}`)
  }
  const rank = (language: string) => (language === 'en' ? 0 : /^en[-_]/.test(language) ? 1 : 2)
  const [first] = [...keys].sort(
    ([a, one], [b, other]) => other.size - one.size || rank(a) - rank(b) || (a < b ? -1 : 1),
  )
  return first?.[0]
}
