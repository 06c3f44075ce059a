/** A file that is read at the first use of its content: a dev server starts without reading what no page requests. */
import type { LazyTexts, Messages } from '../catalog/model.ts'
import type { KnownFile } from './known-file.ts'
import type { TranslationFile } from './patterns.ts'

const NO_TEXTS: Messages = new Map()

export class UnreadFile implements KnownFile {
  readonly file: TranslationFile
  /** The texts as a catalog has them. A file with an error has none. */
  readonly lazy = this.#lazyTexts()
  readonly #read: () => KnownFile
  #content: KnownFile | undefined

  constructor(file: TranslationFile, read: () => KnownFile) {
    this.file = file
    this.#read = read
  }

  get isRead(): boolean {
    return this.#content !== undefined
  }

  get content(): KnownFile {
    this.#content ??= this.#read()
    return this.#content
  }

  get bytes() {
    return this.content.bytes
  }

  get texts() {
    return this.content.texts
  }

  get findings() {
    return this.content.findings
  }

  get isUnknown() {
    return this.content.isUnknown
  }

  #lazyTexts(): LazyTexts {
    const texts = () => this.content.texts
    return {
      get hash() {
        return texts()?.hash ?? ''
      },
      get count() {
        return texts()?.count ?? 0
      },
      get values() {
        return texts()?.values
      },
      messages: () => texts()?.messages() ?? NO_TEXTS,
      plain: () => texts()?.plain() ?? {},
    }
  }
}

/** Whether nothing has used the file's content yet. */
export function isUnread(known: KnownFile): known is UnreadFile {
  return known instanceof UnreadFile && !known.isRead
}
