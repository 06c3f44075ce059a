/**
 * The option `prune`. This module finds the keys that a build's modules use, and returns a state that has only the
 * texts of these keys. It is not imported if the option is off.
 */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Catalog } from '../catalog/model.ts'
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Logger } from '../logger.ts'
import { keysIn } from '../output/live-table.ts'
import { isInside } from '../shared/paths.ts'
import { compareCodeUnits } from '../shared/split.ts'
import { createAnalyzer } from '../usage/analyze.ts'
import { scanLiterals } from '../usage/literals.ts'
import type { Modules, ModuleUsage } from '../usage/model.ts'
import { type CodePlan, planLoads, planParts } from '../usage/parts.ts'
import { createReferenceCloser, withNames } from '../usage/sources/find.ts'
import { fileFilter, unmatchedGlobs } from '../usage/sources/list.ts'
import { createReadImport, createVersionOf, readNamedTexts } from '../usage/sources/read.ts'
import { createUsedKeys, type UsedKeys } from '../usage/used-keys.ts'
import { analyzeModule, type CompiledModule } from './analyzed-code.ts'
import { reportBuild } from './build-report.ts'
import type { LoadKeys } from './per-chunk-messages.ts'
import { createPrebuiltGenerator } from './prebuilt-chunks.ts'
import { pruneTranslations } from './prune.ts'
import type { LoadedState, StateTexts } from './state.ts'

/** The usage of each module, by the bundler's module id. */
export type ModuleUsages = Iterable<Modules[number]>

/**
 * Matches files in installed packages. Functions named `t` rarely have to do with translations there, unless the file
 * imports a translation library. Packages in the same workspace do not match, because their links are resolved. The
 * files of a project that is itself inside `node_modules` do not match either.
 */
const PACKAGE = /[\\/]node_modules[\\/]/

/** This package's files, which are in no `node_modules` if the package is linked. */
const OWN_FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** Matches code in a package that imports this plugin's modules. */
const OWN_REQUEST = /virtual:translations|unplugin-localization-virtual/

/** Returns a function that returns a module's usage, or `undefined` if the module uses no keys. */
export function createAnalyze({ config, translations: { namespaces } }: LoadedState) {
  const { root, prune, keySeparator } = config
  const { functions, onUnknown, ignoreIn } = prune || NOTHING
  const literals = onUnknown === 'literals' ? 'all' : 'namespaced'
  const [readImport, versionOf] = [createReadImport(), createVersionOf(root)]
  const analyzer = createAnalyzer({ functions, keySeparator, literals, namespaces, readImport, versionOf })
  const isIgnored = fileFilter(root, ignoreIn)
  return async (module: CompiledModule): Promise<ModuleUsage | undefined> => {
    const { code, id } = module
    if (isInside(OWN_FOLDER, id)) return undefined
    if (PACKAGE.test(isInside(root, id) ? `/${relative(root, id)}` : id) && !OWN_REQUEST.test(code)) {
      const texts = literals === 'all' ? scanLiterals(code) : undefined
      const usage = analyzer.isUser(code, id) ? usageOfPackage(analyzer.analyze(code, id)) : undefined
      return usage || texts ? { uses: [], unknown: [], ...usage, literals: texts } : undefined
    }
    if (isJson(code, id)) return literals === 'all' ? analyzer.analyze(`export default ${code}`, id) : undefined
    const usage = await analyzeModule(module, analyzer, analyzer.mayUseKeys)
    return isIgnored(id) ? { ...usage, unknown: usage.unknown.filter(({ reason }) => reason !== 'syntax') } : usage
  }
}

/**
 * The keys that a package names, for example one with the app's components. Its calls with unknown keys count only if
 * they name a namespace: most of them translate what the app passes.
 */
function usageOfPackage({ uses, unknown }: ModuleUsage): ModuleUsage {
  return { uses, unknown: unknown.filter(({ namespaces }) => Array.isArray(namespaces)) }
}

/** Some bundlers pass JSON files unchanged. Others pass them as JavaScript modules, which do not count here. */
function isJson(code: string, id: string): boolean {
  return /\.json(?:[?#]|$)/.test(id) && /^\s*[[{"\d]/.test(code)
}

/**
 * Returns a state that has only the texts that the modules use.
 *
 * @param plan the chunks of the output; if given, the texts of lazy chunks are separate
 * @param warnOnce logs each warning once, because an app may have several outputs
 */
export async function pruneState(
  full: LoadedState,
  given: ModuleUsages,
  plan: CodePlan | undefined,
  { logger, warnOnce }: { readonly logger: Logger; readonly warnOnce: (message: string) => void },
): Promise<LoadedState> {
  const named = await readNamedTexts(full.config)
  // Bundlers load modules concurrently, so they are in no particular order.
  const modules = [...given, ...named.modules].sort(([a], [b]) => compareCodeUnits(a, b))
  for (const warning of named.warnings) warnOnce(warning)
  for (const { file, message } of named.problems) warnOnce(`${file}: ${message}: every key counts as used`)
  warnOfIgnored(full.config, modules, warnOnce)
  const perChunk = plan && perChunkKeys(full, modules, plan)
  const used = perChunk?.used ?? usedKeys(full, modules)
  const translationsWith = (keys: UsedKeys) => pruneTranslations(full.translations, keys, full.config)
  const state = {
    ...full,
    translations: translationsWith(used),
    ...(perChunk && { perChunk: { base: translationsWith(perChunk.base), chunks: perChunk.chunks } }),
  }
  return {
    ...state,
    prebuilt: createPrebuiltGenerator(state, logger, async (files, writeMs) => {
      const isNamed = used.unknownCalls.length === 0
      const spelled = isNamed ? undefined : translationsWith(usedKeys(full, modules, 'named'))
      await reportBuild(state, files, writeMs, logger, { full, used, named: spelled, perChunk })
    }),
  }
}

/** Warns about globs in `ignoreIn` that begin with a missing folder and match no module. */
function warnOfIgnored({ root, prune }: ResolvedConfig, modules: Modules, warnOnce: (message: string) => void): void {
  if (prune === false || prune.ignoreIn.length === 0) return
  const files = modules.map(([file]) => file)
  for (const glob of unmatchedGlobs(root, prune.ignoreIn, files))
    warnOnce(`prune.ignoreIn: ${JSON.stringify(glob)} matches no file`)
}

/**
 * Returns the keys that the modules use. `named` leaves out keys that are kept only because of calls with unknown keys.
 */
function usedKeys(texts: StateTexts, modules: Modules, how?: 'named'): UsedKeys {
  const { used, close } = readUses(texts, modules, how)
  return close(used)
}

/** Like `usedKeys`, but also returns the keys of each chunk that is loaded later. */
export function perChunkKeys(texts: StateTexts, modules: Modules, plan: CodePlan) {
  const { used, close } = readUses(texts, modules)
  const all = close(used)
  const users = new Set(modules.map(([file]) => file))
  return { used: all, ...splitKeys(plan, { used: all, close }, users, texts.translations) }
}

type Uses = ReturnType<typeof readUses>

/**
 * Returns the keys of every page (`base`), the chunks that use other keys, and the keys of each load.
 *
 * @param users the modules that use at least one key
 */
function splitKeys(code: CodePlan, uses: Uses, users: ReadonlySet<string>, translations: Translations) {
  const { used, close } = uses
  const plan = planParts(code.chunks)
  const placed = new Set([...plan.lazy.values()].flatMap((modules) => [...modules]))
  // A module that is in no chunk counts as part of every page.
  const base = close(used.within((file) => plan.base.has(file) || !placed.has(file)))
  const left = new Map<string, string[]>()
  for (const namespace of translations.namespaces) {
    const isLeft = (key: string) => used.isUsed(namespace, key) && !base.isUsed(namespace, key)
    if (!base.isWhole(namespace)) left.set(namespace, keysIn(translations, namespace).filter(isLeft))
  }
  const lazy = [...plan.lazy].sort(([a], [b]) => (a < b ? -1 : 1))
  const chunks = lazy.flatMap(([chunk, modules]) => {
    if (![...modules].some((module) => users.has(module))) return []
    const own = close(used.within((file) => modules.has(file)))
    const keys = new Map<string, ReadonlySet<string>>()
    for (const [namespace, candidates] of left) {
      const isOwn = (key: string) => own.isWhole(namespace) || own.isUsed(namespace, key)
      const ofNamespace = new Set(candidates.filter(isOwn))
      if (ofNamespace.size > 0) keys.set(namespace, ofNamespace)
    }
    return keys.size === 0 ? [] : [{ chunk, keys }]
  })
  return { base, chunks, loads: loadKeys(code, uses, users) }
}

function loadKeys({ chunks, loads: given }: CodePlan, { used, close }: Uses, users: ReadonlySet<string>): LoadKeys[] {
  const modulesOf = new Map(chunks.map(({ name, modules }) => [name, modules]))
  const loads = (given ?? planLoads(chunks)).map((load) => {
    return { load, modules: new Set(load.chunks.flatMap((name) => modulesOf.get(name) ?? [])) }
  })
  const loaded = new Set(loads.flatMap(({ modules }) => [...modules]))
  return loads.map(({ load, modules }) => {
    // A module that belongs to no load counts as part of every entry.
    const isOwn = (file: string) => modules.has(file) || (load.isEntry && !loaded.has(file))
    const usesKeys = load.isEntry || [...modules].some((module) => users.has(module))
    return { load, used: usesKeys ? close(used.within(isOwn)) : undefined }
  })
}

const NOTHING = { functions: [], keep: [], onUnknown: 'keep', ignoreIn: [] } as const

/** Returns the keys that the modules use, and a function that adds the keys to which their texts refer. */
function readUses({ config, translations }: StateTexts, modules: Modules, how?: 'named') {
  const { keep, onUnknown: configured, ignoreIn } = config.prune || NOTHING
  const onUnknown = how === 'named' ? 'ignore' : configured
  const { namespaces, defaultNamespace, namespacePrefix, catalog } = translations
  const { keySeparator } = config
  const naming = { namespaces, defaultNamespace, namespacePrefix, keySeparator }
  const isIgnored = fileFilter(config.root, ignoreIn)
  const used = createUsedKeys(modules, { ...naming, keep, onUnknown, isIgnored })
  const close = createReferenceCloser(namespaces, (namespace) => textsOf(catalog, namespace), { keySeparator })
  return { used, close: (keys: UsedKeys) => close(withNames(keys, modules, config)) }
}

function* textsOf({ parts }: Catalog, namespace: string): Iterable<readonly [string, string]> {
  for (const part of parts) if (part.namespace === namespace) yield* part.messages
}
