/**
 * Decides for each module whether a page needs its keys at the start, or whether they are loaded later, with a chunk.
 */

/** A code file in a bundler's output. The chunks that it imports run first. */
export interface CodeChunk {
  readonly name: string
  /** The module that the chunk was created for, used in messages. Default: the name. */
  readonly label?: string
  readonly modules: readonly string[]
  /** Names of the chunks that are loaded with this one. */
  readonly imports: readonly string[]
  /** Names of the chunks that this one may load at run time. */
  readonly dynamicImports: readonly string[]
  /** True if a page may start with this chunk. */
  readonly isEntry: boolean
}

export interface PartPlan {
  /** The modules whose keys a page has when it starts. */
  readonly base: ReadonlySet<string>
  /** For each chunk that is loaded at run time, by name: its modules that are not in `base`. */
  readonly lazy: ReadonlyMap<string, ReadonlySet<string>>
}

/** Code that a page loads together, for an entry or an `import()`. */
export interface CodeLoad {
  /** The module that is loaded, used in messages. */
  readonly label: string
  readonly isEntry: boolean
  /** Names of the chunks that run with this load. */
  readonly chunks: readonly string[]
  /** Names of the chunks whose own messages are fetched with this load. */
  readonly bringing: readonly string[]
}

export interface CodePlan {
  readonly chunks: readonly CodeChunk[]
  /** Default: the result of `planLoads`. */
  readonly loads?: readonly CodeLoad[] | undefined
}

/** Returns a load for each entry, and for each chunk that an `import()` loads. */
export function planLoads(given: Iterable<CodeChunk>): CodeLoad[] {
  const chunks = new Map([...given].map((chunk) => [chunk.name, chunk]))
  const all = [...chunks.values()]
  const lazyNames = new Set(all.flatMap(({ dynamicImports }) => dynamicImports))
  const loadOf = ({ name, label = name, isEntry }: CodeChunk): CodeLoad => {
    return { label, isEntry, chunks: [...withImports(chunks, [name])], bringing: [name] }
  }
  const lazy = all.filter(({ name, isEntry }) => !isEntry && lazyNames.has(name))
  return [...all.filter(({ isEntry }) => isEntry), ...lazy].map(loadOf)
}

/**
 * Plans what is loaded when. A chunk that no other chunk loads counts as loaded at the start, because it is unknown how
 * it is loaded.
 */
export function planParts(given: Iterable<CodeChunk>): PartPlan {
  const chunks = new Map([...given].map((chunk) => [chunk.name, chunk]))
  const modulesOf = (names: Iterable<string>) => [...names].flatMap((name) => chunks.get(name)?.modules ?? [])
  const loads = planLoads(chunks.values())
  const seen = new Set(loads.flatMap((load) => load.chunks))
  const starts = [...chunks.values()].filter(({ name, isEntry }) => isEntry || !seen.has(name))
  const first = withImports(
    chunks,
    starts.map(({ name }) => name),
  )
  const base = new Set(modulesOf(first))
  const lazy = new Map<string, ReadonlySet<string>>()
  for (const load of loads)
    for (const name of load.bringing)
      if (!first.has(name)) lazy.set(name, new Set(modulesOf(load.chunks).filter((module) => !base.has(module))))
  return { base, lazy }
}

/** The chunks and everything that they import. */
function withImports(chunks: ReadonlyMap<string, CodeChunk>, names: Iterable<string>): Set<string> {
  const found = new Set<string>()
  const pending = [...names]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const chunk = chunks.get(name)
    if (!chunk || found.has(name)) continue
    found.add(name)
    pending.push(...chunk.imports)
  }
  return found
}
