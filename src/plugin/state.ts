/** The state after a load. Modules are generated from it. */
import type { Translations } from '../catalog/translations.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { KnownNames } from '../output/ids.ts'
import type { ChunkExtension, PrebuiltChunks } from '../output/prebuilt-chunks.ts'
import type { LoadedCatalog } from '../sources/load.ts'
import type { ChunkKeys } from './per-chunk-messages.ts'

export type PrebuiltGenerator = (extension: ChunkExtension) => Promise<PrebuiltChunks>

export interface StateTexts {
  readonly config: ResolvedConfig
  readonly translations: Translations
  /**
   * The texts that every page loads, and the keys that are loaded together with lazy chunks. Set if `prune.perChunk` is
   * on.
   */
  readonly perChunk?: { readonly base: Translations; readonly chunks: readonly ChunkKeys[] } | undefined
}

export interface LoadedState extends StateTexts {
  /** The loaded catalog, with the findings of the load. */
  readonly loaded: LoadedCatalog
  /** Returns a hash of all texts. If two states have the same hash, the modules generated from them are the same. */
  digest(): string
  /** Generates the files that `load()` fetches in production. */
  readonly prebuilt: PrebuiltGenerator
  readonly loadMs: number
}

export interface StateChange {
  readonly before: LoadedState
  readonly after: LoadedState
}

export function knownNames({ translations }: Pick<LoadedState, 'translations'>): KnownNames {
  return {
    languages: translations.languages.map(({ key }) => key),
    namespaces: translations.namespaces,
    customers: translations.customers,
  }
}
