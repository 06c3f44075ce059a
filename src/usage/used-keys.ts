/** Decides which keys of a catalog the modules of an app use. If something is uncertain, more keys count as used. */
import picomatch from 'picomatch'
import { resolveUnknown } from './cross-module.ts'
import { KeyMatcher, type KeyMatcherOptions } from './key-matcher.ts'
import type { KeyUse, LibrarySetup, ModuleUsage, UnknownUse, UsePlace } from './model.ts'
import { joinSetups } from './setup.ts'

export interface UsedKeysSettings {
  /** The name of the namespace that calls without one look in. */
  readonly defaultNamespace: string
  /** Every namespace of the catalog. */
  readonly namespaces: readonly string[]
  /** What joins the segments of a key. Default `.`. */
  readonly keySeparator?: string
  /** Whether `namespace.key` names a key in libraries without namespaces. Default true. */
  readonly namespacePrefix?: boolean
  /** Keys that always count as used: names or globs, of the key or of `namespace:key`. */
  readonly keep?: readonly string[]
  /** `ignore`: a call with an unknown key keeps nothing. It is still reported. Default `keep`. */
  readonly onUnknown?: 'keep' | 'ignore'
  /** Files whose unknown calls keep nothing: names or globs, of the whole path or of any end of it. */
  readonly ignoreIn?: readonly string[]
}

interface SourcePlace extends UsePlace {
  readonly file: string
}

/** A call that keeps whole namespaces. */
interface UnknownCall extends SourcePlace {
  readonly code: string
  readonly reason: UnknownUse['reason']
  readonly namespaces: readonly string[]
  /** By the settings, the call keeps nothing. */
  readonly isIgnored: boolean
}

/** A key as the code asks for it. */
export interface AskedKey extends SourcePlace {
  /** As the code writes it, without a namespace in front. */
  readonly key: string
  /** The namespaces that may have it. */
  readonly namespaces: readonly string[]
  /** Other readings of the same call: `t('shop', 'title')` may be a namespace and a key. */
  readonly orElse: readonly AskedKey[]
}

export interface UsedKeys {
  isUsed(namespace: string, key: string): boolean
  /** In the order of the files. */
  readonly unknownCalls: readonly UnknownCall[]
  /** Whether every key of the namespace counts as used. */
  isWhole(namespace: string): boolean
  /** Every key that the code spells out, to compare with a catalog. */
  askedKeys(): readonly AskedKey[]
  /** The same with more keys, for example those that texts refer to. */
  with(keys: Iterable<readonly [namespace: string, key: string]>): UsedKeys
  /** The keys that some of the modules use. The other modules still tell what unknown uses mean. */
  within(isAmong: (file: string) => boolean): UsedKeys
}

type Modules = readonly (readonly [file: string, usage: ModuleUsage])[]

/** Joins the uses of all modules. The order of the modules has no influence on the keys that are used. */
export function createUsedKeys(modules: Iterable<Modules[number]>, settings: UsedKeysSettings): UsedKeys {
  return new AppUsage([...modules], settings).within(() => true)
}

class AppUsage {
  readonly #setup: LibrarySetup
  readonly #separators: KeyMatcherOptions
  readonly #unknown: ReturnType<typeof resolveUnknown>
  readonly #isIgnoredFile: (file: string) => boolean
  readonly #isKept: (namespace: string, key: string) => boolean

  constructor(
    private readonly modules: Modules,
    private readonly settings: UsedKeysSettings,
  ) {
    this.#setup = joinSetups(modules.map(([, { setup }]) => setup))
    this.#separators = {
      keySeparators: [...new Set([settings.keySeparator ?? '.', ...this.#setup.keySeparators])],
      nsSeparators: [...new Set([':', ...this.#setup.nsSeparators])],
      namespacePrefix: settings.namespacePrefix,
      formSeparators: ['_', ...this.#setup.formSeparators],
    }
    this.#unknown = resolveUnknown(modules)
    this.#isIgnoredFile = fileFilter(settings.ignoreIn)
    this.#isKept = keepFilter(settings.keep)
  }

  within(isAmong: (file: string) => boolean): UsedKeys {
    const matcher = new KeyMatcher(this.#separators)
    for (const [file, { uses }] of this.modules)
      if (isAmong(file)) for (const use of uses) matcher.add(use, this.#namespacesOf(use))
    const unknownCalls = this.#unknown.flatMap(([file, use]) => (isAmong(file) ? this.#unknownCall(file, use) : []))
    const whole = new Set(unknownCalls.flatMap((call) => (call.isIgnored ? [] : call.namespaces)))
    const usedKeys = (isUsed: UsedKeys['isUsed']): UsedKeys => ({
      isUsed,
      unknownCalls,
      isWhole: (namespace) => whole.has(namespace),
      askedKeys: () => this.modules.flatMap(([file, { uses }]) => this.#askedKeys(file, uses)),
      with: (keys) => {
        const more = new Set([...keys].map((each) => JSON.stringify(each)))
        return usedKeys((namespace, key) => isUsed(namespace, key) || more.has(JSON.stringify([namespace, key])))
      },
      within: (among) => this.within(among),
    })
    return usedKeys((namespace, key) => {
      return whole.has(namespace) || matcher.has(namespace, key) || this.#isKept(namespace, key)
    })
  }

  #namespacesOf({ namespaces, isExact }: Pick<KeyUse, 'namespaces' | 'isExact'>): readonly string[] | 'any' {
    const { defaultNamespace } = this.settings
    if (isExact) return namespaces === 'default' ? [defaultNamespace] : namespaces
    if (namespaces === 'any' || this.#setup.isUnclear) return 'any'
    const named = namespaces === 'default' ? [defaultNamespace, ...this.#setup.defaultNamespaces] : namespaces
    return [...named, ...this.#setup.fallbackNamespaces]
  }

  #unknownCall(file: string, { place, code, reason, ...use }: UnknownUse): UnknownCall[] {
    const at = this.#namespacesOf(use)
    const namespaces = this.settings.namespaces.filter((name) => at === 'any' || at.includes(name))
    const isIgnored = this.settings.onUnknown === 'ignore' || this.#isIgnoredFile(file)
    // Without a namespace, this reading of the call is not the right one.
    return namespaces.length > 0 ? [{ file, ...place, code, reason, namespaces, isIgnored }] : []
  }

  #askedKeys(file: string, uses: readonly KeyUse[]): AskedKey[] {
    const spelled = uses.filter(({ isPattern, isOnly }) => !isPattern && !isOnly)
    const guesses = new Map<string, AskedKey[]>()
    const guessesAt = ({ place }: KeyUse) => guesses.get(JSON.stringify(place)) ?? []
    for (const use of spelled.filter(({ isGuess }) => isGuess))
      guesses.set(JSON.stringify(use.place), [...guessesAt(use), this.#askedKey(file, use, [])])
    return spelled.filter(({ isGuess }) => !isGuess).map((use) => this.#askedKey(file, use, guessesAt(use)))
  }

  #askedKey(file: string, { key, place, ...use }: KeyUse, orElse: readonly AskedKey[]): AskedKey {
    const { namespaces } = this.settings
    const named = splitNamespace(key, this.#separators.nsSeparators, namespaces)
    if (named) return { file, ...place, key: named.key, namespaces: [named.namespace], orElse }
    const where = this.#namespacesOf(use)
    return { file, ...place, key, namespaces: where === 'any' ? namespaces : [...new Set(where)], orElse }
  }
}

/** `shop:title`, where `shop` is a namespace. */
function splitNamespace(key: string, separators: readonly string[], namespaces: readonly string[]) {
  for (const separator of separators) {
    const at = separator === '' ? -1 : key.indexOf(separator)
    const namespace = key.slice(0, Math.max(0, at))
    if (at > 0 && namespaces.includes(namespace)) return { namespace, key: key.slice(at + separator.length) }
  }
  return undefined
}

function keepFilter(patterns: readonly string[] = []): (namespace: string, key: string) => boolean {
  if (patterns.length === 0) return () => false
  const names = new Set(patterns)
  const matches = patterns.map((pattern) => picomatch(pattern, { dot: true, bash: true }))
  return (namespace, key) => {
    const full = `${namespace}:${key}`
    return names.has(key) || names.has(full) || matches.some((match) => match(key) || match(full))
  }
}

function fileFilter(patterns: readonly string[] = []): (file: string) => boolean {
  const matches = patterns.map((pattern) => picomatch(pattern.replace(/^\.\//, ''), { dot: true }))
  return (file) => {
    const path = file.replaceAll('\\', '/').replace(/[?#].*$/, '')
    const ends = [path, ...[...path.matchAll(/\//g)].map(({ index }) => path.slice(index + 1))]
    return matches.some((match) => ends.some((end) => match(end)))
  }
}
