/** The state after a load, from which modules are generated. */
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
  /** Set if `prune.perChunk` is on: the texts that every page loads, and the keys that are loaded with lazy chunks. */
  readonly perChunk?: { readonly base: Translations; readonly chunks: readonly ChunkKeys[] } | undefined
}

export interface LoadedState extends StateTexts {
  /** The loaded catalog, with the load's findings. */
  readonly loaded: LoadedCatalog
  /** A hash of all texts. If two hashes are equal, the generated modules are equal too. */
  digest(): string
  /** The files that `load()` fetches in production. */
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
