/** The texts of the project's files, and the first text that the page shows. */
import type { FilePattern } from '../../config/types.ts'
import { listTranslationFiles } from '../../files/list.ts'
import { createFilePatterns } from '../../files/patterns.ts'
import { readTranslationFile } from '../../files/read.ts'
import { displayPath } from '../../shared/paths.ts'
import { NOTHING_PLANNED, type Planned } from './changes.ts'

export interface TextsOf {
  readonly root: string
  readonly files: readonly FilePattern[]
  readonly defaultNamespace: string
  readonly keySeparator: string
}

/** One file that is not a customer's. */
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

export interface FirstText {
  readonly language: string
  readonly namespace: string
  readonly key: string
  readonly text: string
  /** Relative to the root. */
  readonly file: string
}

const PLACEHOLDER = /[{}<>%$|]/

/** A text without a placeholder comes before the others. `undefined`: there is none. */
export function findFirstText(texts: readonly FileTexts[]): FirstText | undefined {
  let fallback: FirstText | undefined
  for (const { entries, ...place } of texts) {
    for (const [key, text] of entries) {
      if (text.trim() === '') continue
      const found = { ...place, key, text }
      if (!PLACEHOLDER.test(text)) return found
      fallback ??= found
    }
  }
  return fallback
}

const FIRST = { key: 'title', text: 'Welcome' } as const

/** Plans a file with one text, by the first pattern that covers the default language. */
export function planFirstText(given: TextsOf & { readonly defaultLanguage: string }): {
  readonly plan: Planned
  readonly first: FirstText | undefined
} {
  const { root, files, defaultLanguage: language, defaultNamespace } = given
  const patterns = createFilePatterns({ root, files, defaultNamespace })
  const namespace = hasNamespaces(files.slice(0, 1)) ? 'common' : defaultNamespace
  const path = patterns.pathOf({ language, namespace, customer: undefined })
  if (path === undefined) return { plan: NOTHING_PLANNED, first: undefined }
  const file = displayPath(root, path)
  const isYaml = /\.ya?ml$/.test(file)
  const after = isYaml ? `${FIRST.key}: ${FIRST.text}\n` : `${JSON.stringify({ [FIRST.key]: FIRST.text }, null, 2)}\n`
  return {
    plan: { ...NOTHING_PLANNED, changes: [{ path: file, before: undefined, after }] },
    first: { language, namespace, ...FIRST, file },
  }
}
