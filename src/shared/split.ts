/** Those that pass the test, and the others. */
export function split<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  const passing: T[] = []
  const others: T[] = []
  for (const item of items) (test(item) ? passing : others).push(item)
  return [passing, others]
}
