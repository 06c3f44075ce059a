/**
 * One record for each text that is not simply equal on both sides. A text without a record is equal, as far as is
 * known.
 */
import { type TextRef, textId, textOrGap } from '../catalog/text-id.ts'
import type { FileIndex } from '../files/file-index.ts'
import type { BaseStore } from './base.ts'
import { ACTIONS, type TextState } from './decide.ts'

/**
 * Why a change of a file waits for a person: it stood when the server started, came with too many others, or with a git
 * branch.
 */
export type HoldReason = 'start' | 'batch' | 'switch'

export interface TextRecord {
  readonly id: string
  readonly ref: TextRef
  state: TextState
  /** The three values that the state was decided with; `undefined`: no text. */
  base: string | undefined
  ours: string | undefined
  theirs: string | undefined
  /** When the service's text was modified, in milliseconds since 1970, as far as the service says. */
  modifiedAt: number | undefined
  /** The file's change is not sent before a person releases it. */
  hold: HoldReason | undefined
  /** A held text that has left its file: coming back makes no new edit of it. */
  heldBefore: { readonly text: string; readonly reason: HoldReason } | undefined
  /** The service's text, where the page shows it instead of the file's. */
  shown: string | undefined
  /** The value of the counter when this text was last sent or agreed on; `UNDER_WAY` while a request sets it. */
  touched: number
}

export const UNDER_WAY = 0x3fffffff

/** A text that differs in its file and is not sent before a person says so. */
export interface HeldText extends TextRecord {
  hold: HoldReason
  ours: string
}

export interface ServiceText {
  readonly ref: TextRef
  readonly text: string
}

export class RecordTable {
  protected readonly records = new Map<string, TextRecord>()
  protected readonly files: FileIndex
  protected readonly base: BaseStore
  /** Until files change. */
  #languagesOf: Map<string, readonly string[]> | undefined

  constructor(files: FileIndex, base: BaseStore) {
    this.files = files
    this.base = base
  }

  get(id: string): TextRecord | undefined {
    return this.records.get(id)
  }

  /** Every text that differs, with its state. */
  differences(): Iterable<TextRecord> {
    return this.#those(({ state }) => state !== 'equal')
  }

  holds(): Iterable<HeldText> {
    return this.#those(({ hold }) => hold !== undefined) as Iterable<HeldText>
  }

  conflicts(): Iterable<TextRecord> {
    return this.#those(({ state }) => state === 'conflict')
  }

  /** Texts of the service that belong into files. */
  writable(): Iterable<TextRecord> {
    return this.#those(({ state }) => ACTIONS[state] === 'write')
  }

  /** Texts of the service that the page shows instead of the files'. */
  *shown(): Generator<ServiceText> {
    for (const { ref, shown } of this.records.values()) if (shown !== undefined) yield { ref, text: shown }
  }

  /** What the service has, as far as it was read. */
  theirs(id: string): string | undefined {
    const record = this.records.get(id)
    return textOrGap(record ? record.theirs : this.base.get(id))
  }

  /** Whether the service is known to have the key, from any language. */
  knowsKey(ref: TextRef): boolean {
    return this.languagesOf(ref).some(
      (language) => this.theirs(textId({ ...ref, language, customer: undefined })) !== undefined,
    )
  }

  /** Languages that have a file of the namespace. */
  protected languagesOf({ namespace }: TextRef): readonly string[] {
    if (!this.#languagesOf) {
      this.#languagesOf = new Map()
      for (const part of this.files.parts()) {
        if (part.customer !== undefined) continue
        this.#languagesOf.set(part.namespace, [...(this.#languagesOf.get(part.namespace) ?? []), part.language])
      }
    }
    return this.#languagesOf.get(namespace) ?? []
  }

  protected filesChanged(): void {
    this.#languagesOf = undefined
  }

  protected record(id: string, ref: TextRef): TextRecord {
    const known = this.records.get(id)
    if (known) return known
    const base = this.base.get(id)
    const record: TextRecord = {
      id,
      ref,
      state: 'equal',
      base,
      ours: base,
      theirs: base,
      modifiedAt: undefined,
      hold: undefined,
      heldBefore: undefined,
      shown: undefined,
      touched: 0,
    }
    this.records.set(id, record)
    return record
  }

  *#those(test: (record: TextRecord) => boolean): Generator<TextRecord> {
    for (const record of this.records.values()) if (test(record)) yield record
  }
}
