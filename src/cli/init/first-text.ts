/** The first text that the page shows: of the files that are there, or of a first file. */
import { createFilePatterns, displayPath } from '../../files/patterns.ts'
import { NOTHING_PLANNED, type Planned } from './change.ts'
import { type FileTexts, hasNamespaces, type TextsOf } from './texts.ts'

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
