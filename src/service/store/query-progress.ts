/** The number of texts that a query finds in each namespace, and the start of its pages. */

/** The last row of a returned page. */
export interface RowName {
  readonly key: string
  readonly language: string
}

interface Mark {
  /** Rows of the namespace up to and including this one. */
  readonly position: number
  readonly row: RowName
}

interface Part {
  readonly namespace: string
  readonly total: number
  /** By position. */
  readonly marks: Mark[]
}

export interface CountedNamespace {
  readonly namespace: string
  readonly n: number
}

interface PageStart {
  readonly namespace: string
  /** The page starts after this row, or with the namespace. */
  readonly after: RowName | undefined
  /** Rows to skip first. */
  readonly skip: number
  /** Call it with the last row of a full page. */
  keepEnd(namespace: string, row: RowName): void
}

/** Valid for one version of the data behind the query. The next version reuses the namespaces that did not change. */
export class QueryProgress {
  readonly total: number

  private constructor(
    readonly version: number,
    private readonly parts: readonly Part[],
  ) {
    this.total = parts.reduce((sum, { total }) => sum + total, 0)
  }

  /** `counted`: in the database's order. */
  static of(version: number, counted: readonly CountedNamespace[]): QueryProgress {
    return new QueryProgress(
      version,
      counted.map(({ namespace, n }) => ({ namespace, total: n, marks: [] })),
    )
  }

  with(version: number, counted: readonly CountedNamespace[]): QueryProgress {
    const changed = new Set(counted.map(({ namespace }) => namespace))
    const parts: Part[] = this.parts.filter(({ namespace }) => !changed.has(namespace))
    for (const { namespace, n } of counted) if (n > 0) parts.push({ namespace, total: n, marks: [] })
    // By UTF-8 bytes, as the databases order texts.
    parts.sort((a, b) => Buffer.compare(Buffer.from(a.namespace), Buffer.from(b.namespace)))
    return new QueryProgress(version, parts)
  }

  get markCount(): number {
    return this.parts.reduce((sum, { marks }) => sum + marks.length, 0)
  }

  /** The start of the page of `size` rows after `offset` rows. */
  startOf(offset: number, size: number): PageStart | undefined {
    let rest = offset
    for (const { namespace, total, marks } of this.parts) {
      if (rest >= total) {
        rest -= total
        continue
      }
      const position = rest
      const mark = marks[countUpTo(marks, position) - 1]
      return {
        namespace,
        after: mark?.row,
        skip: position - (mark?.position ?? 0),
        // Not across namespaces: a write between count and page may have moved the end of the namespace.
        keepEnd(last, row) {
          if (last === namespace) insert(marks, { position: position + size, row })
        },
      }
    }
    return undefined
  }
}

/** The number of marks up to `position`. */
function countUpTo(marks: readonly Mark[], position: number): number {
  let [low, high] = [0, marks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((marks[middle]?.position ?? 0) <= position) low = middle + 1
    else high = middle
  }
  return low
}

function insert(marks: Mark[], mark: Mark): void {
  const at = countUpTo(marks, mark.position)
  if (marks[at - 1]?.position !== mark.position) marks.splice(at, 0, mark)
}
