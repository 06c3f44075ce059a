/**
 * The option `prune`. Finds the keys that the modules of a build use, and returns translations with only these keys.
 */
import { setImmediate } from 'node:timers/promises'
import type { Messages } from '../catalog/model.ts'
import type { Translations } from '../catalog/translations.ts'
import { usedWithArrays, type Values } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Analyzer } from '../usage/analyze.ts'
import type { ModuleUsage } from '../usage/model.ts'
import type { CodePlan } from '../usage/parts.ts'
import type { UsedKeys } from '../usage/used-keys.ts'
import type { CompiledModule } from './analyzed-code.ts'
import { type PerChunkKeys, splitKeys } from './per-chunk-messages.ts'
import type { LoadedState } from './state.ts'

/** The usage of each module, by the bundler's id for the module. */
export type ModuleUsages = Iterable<readonly [file: string, usage: ModuleUsage]>

export interface Pruner {
  /** The usage of a module; `undefined` if it has no known uses, or if nothing is pruned. */
  analyze(state: LoadedState, module: CompiledModule): Promise<ModuleUsage | undefined>
  /** The keys that the modules use. With `named`, keys that are kept only because of unknown calls are left out. */
  usedKeys(state: LoadedState, modules: ModuleUsages, how?: 'named'): Promise<UsedKeys>
  /** Like `usedKeys`, separated by the chunks that are loaded later. */
  perChunkKeys(
    state: LoadedState,
    modules: ModuleUsages,
    plan: CodePlan,
  ): Promise<PerChunkKeys & { readonly used: UsedKeys }>
}

const NOTHING = { keep: [], onUnknown: 'keep', ignoreIn: [] } as const

/**
 * Matches files of packages, which contain libraries whose functions have the name `t` for many reasons. The packages
 * of a workspace are in different folders after links are followed.
 */
const PACKAGE = /[\\/]node_modules[\\/]/

/** Matches only the code of packages that were written for this plugin. */
const OWN_REQUEST = /virtual:translations|unplugin-localization-virtual/

export function createPruner(): Pruner {
  const analyzerOf = createAnalyzers()
  return {
    async analyze(state, module) {
      const { prune } = state.config
      if (prune === false) return undefined
      const { code, id } = module
      const wantsLiterals = prune.onUnknown === 'literals'
      if (PACKAGE.test(id) && !OWN_REQUEST.test(code)) {
        if (!wantsLiterals) return undefined
        const { scanLiterals } = await import('../usage/literals.ts')
        return { uses: [], unknown: [], literals: scanLiterals(code) }
      }
      const isData = isJson(code, id)
      if (isData && !wantsLiterals) return undefined
      const { analyzer, mayCall, isIgnored } = await analyzerOf(state)
      if (isData) return analyzer.analyze(`export default ${code}`, id)
      const { analyzeModule } = await import('./analyzed-code.ts')
      const usage = await analyzeModule(module, analyzer, mayCall)
      return isIgnored(id) ? { ...usage, unknown: usage.unknown.filter(({ reason }) => reason !== 'syntax') } : usage
    },
    async usedKeys(state, modules, how) {
      const { used, close } = await readUses(state, modules, how)
      return close(used)
    },
    async perChunkKeys(state, given, { chunks, loads }) {
      const modules = [...given]
      const { planLoads, planParts } = await import('../usage/parts.ts')
      const { used, close } = await readUses(state, modules)
      const all = close(used)
      const users = new Set(modules.map(([file]) => file))
      const { translations } = state
      const plan = planParts(chunks)
      const codeLoads = loads ?? planLoads(chunks)
      return { used: all, ...splitKeys({ used: all, users, plan, codeChunks: chunks, codeLoads, translations, close }) }
    },
  }
}

/** Some bundlers pass data files unchanged, others as modules. */
function isJson(code: string, id: string): boolean {
  return /\.json(?:[?#]|$)/.test(id) && /^\s*[[{"\d]/.test(code)
}

interface ModuleAnalyzer {
  readonly analyzer: Analyzer
  /** True if the code may contain a name of a localization library. */
  readonly mayCall: (code: string) => boolean
  /** True if problems of the file are not reported. */
  readonly isIgnored: (file: string) => boolean
}

/** Creates the analyzer for each load, because an app may get more namespaces between builds in watch mode. */
function createAnalyzers(): (state: LoadedState) => Promise<ModuleAnalyzer> {
  let known: { readonly id: string; readonly analyzer: Promise<ModuleAnalyzer> } | undefined
  return ({ config, translations: { namespaces } }) => {
    const id = JSON.stringify(namespaces)
    if (known?.id !== id) known = { id, analyzer: createModuleAnalyzer(config, namespaces) }
    return known.analyzer
  }
}

async function createModuleAnalyzer(
  { root, prune, keySeparator }: ResolvedConfig,
  namespaces: readonly string[],
): Promise<ModuleAnalyzer> {
  const [{ createAnalyzer }, { createReadImport, createVersionOf }, { fileFilter }] = await Promise.all([
    import('../usage/analyze.ts'),
    import('../usage/sources/read.ts'),
    import('../usage/named.ts'),
  ])
  const { functions, onUnknown, ignoreIn } = prune || { functions: [], ...NOTHING }
  const literals = onUnknown === 'literals' ? 'all' : 'namespaced'
  const [readImport, versionOf] = [createReadImport(), createVersionOf(root)]
  const analyzer = createAnalyzer({ functions, keySeparator, literals, namespaces, readImport, versionOf })
  return { analyzer, mayCall: analyzer.mayUseKeys, isIgnored: fileFilter(ignoreIn) }
}

/** The keys that the modules use, and a function that adds the keys that their texts refer to. */
async function readUses({ config, translations }: LoadedState, given: ModuleUsages, how?: 'named') {
  const modules = [...given]
  const [{ createUsedKeys }, { withNames }, { resolveIgnored }] = await Promise.all([
    import('../usage/used-keys.ts'),
    import('../usage/named.ts'),
    import('../usage/sources/list.ts'),
  ])
  const { keep, onUnknown: configured, ignoreIn } = config.prune || NOTHING
  const onUnknown = how === 'named' ? 'ignore' : configured
  const { namespaces, defaultNamespace, namespacePrefix } = translations
  const { keySeparator } = config
  const naming = { namespaces, defaultNamespace, namespacePrefix, keySeparator }
  const ignored = resolveIgnored(config.root, ignoreIn).patterns
  const used = createUsedKeys(modules, { ...naming, keep, onUnknown, ignoreIn: ignored })
  const addNames = (keys: UsedKeys) => withNames(keys, modules, translations.catalog, config)
  if (!(await hasReferences(translations))) return { used, close: addNames }
  const { createReferenceCloser } = await import('../usage/references.ts')
  const close = createReferenceCloser(namespaces, (namespace) => textsOf(translations, namespace), { keySeparator })
  return { used, close: (keys: UsedKeys) => close(addNames(keys)) }
}

/** Translations with only the texts of used keys. */
export function pruneTranslations(
  translations: Translations,
  used: Pick<UsedKeys, 'isUsed' | 'isWhole'>,
  { shape, keySeparator }: Pick<ResolvedConfig, 'shape' | 'keySeparator'>,
): Translations {
  // The decisions about keys are stored, because most languages have the same keys.
  const judged = new Map<string, Map<string, boolean>>()
  const judgeOf = (namespace: string) => {
    const known = judged.get(namespace) ?? new Map<string, boolean>()
    judged.set(namespace, known)
    return (key: string): boolean => {
      const isUsed = known.get(key) ?? used.isUsed(namespace, key)
      known.set(key, isUsed)
      return isUsed
    }
  }
  const keyFilter = (namespace: string, messages: Messages, values: Values | undefined) => {
    const isUsed = usedWithArrays(values, keySeparator, messages.keys(), judgeOf(namespace))
    return (key: string) => used.isWhole(namespace) || isUsed(key)
  }
  const prune = (namespace: string, messages: Messages, values: Values | undefined): Messages => {
    if (used.isWhole(namespace)) return messages
    const keys = new Set([...messages.keys()].filter(keyFilter(namespace, messages, values)))
    const kept = shape === 'nested' ? withTextsAbove(keys, messages, keySeparator) : keys
    return new Map([...messages].filter(([key]) => kept.has(key)))
  }
  const pruneValues = (namespace: string, messages: Messages, values: Values): Values => {
    const isKept = keyFilter(namespace, messages, values)
    // A key is split in the same way, used or not.
    return new Map([...values].filter(([key, { kind }]) => kind === 'branch' || isKept(key)))
  }
  return {
    ...translations,
    messages: (...place) => prune(place[1], translations.messages(...place), translations.values(...place)),
    values: (...place) => {
      const values = translations.values(...place)
      return values && pruneValues(place[1], translations.messages(...place), values)
    },
    defaultMessages: (...place) =>
      prune(place[0], translations.defaultMessages(...place), translations.defaultValues(...place)),
    defaultValues: (...place) => {
      const values = translations.defaultValues(...place)
      return values && pruneValues(place[0], translations.defaultMessages(...place), values)
    },
  }
}

/**
 * Keeps a text whose key is the beginning of another key. Without this text, the rest of the other key would be nested
 * differently.
 */
function withTextsAbove(keys: ReadonlySet<string>, messages: Messages, separator: string): ReadonlySet<string> {
  const all = new Set(keys)
  for (const key of keys) {
    for (let at = key.indexOf(separator); at !== -1; at = key.indexOf(separator, at + separator.length))
      if (messages.has(key.slice(0, at))) all.add(key.slice(0, at))
  }
  return all
}

/** Matches i18next's `$t(key)`, and vue-i18n's `@:key` and `@.upper:key`. */
const REFERENCE = /\$t\(|@[:.]/

async function hasReferences({ catalog }: Translations): Promise<boolean> {
  for (const part of catalog.parts) {
    for (const text of part.messages.values()) if (REFERENCE.test(text)) return true
    // Texts that are read lazily can be released between turns.
    await setImmediate()
  }
  return false
}

function* textsOf({ catalog }: Translations, namespace: string): Iterable<readonly [string, string]> {
  for (const part of catalog.parts) if (part.namespace === namespace) yield* part.messages
}
