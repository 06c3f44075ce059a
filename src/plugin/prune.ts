/** The option `prune`: what the modules of a build use, and a state that holds nothing else. */
import type { LazyTexts, Messages } from '../catalog/model.ts'
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Analyzer } from '../usage/analyze.ts'
import type { ModuleUsage } from '../usage/model.ts'
import type { CodeChunk } from '../usage/parts.ts'
import type { UsedKeys } from '../usage/used-keys.ts'
import { type PerChunkKeys, splitKeys } from './per-chunk-messages.ts'
import type { LoadedState } from './state.ts'

/** By the module's id, as the bundler gives it. */
export type ModuleUsages = Iterable<readonly [file: string, usage: ModuleUsage]>

export interface Pruner {
  /** What a module uses; `undefined`: nothing that can be told, or nothing is pruned. */
  analyze(state: LoadedState, code: string, id: string): Promise<ModuleUsage | undefined>
  /** Which keys the modules use; with `named`, without what unknown calls keep. */
  usedKeys(state: LoadedState, modules: ModuleUsages, how?: 'named'): Promise<UsedKeys>
  /** The same, and which of them come with chunks that are loaded later. */
  perChunkKeys(
    state: LoadedState,
    modules: ModuleUsages,
    chunks: Iterable<CodeChunk>,
  ): Promise<PerChunkKeys & { readonly used: UsedKeys }>
}

const NOTHING = { keep: [], onUnknown: 'keep', ignoreIn: [] } as const

/** Packages bring libraries, whose functions are called `t` for many reasons. A workspace's own packages are elsewhere once links are followed. */
const PACKAGE = /[\\/]node_modules[\\/]/

/** What no library holds that was not made for this one. */
const OWN_REQUEST = /virtual:translations|unplugin-localization-virtual/

export function createPruner(): Pruner {
  let analyzer: Promise<Analyzer> | undefined
  return {
    async analyze({ config }, code, id) {
      if (config.prune === false || (PACKAGE.test(id) && !OWN_REQUEST.test(code))) return undefined
      const { functions } = config.prune
      const { keySeparator } = config
      analyzer ??= import('../usage/analyze.ts').then(({ createAnalyzer }) =>
        createAnalyzer({ functions, keySeparator }),
      )
      const { mayUseKeys, analyze } = await analyzer
      return mayUseKeys(code) ? analyze(code, id) : undefined
    },
    async usedKeys(state, modules, how) {
      const { used, close } = await readUses(state, modules, how)
      return close(used)
    },
    async perChunkKeys(state, given, chunks) {
      const modules = [...given]
      const { planParts } = await import('../usage/parts.ts')
      const { used, close } = await readUses(state, modules)
      const all = close(used)
      const users = new Set(modules.map(([file]) => file))
      const { translations } = state
      return { used: all, ...splitKeys({ used: all, users, plan: planParts(chunks), translations, close }) }
    },
  }
}

/** What is used as the modules say it, and what also keeps what those texts refer to. */
async function readUses({ config, translations }: LoadedState, modules: ModuleUsages, how?: 'named') {
  const { createUsedKeys } = await import('../usage/used-keys.ts')
  const { keep, onUnknown: configured, ignoreIn } = config.prune || NOTHING
  const onUnknown = how === 'named' ? 'ignore' : configured
  const { namespaces, defaultNamespace } = translations
  const { keySeparator } = config
  const used = createUsedKeys(modules, { namespaces, defaultNamespace, keySeparator, keep, onUnknown, ignoreIn })
  if (!hasReferences(translations)) return { used, close: (keys: UsedKeys) => keys }
  const { createReferenceCloser } = await import('../usage/references.ts')
  const close = createReferenceCloser(namespaces, (namespace) => textsOf(translations, namespace), { keySeparator })
  return { used, close }
}

/** The texts of used keys, and none beside them. */
export function pruneTranslations(
  translations: Translations,
  used: Pick<UsedKeys, 'isUsed' | 'isWhole'>,
  { shape, keySeparator }: Pick<ResolvedConfig, 'shape' | 'keySeparator'>,
): Translations {
  const prune = (namespace: string, messages: Messages): Messages => {
    if (used.isWhole(namespace)) return messages
    const keys = new Set([...messages.keys()].filter((key) => used.isUsed(namespace, key)))
    const kept = shape === 'nested' ? withTextsAbove(keys, messages, keySeparator) : keys
    return new Map([...messages].filter(([key]) => kept.has(key)))
  }
  return {
    ...translations,
    messages: (language, namespace, customer) => prune(namespace, translations.messages(language, namespace, customer)),
    defaultMessages: (namespace, customer) => prune(namespace, translations.defaultMessages(namespace, customer)),
    layers(language, namespace) {
      const layers = translations.layers(language, namespace)
      return used.isWhole(namespace)
        ? layers
        : layers?.map((texts) => pruneTexts(texts, (key) => used.isUsed(namespace, key)))
    },
  }
}

/** Where a text stands on a key's way, nesting leaves the rest of the key whole: without that text it would be somewhere else. */
function withTextsAbove(keys: ReadonlySet<string>, messages: Messages, separator: string): ReadonlySet<string> {
  if (separator === '') return keys
  const all = new Set(keys)
  for (const key of keys) {
    for (let at = key.indexOf(separator); at !== -1; at = key.indexOf(separator, at + separator.length))
      if (messages.has(key.slice(0, at))) all.add(key.slice(0, at))
  }
  return all
}

function pruneTexts(texts: LazyTexts, isUsed: (key: string) => boolean): LazyTexts {
  return {
    ...texts,
    module: undefined,
    keys: undefined,
    plain: () => Object.fromEntries(Object.entries(texts.plain()).filter(([key]) => isUsed(key))),
  }
}

/** i18next's `$t(key)` and vue-i18n's `@:key`, `@.upper:key`. */
const REFERENCE = /\$t\(|@[:.]/

function hasReferences({ catalog }: Translations): boolean {
  return catalog.parts.some((part) => {
    if (part.lazy?.module) {
      const { bytes } = part.lazy.module
      return ['$t(', '@:', '@.'].some((mark) => bytes.includes(mark))
    }
    return [...part.messages.values()].some((text) => REFERENCE.test(text))
  })
}

function* textsOf({ catalog }: Translations, namespace: string): Iterable<readonly [string, string]> {
  for (const part of catalog.parts) if (part.namespace === namespace) yield* part.messages
}
