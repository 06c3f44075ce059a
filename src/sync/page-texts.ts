/**
 * The service's texts that the page shows instead of the files' texts, and the service's texts that have changed since
 * the first reading.
 */
import type { TextRef } from '../catalog/text-id.ts'

export interface ServiceText {
  readonly ref: TextRef
  readonly text: string
}

export class PageTexts {
  readonly #shown = new Map<string, ServiceText>()
  #changes = new Map<string, TextRef>()
  readonly #changedThere = new Map<string, TextRef>()

  shown(): Iterable<ServiceText> {
    return this.#shown.values()
  }

  shows(ref: TextRef, id: string, text: string | undefined): void {
    if (this.#shown.get(id)?.text === text) return
    if (text === undefined) this.#shown.delete(id)
    else this.#shown.set(id, { ref, text })
    this.#changes.set(id, ref)
  }

  isShown(id: string): boolean {
    return this.#shown.has(id)
  }

  /**
   * Records that the service's text differs from the first reading. If `isGap` is true, the page shows the service's
   * text because the file has none.
   */
  noteChange(ref: TextRef, id: string, isGap: boolean): void {
    this.#changedThere.set(id, ref)
    if (isGap) this.#changes.set(id, ref)
  }

  changedThere(): Iterable<readonly [id: string, ref: TextRef]> {
    return this.#changedThere
  }

  /** Returns the texts whose display on the page has changed since the last call. */
  takeChanges(): ReadonlyMap<string, TextRef> {
    const changes = this.#changes
    this.#changes = new Map()
    return changes
  }
}
