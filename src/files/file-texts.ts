/** The texts of one file, made of its bytes where somebody asks for them: a million texts need not stay in memory. */
import type { LazyTexts, Messages, PlainTexts } from '../catalog/model.ts'
import { remembered } from '../catalog/text-module.ts'
import type { Diagnostic } from '../errors.ts'
import { contentHash } from '../shared/hash.ts'
import { parseTranslationText } from './read.ts'
import { createTextWriter } from './text-writer.ts'

export interface FileTexts extends LazyTexts {
  messages(): Messages
}

export interface FileContent {
  /** `undefined`: something is wrong with the file. */
  readonly texts: FileTexts | undefined
  readonly findings: readonly Diagnostic[]
}

export interface ContentInput {
  readonly path: string
  readonly namespace: string
  /** The file's name as findings show it. */
  readonly name: string
  /** Kept with the texts. */
  readonly bytes: Buffer
}

export type ContentReader = (input: ContentInput) => FileContent

/** So many files keep their parsed texts: an edited one's are asked for by the page, by sync, and at the next edit. */
const MOST_PARSED = 8

/** The quick scanner says of most files that they are right; the careful reader says what is wrong with the others. */
export function createContentReader(keySeparator: string): ContentReader {
  const scanner = createTextWriter(keySeparator)
  const parsed = new Map<string, Messages>()

  const keep = (path: string, messages: Messages): void => {
    parsed.delete(path)
    parsed.set(path, messages)
    for (const oldest of parsed.keys()) {
      if (parsed.size <= MOST_PARSED) break
      parsed.delete(oldest)
    }
  }

  const textsOf = ({ path, bytes }: ContentInput, count: number, first?: Messages): FileTexts => {
    let made = first && new WeakRef(first)
    const messages = (): Messages => {
      const known = made?.deref()
      if (known) return known
      const { entries } = parseTranslationText(bytes, { keySeparator })
      made = new WeakRef(entries)
      keep(path, entries)
      return entries
    }
    let hash: string | undefined
    return {
      count,
      messages,
      plain: remembered((): PlainTexts => Object.fromEntries(messages())),
      // Asked for when something has changed: a dev server starts sooner without.
      get hash() {
        hash ??= contentHash(bytes)
        return hash
      },
    }
  }

  return (input) => {
    const { namespace, bytes, name, path } = input
    const known = scanner.count(namespace, bytes)
    if (known !== undefined) return { texts: textsOf(input, known), findings: [] }
    const { ok, entries, diagnostics } = parseTranslationText(bytes, { keySeparator, file: name })
    if (!ok) return { texts: undefined, findings: diagnostics }
    let count = 0
    for (const text of entries.values()) if (text !== '') count++
    keep(path, entries)
    return { texts: textsOf(input, count, entries), findings: diagnostics }
  }
}
