/** Caches the result of `make` in a WeakRef, and calls `make` again only after all callers have released the result. */
export function weakMemo<T extends object>(make: () => T, first?: T): () => T {
  let cached = first && new WeakRef(first)
  return () => {
    const known = cached?.deref()
    if (known) return known
    const made = make()
    cached = new WeakRef(made)
    return made
  }
}
