/** The texts of one file, parsed on demand: a large catalog does not fit into memory as strings. */
import type { LazyTexts, Messages, PlainTexts } from '../catalog/model.ts'
import type { Values } from '../catalog/values.ts'
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

/** @param count the number of texts, empty ones excluded; not given: the full parser counts them */
export function readContent(bytes: Buffer, options: ParseOptions, count?: number): FileContent {
  if (count !== undefined) return { texts: createFileTexts(bytes, options, count), diagnostics: [] }
  const parsed = parseTranslationText(bytes, options)
  const { ok, entries, diagnostics } = parsed
  if (!ok) return { texts: undefined, diagnostics }
  const present = [...entries.values()].filter((text) => text !== '')
  return { texts: createFileTexts(bytes, options, present.length, parsed), diagnostics }
}

function createFileTexts(
  bytes: Buffer,
  options: ParseOptions,
  count: number,
  first?: { readonly entries: Messages; readonly values: Values | undefined },
): FileTexts {
  const messages = weakMemo(() => parseTranslationText(bytes, options).entries, first?.entries)
  let hash: string | undefined
  return {
    count,
    messages,
    values: first?.values,
    plain: weakMemo((): PlainTexts => Object.fromEntries(messages())),
    // Computed after the first change: a dev server starts sooner.
    get hash() {
      hash ??= contentHash(bytes)
      return hash
    },
  }
}
