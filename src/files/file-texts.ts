/** The texts of one file, parsed on demand: a large catalog does not fit into memory as strings. */
import type { LazyTexts, Messages, PlainTexts } from '../catalog/model.ts'
import type { Diagnostic } from '../errors.ts'
import { contentHash } from '../shared/hash.ts'
import { weakMemo } from '../shared/weak-memo.ts'
import { type ParseOptions, parseTranslationText } from './read.ts'

export interface FileTexts extends LazyTexts {
  messages(): Messages
}

export interface FileContent {
  /** `undefined`: the file has an error. */
  readonly texts: FileTexts | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * @param file the file's name in diagnostics, whose ending selects the format
 * @param count the number of texts, empty ones excluded; not given: the full parser counts them
 */
export function readContent(bytes: Buffer, keySeparator: string, file: string, count?: number): FileContent {
  if (count !== undefined) return { texts: createFileTexts(bytes, { keySeparator, file }, count), diagnostics: [] }
  const { ok, entries, diagnostics } = parseTranslationText(bytes, { keySeparator, file })
  if (!ok) return { texts: undefined, diagnostics }
  const present = [...entries.values()].filter((text) => text !== '')
  return { texts: createFileTexts(bytes, { keySeparator, file }, present.length, entries), diagnostics }
}

function createFileTexts(bytes: Buffer, options: ParseOptions, count: number, first?: Messages): FileTexts {
  const messages = weakMemo(() => parseTranslationText(bytes, options).entries, first)
  let hash: string | undefined
  return {
    count,
    messages,
    plain: weakMemo((): PlainTexts => Object.fromEntries(messages())),
    // Computed after the first change: a dev server starts sooner.
    get hash() {
      hash ??= contentHash(bytes)
      return hash
    },
  }
}
