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

export interface KeyName {
  readonly namespace: string
  readonly key: string
}

/** Customer `''`: none. */
export interface TextName extends KeyName {
  readonly language: string
  readonly customer: string
}

/** A key as it was before a write. */
export interface EarlierKey extends KeyName {
  /** False for a key that the write creates. */
  readonly exists: boolean
  /** The tags, as a JSON array. */
  readonly tags: string
  /** By language and customer. */
  readonly texts: readonly { readonly language: string; readonly customer: string; readonly text: string }[]
}

/**
 * The written keys, as a long read still needs them. SQLite on one connection cannot read an older state of the data,
 * so a write beside a long read first stores here what its keys were.
 */
export class EarlierKeys {
  /** In the order of long reads, by project. */
  private readonly byProject = new Map<number, EarlierKey[]>()

  has(projectId: number, name: KeyName): boolean {
    const keys = this.byProject.get(projectId) ?? []
    const found = keys[countBefore(keys, name)]
    return found !== undefined && compareKeys(found, name) === 0
  }

  /** Stores a key before it is written for the first time. */
  keep(projectId: number, key: EarlierKey): void {
    const keys = this.byProject.get(projectId) ?? []
    keys.splice(countBefore(keys, key), 0, key)
    this.byProject.set(projectId, keys)
  }

  /** The rows of all keys from before the writes. `batches`: by namespace and key. `rowsOf`: the rows of one key. */
  async *inPlaceOf<T extends KeyName>(
    projectId: number,
    batches: AsyncIterable<readonly T[]>,
    rowsOf: (key: EarlierKey) => readonly T[],
  ): AsyncGenerator<readonly T[]> {
    let after: KeyName | undefined
    // The next batch may continue the last key, and a write may come in between.
    let open: readonly T[] = []
    for await (const batch of batches) {
      const rows = open.length === 0 ? batch : [...open, ...batch]
      const last = rows.at(-1) as T
      const end = rows.findLastIndex((row) => !isSameKey(row, last)) + 1
      open = rows.slice(end)
      if (end === 0) continue
      yield this.between(projectId, after, rows.slice(0, end), rowsOf)
      after = rows[end - 1]
    }
    const rest = this.between(projectId, after, open, rowsOf, true)
    if (rest.length > 0) yield rest
  }

  /** The rows of the keys behind `after`, up to the last one of `rows`, or to the end. */
  private between<T extends KeyName>(
    projectId: number,
    after: KeyName | undefined,
    rows: readonly T[],
    rowsOf: (key: EarlierKey) => readonly T[],
    toEnd = false,
  ): readonly T[] {
    const keys = this.byProject.get(projectId) ?? []
    const written = keys.slice(
      after ? countBefore(keys, after, true) : 0,
      toEnd ? undefined : countBefore(keys, rows.at(-1) as T, true),
    )
    if (written.length === 0) return rows
    const unchanged = rows.filter((row) => !written.some((key) => isSameKey(key, row)))
    return [...unchanged, ...written.flatMap(rowsOf)].sort(compareKeys)
  }
}

/** The number of keys before the named one, `including` it. `keys` are in order. */
function countBefore(keys: readonly KeyName[], name: KeyName, including = false): number {
  let [from, to] = [0, keys.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const order = compareKeys(keys[middle] as KeyName, name)
    if (order < 0 || (including && order === 0)) from = middle + 1
    else to = middle
  }
  return from
}

/** The order of the databases: by the bytes of UTF-8. */
function compareKeys(a: KeyName, b: KeyName): number {
  const [left, right] = a.namespace === b.namespace ? [a.key, b.key] : [a.namespace, b.namespace]
  return left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right))
}

function isSameKey(a: KeyName, b: KeyName): boolean {
  return a.key === b.key && a.namespace === b.namespace
}
