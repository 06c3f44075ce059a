/** The first text that the page shows: of the files that are there, or of a first file. */
import type { FilePattern } from '../../config/types.ts'
import { listTranslationFiles } from '../../files/list.ts'
import { createFilePatterns, displayPath } from '../../files/patterns.ts'
import { readTranslationFile } from '../../files/read.ts'
import { NOTHING_PLANNED, type Planned } from './change.ts'

export interface FirstText {
  readonly language: string
  readonly namespace: string
  readonly key: string
  readonly text: string
  /** Relative to the root. */
  readonly file: string
}

export interface TextsOf {
  readonly root: string
  readonly files: readonly FilePattern[]
  readonly defaultLanguage: string
  readonly defaultNamespace: string
  readonly keySeparator: string
}

const PLACEHOLDER = /[{}<>%$|]/

/** Of the default language. A text without a placeholder comes before the others. `undefined`: there is none. */
export async function findFirstText({
  root,
  files,
  defaultLanguage,
  defaultNamespace,
  keySeparator,
}: TextsOf): Promise<FirstText | undefined> {
  const patterns = createFilePatterns({ root, files, defaultNamespace })
  const list = await listTranslationFiles(patterns)
  const own = list.files.filter(({ language, customer }) => language === defaultLanguage && customer === undefined)
  let fallback: FirstText | undefined
  for (const { path, namespace, wrappers } of own) {
    const content = await readTranslationFile(path, { keySeparator, wrappers })
    for (const [key, text] of content?.entries ?? []) {
      if (text.trim() === '') continue
      const found = { language: defaultLanguage, namespace, key, text, file: displayPath(root, path) }
      if (!PLACEHOLDER.test(text)) return found
      fallback ??= found
    }
  }
  return fallback
}

const FIRST = { key: 'title', text: 'Welcome' } as const

/** Plans a file with one text, by the first pattern that covers the default language. */
export function planFirstText(given: TextsOf): { readonly plan: Planned; readonly first: FirstText | undefined } {
  const { root, files, defaultLanguage: language, defaultNamespace } = given
  const patterns = createFilePatterns({ root, files, defaultNamespace })
  const hasNamespaces = files[0]?.pattern.includes('{namespace}') ?? false
  const namespace = hasNamespaces ? 'common' : defaultNamespace
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
