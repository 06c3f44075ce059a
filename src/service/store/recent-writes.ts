/**
 * The recent writes of this process. They are for results that remain valid, and for long reads that began before the
 * writes.
 */

/** The writes of a transaction to one project, and the project's versions after it. */
export interface ProjectWrite {
  readonly projectId: number
  readonly version: number
  readonly rowsVersion: number
  /** The namespaces with written texts; `undefined` means all namespaces. */
  readonly namespaces: ReadonlySet<string> | undefined
  /** Namespaces in which a key or a text was added or removed. */
  readonly rowNamespaces: ReadonlySet<string>
}

const MAX_WRITES = 2000

/** The changed namespaces. Results for all others remain valid. */
export class WrittenNamespaces {
  private readonly byVersion = new Map<string, ReadonlySet<string> | undefined>()

  /** Notes the writes of a transaction. Must be called after the commit. */
  add({ projectId, version, rowsVersion, namespaces, rowNamespaces }: ProjectWrite): void {
    this.byVersion.set(`version ${projectId} ${version}`, namespaces)
    if (rowNamespaces.size > 0) this.byVersion.set(`rowsVersion ${projectId} ${rowsVersion}`, rowNamespaces)
    for (const [oldest] of this.byVersion) {
      if (this.byVersion.size <= MAX_WRITES) break
      this.byVersion.delete(oldest)
    }
  }

  /**
   * The namespaces that changed after version `from`, up to version `to`; `undefined` if they are unknown, or if all
   * may have changed.
   */
  between(
    projectId: number,
    counter: 'version' | 'rowsVersion',
    from: number,
    to: number,
  ): ReadonlySet<string> | undefined {
    const changed = new Set<string>()
    for (let version = from + 1; version <= to; version++) {
      // These are unknown, because another process on the same database wrote this version.
      const namespaces = this.byVersion.get(`${counter} ${projectId} ${version}`)
      if (!namespaces) return undefined
      for (const namespace of namespaces) changed.add(namespace)
    }
    return changed
  }
}

/** Customer `''`: none. */
export interface TextName {
  readonly namespace: string
  readonly key: string
  readonly language: string
  readonly customer: string
}

/**
 * Replaced texts that a long read still needs. SQLite on one connection cannot read an older state of the data, so a
 * write beside a long read first stores the old text here.
 */
export class EarlierTexts {
  private readonly texts = new Map<string, string | undefined>()

  /** Stores a text before it is overwritten; `undefined` if the text did not exist. */
  keep(projectId: number, row: TextName, text: string | undefined): void {
    const name = nameOf(projectId, row)
    if (!this.texts.has(name)) this.texts.set(name, text)
  }

  /**
   * The rows with the texts from before the writes. With `fillsGaps`, texts that did not exist become empty instead of
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
