/** Keys as they were before this process's recent writes, for long reads that must not see the writes. */

import { countWhile } from './driver.ts'

export interface KeyName {
  readonly namespace: string
  readonly key: string
}

/** An empty customer means no customer. */
export interface TextName extends KeyName {
  readonly language: string
  readonly customer: string
}

/** A key as it was before a write. */
export interface EarlierKey extends KeyName {
  /** False if the write creates the key. */
  readonly exists: boolean
  /** A JSON array. */
  readonly tags: string
  /** Ordered by language and customer. */
  readonly texts: readonly { readonly language: string; readonly customer: string; readonly text: string }[]
}

/**
 * The earlier state of written keys, for a long read that still needs it. On a single connection, SQLite cannot read an
 * older snapshot, so a write during a long read first saves its keys here.
 */
export class EarlierKeys {
  /** By project. Keys are in the order in which long reads read them. */
  private readonly byProject = new Map<number, EarlierKey[]>()

  has(projectId: number, name: KeyName): boolean {
    const keys = this.byProject.get(projectId) ?? []
    const found = keys[countBefore(keys, name)]
    return found !== undefined && compareKeys(found, name) === 0
  }

  /** Saves a key before it is written for the first time. */
  keep(projectId: number, key: EarlierKey): void {
    const keys = this.byProject.get(projectId) ?? []
    keys.splice(countBefore(keys, key), 0, key)
    this.byProject.set(projectId, keys)
  }

  /**
   * Yields rows as they were before the writes. `batches` are ordered by namespace and key. `rowsOf` returns the rows
   * of one key.
   */
  async *inPlaceOf<T extends KeyName>(
    projectId: number,
    batches: AsyncIterable<readonly T[]>,
    rowsOf: (key: EarlierKey) => readonly T[],
  ): AsyncGenerator<readonly T[]> {
    let after: KeyName | undefined
    // The rows of the last key are held back: the next batch may contain more of them, and a write may happen before
    // it is read.
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

  /**
   * Replaces rows of written keys with the rows before the write. Considers written keys that follow `after`, up to the
   * last key in `rows`, or all of them if `toEnd` is set.
   */
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

/** The number of keys before `name`, or up to it if `including`. `keys` must be sorted. */
function countBefore(keys: readonly KeyName[], name: KeyName, including = false): number {
  return countWhile(keys, (key) => compareKeys(key, name) < (including ? 1 : 0))
}

/** Compares keys by UTF-8 bytes, as the databases do. */
function compareKeys(a: KeyName, b: KeyName): number {
  const [left, right] = a.namespace === b.namespace ? [a.key, b.key] : [a.namespace, b.namespace]
  return left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right))
}

function isSameKey(a: KeyName, b: KeyName): boolean {
  return a.key === b.key && a.namespace === b.namespace
}
