/** Decides which keys of a catalog an app uses. If in doubt, a key counts as used. */

import { joinSetups, resolveUnknown } from './cross-module.ts'
import { KeyMatcher, type KeyMatcherOptions, keepFilter, type Name } from './key-matcher.ts'
import type { KeyUse, LibrarySetup, Modules, SourcePlace, UnclearField, UnknownUse, UseReason } from './model.ts'

export interface UsedKeysSettings {
  /** The namespace of calls that do not name one. */
  readonly defaultNamespace: string
  /** The catalog's namespaces. */
  readonly namespaces: readonly string[]
  /** The separator between the parts of a key. Default `.`. */
  readonly keySeparator?: string
  /** True if keys may start with their namespace, as in `shop.title`, in libraries without namespaces. Default true. */
  readonly namespacePrefix?: boolean
  /** Keys that always count as used: names or globs, as `key` or `namespace:key`. */
  readonly keep?: readonly string[]
  /**
   * Which keys a call with an unknown key keeps in its namespaces: all, only those that match a string or template in
   * the code, or none. The call is always reported. Default `keep`.
   */
  readonly onUnknown?: 'keep' | 'literals' | 'ignore'
  /** True for files whose calls with unknown keys keep nothing. Default: none. */
  readonly isIgnored?: (file: string) => boolean
}

/** A call whose key is unknown, or other code that may use any key. */
interface UnknownCall extends SourcePlace {
  readonly code: string
  readonly reason: UnknownUse['reason']
  readonly namespaces: readonly string[]
  /** Which keys the call keeps in its namespaces. */
  readonly keeps: 'all' | 'literals' | 'nothing'
  /** True if the settings say to ignore the call. */
  readonly isIgnored: boolean
}

/** A key that the code uses. */
export interface AskedKey extends SourcePlace {
  /** The key as the code spells it. */
  readonly key: string
  /** The namespaces to search, unless the key names its own. */
  readonly namespaces: readonly string[]
  /** True if the function is recognized only by its name, so it may add a prefix to the key. */
  readonly mayHavePrefix: boolean
  /** True if no namespace is known for the function. */
  readonly isAnywhere: boolean
  /** True if the key must start with its namespace. */
  readonly isPrefixed: boolean
  /** Other interpretations of the same call. For example, `t('shop', 'title')` may be a namespace and a key. */
  readonly orElse: readonly AskedKey[]
}

export interface UsedKeys {
  isUsed(namespace: string, key: string): boolean
  /** The first reason why the key counts as used; `undefined` if it is unused. */
  reasonOf(namespace: string, key: string): UseReason | undefined
  /** Every place in the code that names the key or a pattern that matches it, in the order of the files. */
  placesOf(namespace: string, key: string): readonly UseReason[]
  /** All calls with an unknown key, in the order of the files. */
  readonly unknownCalls: readonly UnknownCall[]
  /** True if every key of the namespace counts as used. */
  isWhole(namespace: string): boolean
  /** The keys that the code writes out in full and certainly uses. */
  askedKeys(): readonly AskedKey[]
  /** The rules by which the app's library reads keys, if they are known. */
  readonly separators: KeyMatcherOptions
  /** Adds more used keys, for example those to which texts refer. */
  with(more: UsedKeys['reasonOf']): UsedKeys
  /** The keys that the given files use. Unknown uses are still resolved with the data of all files. */
  within(isAmong: (file: string) => boolean): UsedKeys
}

/** Combines the uses in all modules. Their order does not matter. */
export function createUsedKeys(modules: Iterable<Modules[number]>, settings: UsedKeysSettings): UsedKeys {
  return new AppUsage([...modules], settings).within(() => true)
}

/** Matches keys that contain no possible separator. */
const PLAIN_KEY = /^[\p{L}\p{N}_-]*$/u

class AppUsage {
  readonly #setup: LibrarySetup
  readonly #unclear: ReadonlySet<UnclearField>
  readonly #separators: KeyMatcherOptions
  readonly #unknownCalls: readonly UnknownCall[]
  readonly #literalNamespaces: readonly string[] | undefined
  readonly #asksForBranches: boolean
  readonly #hasPrefixedKeys: boolean
  /** True if a call with an unknown key may add an unknown prefix. */
  readonly #hasPrefixes: boolean
  readonly #keptBy: UsedKeys['reasonOf']

  constructor(
    private readonly modules: Modules,
    private readonly settings: UsedKeysSettings,
  ) {
    this.#setup = joinSetups(modules.map(([, { setup }]) => setup))
    this.#unclear = new Set(this.#setup.unclear.map(({ field }) => field))
    this.#separators = {
      keySeparators: [...new Set([settings.keySeparator ?? '.', ...this.#setup.keySeparators])],
      nsSeparators: [...new Set([':', ...this.#setup.nsSeparators])],
      namespacePrefix: settings.namespacePrefix,
      formSeparators: ['_', ...this.#setup.contextSeparators, ...this.#setup.pluralSeparators],
      hasForms: this.#setup.format !== 'messages',
      hasUnknownForms: this.#unclear.has('contextSeparators') || this.#unclear.has('pluralSeparators'),
    }
    this.#keptBy = keepFilter(settings.keep)
    const unknown = resolveUnknown(modules)
    this.#unknownCalls = unknown.flatMap(([file, use]) => this.#unknownCall(file, use))
    this.#hasPrefixes = unknown.some(([file, use]) => use.isPrefixed && !settings.isIgnored?.(file))
    const open = this.#unknownCalls.filter(({ keeps, reason }) => keeps !== 'nothing' && isOfKeys(reason))
    const names = open.flatMap(({ keeps, namespaces }) => (keeps === 'literals' ? namespaces : []))
    this.#literalNamespaces = open.length > 0 ? [...new Set(names)] : undefined
    this.#hasPrefixedKeys =
      settings.namespacePrefix !== false && modules.some(([, { hasPrefixedKeys }]) => hasPrefixedKeys)
    this.#asksForBranches = modules.some(([, usage]) => usage.asksForBranches)
  }

  within(isAmong: (file: string) => boolean): UsedKeys {
    const own = this.modules.filter(([file]) => isAmong(file))
    const matcher = this.#matcherOf(own)
    const unknownCalls = [
      ...this.#unknownCalls.filter(({ file }) => isAmong(file)),
      ...this.#setupCalls(own.flatMap(([, { uses }]) => uses)),
    ]
    const whole = new Map<string, UseReason>()
    for (const call of unknownCalls.filter(({ keeps }) => keeps === 'all'))
      for (const namespace of call.namespaces) whole.set(namespace, whole.get(namespace) ?? reasonOfCall(call))
    const usedKeys = (reasonOf: UsedKeys['reasonOf']): UsedKeys => ({
      isUsed: (namespace, key) => reasonOf(namespace, key) !== undefined,
      reasonOf,
      placesOf: (namespace, key) =>
        own.flatMap(([file, { uses }]) =>
          uses.flatMap((use) => {
            const one = new KeyMatcher(this.#separators)
            one.add(nameOf(file, use), this.#namespacesOf(use))
            return one.find(namespace, key) ?? []
          }),
        ),
      unknownCalls,
      isWhole: (namespace) => whole.has(namespace),
      askedKeys: () => this.modules.flatMap(([file, { uses }]) => this.#askedKeys(file, uses)),
      separators: this.#separators,
      with: (more) => usedKeys((namespace, key) => reasonOf(namespace, key) ?? more(namespace, key)),
      within: (among) => this.within(among),
    })
    return usedKeys((namespace, key) => {
      return matcher.find(namespace, key) ?? this.#keptBy(namespace, key) ?? whole.get(namespace)
    })
  }

  #matcherOf(modules: Modules): { find: UsedKeys['reasonOf'] } {
    const matcher = new KeyMatcher(this.#separators)
    const literals = new KeyMatcher(this.#separators)
    for (const [file, { uses, literals: texts = [] }] of modules) {
      for (const use of uses) matcher.add(nameOf(file, use), this.#namespacesOf(use))
      if (!this.#literalNamespaces) continue
      const reach = this.#asksForBranches ? 'all' : 'forms'
      const mayBeNamespace = this.#asksForBranches && this.#hasPrefixedKeys
      for (const { text, isPattern, ...place } of texts) {
        const reason: UseReason = { kind: isPattern ? 'pattern' : 'literal', name: text, file, ...place }
        literals.add({ text, isPattern, reach, mayBeNamespace, reason }, this.#literalNamespaces)
      }
    }
    const { keySeparator = '.' } = this.settings
    const endOf = (namespace: string, key: string): UseReason | undefined => {
      const at = key.indexOf(keySeparator)
      const end = at === -1 ? undefined : key.slice(at + keySeparator.length)
      return end === undefined ? undefined : (literals.find(namespace, end) ?? endOf(namespace, end))
    }
    const mayHaveEnd = this.#hasPrefixes && this.#literalNamespaces !== undefined && keySeparator !== ''
    return {
      find: (namespace, key) =>
        matcher.find(namespace, key) ??
        literals.find(namespace, key) ??
        (mayHaveEnd ? endOf(namespace, key) : undefined),
    }
  }

  #namespacesOf({ namespaces, isExact }: Pick<KeyUse, 'namespaces' | 'isExact'>): readonly string[] | 'any' {
    const { defaultNamespace } = this.settings
    if (isExact) return namespaces === 'default' ? [defaultNamespace] : namespaces
    const isUnclear = this.#unclear.has('defaultNamespaces') || this.#unclear.has('fallbackNamespaces')
    // If no setup is found, code elsewhere may set a fallback namespace.
    if (namespaces === 'any' || isUnclear || this.#setup.isExtra) return 'any'
    const named = namespaces === 'default' ? [defaultNamespace, ...this.#setup.defaultNamespaces] : namespaces
    return [...named, ...this.#setup.fallbackNamespaces]
  }

  #unknownCall(file: string, { place, code, reason, ...use }: UnknownUse): UnknownCall[] {
    const at = this.#namespacesOf(use)
    const namespaces = this.settings.namespaces.filter((name) => at === 'any' || at.includes(name))
    // If none of the namespaces exists, this interpretation of the call is wrong.
    return namespaces.length > 0 ? [this.#callOf({ file, ...place, code, reason, namespaces })] : []
  }

  #callOf(call: Omit<UnknownCall, 'keeps' | 'isIgnored'>): UnknownCall {
    const { onUnknown, isIgnored: isIgnoredFile } = this.settings
    const isIgnored = onUnknown === 'ignore' || isIgnoredFile?.(call.file) === true
    const keeps = onUnknown === 'literals' && isOfKeys(call.reason) ? 'literals' : 'all'
    return { ...call, keeps: isIgnored ? 'nothing' : keeps, isIgnored }
  }

  /** Reports i18next options that cannot be read but affect a key. */
  #setupCalls(uses: readonly KeyUse[]): UnknownCall[] {
    if (this.#unclear.size === 0) return []
    const fields = new Set(uses.flatMap((use) => this.#unclearFor(use)))
    const { namespaces } = this.settings
    return this.modules.flatMap(([file, { setup }]) =>
      (setup?.unclear ?? [])
        .filter(({ field }) => fields.has(field))
        .map(({ code, place }) => this.#callOf({ file, ...place, code, reason: 'setup', namespaces })),
    )
  }

  /** The options that cannot be read but affect this key. */
  #unclearFor({ key, isExact, isOfChildren }: KeyUse): UnclearField[] {
    if (isExact) return []
    const fields: UnclearField[] = ['prefixes']
    if (!PLAIN_KEY.test(key.replaceAll('*', ''))) fields.push('keySeparators', 'nsSeparators')
    if (isOfChildren) fields.push('childrenKeys')
    return fields.filter((field) => this.#unclear.has(field))
  }

  #askedKeys(file: string, uses: readonly KeyUse[]): AskedKey[] {
    const isClear = (use: KeyUse) => this.#unclearFor(use).every((field) => field === 'prefixes')
    const spelled = uses.filter((use) => !use.isPattern && !use.isOnly && isClear(use))
    const others = new Map<string, AskedKey[]>()
    const othersAt = ({ place }: KeyUse) => others.get(JSON.stringify(place)) ?? []
    const isOther = ({ isGuess, isTentative }: KeyUse) => isGuess || isTentative
    for (const use of spelled.filter(isOther))
      others.set(JSON.stringify(use.place), [...othersAt(use), this.#askedKey(file, use, [])])
    return spelled.filter((use) => !isOther(use)).map((use) => this.#askedKey(file, use, othersAt(use)))
  }

  #askedKey(file: string, { key, place, isByName, ...use }: KeyUse, orElse: readonly AskedKey[]): AskedKey {
    const where = this.#namespacesOf(use)
    const namespaces = where === 'any' ? this.settings.namespaces : [...new Set(where)]
    const isAnywhere = use.namespaces === 'any' && !use.isExact
    const isPrefixed = this.#hasPrefixedKeys && isAnywhere
    const mayHavePrefix = isByName === true || this.#unclear.has('prefixes')
    return { file, ...place, key, namespaces, mayHavePrefix, isAnywhere, isPrefixed, orElse }
  }
}

/** True for uses whose keys may be strings in the code. */
function isOfKeys(reason: UnknownUse['reason']): boolean {
  return reason === 'key' || reason === 'function'
}

function nameOf(file: string, { key, isPattern, isOnly, mayBeNamespace, place }: KeyUse): Name {
  const reason: UseReason = { kind: isPattern ? 'pattern' : 'key', name: key, file, ...place }
  return { text: key, isPattern, reach: isOnly ? 'only' : 'all', mayBeNamespace, reason }
}

function reasonOfCall({ code, file, line, column }: UnknownCall): UseReason {
  return { kind: 'call', name: code, file, line, column }
}
