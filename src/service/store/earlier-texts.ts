/**
 * Replaced texts that a long read still needs. SQLite on one connection cannot read an older state of the data, so a
 * write beside a long read first stores the old text here.
 */

/** Customer `''`: none. */
export interface TextName {
  readonly namespace: string
  readonly key: string
  readonly language: string
  readonly customer: string
}

export class EarlierTexts {
  private readonly texts = new Map<string, string | undefined>()

  /** Stores a text before it is overwritten. `undefined`: the text did not exist. */
  keep(projectId: number, row: TextName, text: string | undefined): void {
    const name = nameOf(projectId, row)
    if (!this.texts.has(name)) this.texts.set(name, text)
  }

  /**
   * The rows with the texts from before the writes. `fillsGaps`: texts that did not exist become empty instead of
   * absent.
   */
  inPlaceOf<T extends TextName & { readonly text: string }>(projectId: number, rows: T[], fillsGaps: boolean): T[] {
    if (this.texts.size === 0) return rows
    return rows.flatMap((row) => {
      const name = nameOf(projectId, row)
      if (!this.texts.has(name)) return row
      const text = this.texts.get(name) ?? (fillsGaps ? '' : undefined)
      return text === undefined ? [] : { ...row, text }
    })
  }
}

/** NUL separates the parts, because names cannot contain it. */
export function nameOf(projectId: number, { namespace, key, language, customer }: TextName): string {
  return `${projectId}\0${namespace}\0${key}\0${language}\0${customer}`
}
