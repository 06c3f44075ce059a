/** The namespaces that the latest writes of this process changed: results for all others remain valid. */

/** The writes of a transaction to one project, and the project's versions after it. */
export interface ProjectWrite {
  readonly projectId: number
  readonly version: number
  readonly rowsVersion: number
  /** Namespaces with written texts. `undefined`: all. */
  readonly namespaces: ReadonlySet<string> | undefined
  /** Namespaces in which a key or a text was added or removed. */
  readonly rowNamespaces: ReadonlySet<string>
}

const MAX_WRITES = 2000

export class WrittenNamespaces {
  private readonly byVersion = new Map<string, ReadonlySet<string> | undefined>()

  /** Call it after the commit. */
  add({ projectId, version, rowsVersion, namespaces, rowNamespaces }: ProjectWrite): void {
    this.byVersion.set(`version ${projectId} ${version}`, namespaces)
    if (rowNamespaces.size > 0) this.byVersion.set(`rowsVersion ${projectId} ${rowsVersion}`, rowNamespaces)
    for (const [oldest] of this.byVersion) {
      if (this.byVersion.size <= MAX_WRITES) break
      this.byVersion.delete(oldest)
    }
  }

  /** Namespaces that changed after version `from`, up to version `to`. `undefined`: unknown, or all. */
  between(
    projectId: number,
    counter: 'version' | 'rowsVersion',
    from: number,
    to: number,
  ): ReadonlySet<string> | undefined {
    const changed = new Set<string>()
    for (let version = from + 1; version <= to; version++) {
      // Unknown: another process on the same database wrote this version.
      const namespaces = this.byVersion.get(`${counter} ${projectId} ${version}`)
      if (!namespaces) return undefined
      for (const namespace of namespaces) changed.add(namespace)
    }
    return changed
  }
}
