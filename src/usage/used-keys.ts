/** From what the modules use to which keys stay. Pure. Whatever is not certain keeps more. */
import picomatch from 'picomatch'
import { createKeyMatcher } from './key-matcher.ts'
import { resolveUnknown } from './links.ts'
import type { ModuleUsage, UnknownUse, UseNamespaces } from './model.ts'
import { joinSetups } from './setup.ts'

export interface UsedKeysSettings {
  /** The name under which the app's default namespace is seen. */
  readonly defaultNamespace: string
  /** Every namespace of the catalog. */
  readonly namespaces: readonly string[]
  /** What joins the segments of a key. Default `.`. */
  readonly keySeparator?: string
  /** What stands between a namespace and a key in one text. Default `:`. */
  readonly nsSeparator?: string
  /** Keys that stay though nothing names them: names or globs, of the key or of `namespace:key`. */
  readonly keep?: readonly string[]
  /** `ignore`: a call whose key is not known keeps nothing. It is reported all the same. Default `keep`. */
  readonly onUnknown?: 'keep' | 'ignore'
  /** Files whose unknown calls keep nothing: names or globs, of the path as `modules` gives it or of any end of it. */
  readonly ignoreIn?: readonly string[]
}

/** A call that keeps whole namespaces. */
export interface UnknownCall {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly code: string
  readonly reason: UnknownUse['reason']
  readonly namespaces: readonly string[]
  /** It keeps nothing, because the settings say so. */
  readonly isIgnored: boolean
}

/** A key as the code asks for it. */
export interface AskedKey {
  readonly file: string
  readonly line: number
  readonly column: number
  /** As written, without a namespace in front. */
  readonly key: string
  /** Where it may be. */
  readonly namespaces: readonly string[]
  /** Other readings of the same call: `t('shop', 'title')` may be a namespace and a key. */
  readonly orElse: readonly AskedKey[]
}

export interface UsedKeys {
  isUsed(namespace: string, key: string): boolean
  /** In the order of the files. */
  readonly unknownCalls: readonly UnknownCall[]
  /** The namespace is kept whole. */
  isWhole(namespace: string): boolean
  /** Every key that is spelled out, for holding against a catalog. Patterns are not among them. */
  askedKeys(): readonly AskedKey[]
  /** These, and more: keys that texts refer to. */
  with(keys: Iterable<readonly [namespace: string, key: string]>): UsedKeys
  /** What these modules use, seen together with all the others. */
  within(isAmong: (file: string) => boolean): UsedKeys
}

type Modules = Iterable<readonly [file: string, usage: ModuleUsage]>

/** Puts the modules' uses together. The order of the modules has no influence on what is used. */
export function createUsedKeys(modules: Modules, settings: UsedKeysSettings): UsedKeys {
  const all = [...modules]
  const setup = joinSetups(all.map(([, usage]) => usage.setup))
  const keySeparators = new Set([settings.keySeparator ?? '.', ...setup.keySeparators])
  const nsSeparators = new Set([settings.nsSeparator ?? ':', ...setup.nsSeparators])
  const namespaces = (of: UseNamespaces, isExact: boolean | undefined): readonly string[] | 'any' => {
    if (isExact) return of === 'default' ? [settings.defaultNamespace] : of
    if (of === 'any' || setup.isUnclear) return 'any'
    const named = of === 'default' ? [settings.defaultNamespace, ...setup.defaultNamespaces] : of
    return [...named, ...setup.fallbackNamespaces]
  }
  const unknown = resolveUnknown(all)
  const isIgnoredFile = fileFilter(settings.ignoreIn)
  const isKept = keepFilter(settings.keep)
  const within = (isAmong: (file: string) => boolean): UsedKeys => {
    const matcher = createKeyMatcher({
      namespaces: settings.namespaces,
      keySeparators: [...keySeparators],
      nsSeparators: [...nsSeparators],
      formSeparators: ['_', ...setup.formSeparators],
    })
    for (const [file, { uses }] of all)
      if (isAmong(file)) for (const use of uses) matcher.add(use, namespaces(use.namespaces, use.isExact))
    const whole = new Set<string>()
    const unknownCalls: UnknownCall[] = []
    for (const [file, { place, code, reason, ...use }] of unknown) {
      if (!isAmong(file)) continue
      const at = namespaces(use.namespaces, use.isExact)
      const concerned = at === 'any' ? settings.namespaces : settings.namespaces.filter((name) => at.includes(name))
      // A reading of the call that no namespace answers to.
      if (concerned.length === 0) continue
      const isIgnored = settings.onUnknown === 'ignore' || isIgnoredFile(file)
      if (!isIgnored) for (const name of concerned) whole.add(name)
      unknownCalls.push({ file, ...place, code, reason, namespaces: [...concerned], isIgnored })
    }
    const isUsed = (namespace: string, key: string) =>
      whole.has(namespace) || matcher.has(namespace, key) || isKept(namespace, key)
    const withKeys = (keys: ReadonlyMap<string, ReadonlySet<string>>): UsedKeys => ({
      isUsed: (namespace, key) => isUsed(namespace, key) || keys.get(namespace)?.has(key) === true,
      unknownCalls,
      isWhole: (namespace) => whole.has(namespace),
      askedKeys: () => askedKeys(all, settings, [...nsSeparators], namespaces),
      with(more) {
        const joined = new Map([...keys].map(([namespace, names]) => [namespace, new Set(names)]))
        for (const [namespace, key] of more) {
          const names = joined.get(namespace) ?? new Set()
          joined.set(namespace, names.add(key))
        }
        return withKeys(joined)
      },
      within,
    })
    return withKeys(new Map())
  }
  return within(() => true)
}

function askedKeys(
  modules: readonly (readonly [string, ModuleUsage])[],
  settings: UsedKeysSettings,
  nsSeparators: readonly string[],
  namespacesOf: (of: UseNamespaces, isExact: boolean | undefined) => readonly string[] | 'any',
): AskedKey[] {
  return modules.flatMap(([file, { uses }]) => {
    const readings = (isGuess: boolean) => {
      const at = new Map<string, AskedKey[]>()
      for (const { key, place, namespaces, ...use } of uses) {
        if (use.isPattern || use.isOnly || (use.isGuess === true) !== isGuess) continue
        const named = splitNamespace(key, nsSeparators, settings.namespaces)
        const where = namespacesOf(namespaces, use.isExact)
        const asked: AskedKey = {
          file,
          ...place,
          key: named?.key ?? key,
          namespaces: named ? [named.namespace] : where === 'any' ? settings.namespaces : [...new Set(where)],
          orElse: [],
        }
        const id = `${place.line}:${place.column}`
        at.set(id, [...(at.get(id) ?? []), asked])
      }
      return at
    }
    const guesses = readings(true)
    return [...readings(false)].flatMap(([id, asked]) =>
      asked.map((one) => ({ ...one, orElse: guesses.get(id) ?? [] })),
    )
  })
}

/** `shop:title`, where `shop` is a namespace. */
function splitNamespace(key: string, separators: readonly string[], namespaces: readonly string[]) {
  for (const separator of separators) {
    const at = separator === '' ? -1 : key.indexOf(separator)
    if (at > 0 && namespaces.includes(key.slice(0, at)))
      return { namespace: key.slice(0, at), key: key.slice(at + separator.length) }
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
