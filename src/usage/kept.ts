/** Names and globs of the configuration: the keys that `keep` names, and the files that `ignoreIn` names. */
import picomatch from 'picomatch'
import type { ReasonOf, UseReason } from './model.ts'

/** Patterns by their literal beginning: a name is compared only with the patterns that begin like it. */
export class PatternIndex<T> {
  readonly #byStart = new Map<string, { readonly matches: (name: string) => boolean; readonly value: T }[]>()
  readonly #lengths = new Set<number>()

  /** @param start every name that matches begins with this text */
  add(start: string, matches: (name: string) => boolean, value: T): void {
    const patterns = this.#byStart.get(start) ?? []
    this.#byStart.set(start, patterns)
    patterns.push({ matches, value })
    this.#lengths.add(start.length)
  }

  find(name: string): T | undefined {
    for (const length of this.#lengths) {
      const patterns = length <= name.length ? this.#byStart.get(name.slice(0, length)) : undefined
      const found = patterns?.find(({ matches }) => matches(name))
      if (found) return found.value
    }
    return undefined
  }
}

/** Finds the pattern of `keep` that names a key. Each key is compared once, however many languages ask for it. */
export function keepFilter(patterns: readonly string[] = []): ReasonOf {
  const names = new Set(patterns)
  const globs = new PatternIndex<string>()
  for (const name of names) if (/[^\p{L}\p{N}\s.,:;_/-]/u.test(name)) globs.add(startOf(name), matcherOf(name), name)
  const judge = (namespace: string, key: string): UseReason | undefined => {
    const name = [key, `${namespace}:${key}`].map((each) => (names.has(each) ? each : globs.find(each)))
    const found = name.find((each) => each !== undefined)
    return found === undefined ? undefined : { kind: 'keep', name: found }
  }
  const judged = new Map<string, Map<string, UseReason | undefined>>()
  return (namespace, key) => {
    const known = judged.get(namespace) ?? new Map<string, UseReason | undefined>()
    judged.set(namespace, known)
    if (!known.has(key)) known.set(key, judge(namespace, key))
    return known.get(key)
  }
}

/** Compiles a glob when a key first needs it. */
function matcherOf(glob: string): (key: string) => boolean {
  let matches: ((key: string) => boolean) | undefined
  return (key) => {
    matches ??= picomatch(glob, { dot: true, bash: true })
    return matches(key)
  }
}

/** The text before the first `*` or `?`. Other signs may be alternatives, also to what is before them. */
function startOf(glob: string): string {
  return /^[\p{L}\p{N}\s.,:;_*?-]+$/u.test(glob) ? (/^[^*?]*/.exec(glob)?.[0] ?? '') : ''
}

export function fileFilter(patterns: readonly string[] = []): (file: string) => boolean {
  const matches = patterns.map((pattern) => picomatch(pattern.replace(/^\.\//, ''), { dot: true }))
  return (file) => {
    const path = file.replaceAll('\\', '/').replace(/[?#].*$/, '')
    const ends = [path, ...[...path.matchAll(/\//g)].map(({ index }) => path.slice(index + 1))]
    return matches.some((match) => ends.some((end) => match(end)))
  }
}
