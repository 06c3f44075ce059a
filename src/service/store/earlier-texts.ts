/**
 * The texts that a long read has to see, of those that have been written since it began. The store of one connection
 * has no older state of the data: whoever writes a text beside a long read leaves here what it was.
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

  /** Before a text is written. `undefined`: there is none. */
  keep(projectId: number, row: TextName, text: string | undefined): void {
    const name = nameOf(projectId, row)
    if (!this.texts.has(name)) this.texts.set(name, text)
  }

  /** The rows of the read as they were. `fillsGaps`: where there was no text, the read has an empty one. */
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

/** No name has NUL. */
export function nameOf(projectId: number, { namespace, key, language, customer }: TextName): string {
  return `${projectId}\0${namespace}\0${key}\0${language}\0${customer}`
}
