/**
 * The code that runs in the page, and the only code that generated modules import. It has no dependencies and uses no
 * Node APIs. Its only state is the listeners for a dev server's updates, and the messages that were fetched or that the
 * page's code contains.
 */
export {
  createManifest,
  loadEach,
  type ManifestInput,
  updateMessages,
} from './output/runtime/manifest.ts'
export { type ChunkQueue, createPerChunkLoad, type PerChunkAddresses } from './output/runtime/per-chunk-messages.ts'
export {
  type ChunkAddresses,
  createIndexedLoad,
  createLoad,
  createSpeller,
  describeLanguages,
  provideMessages,
  type Speller,
} from './output/runtime/prebuilt-chunks.ts'
export type {
  CompiledMessage,
  Language,
  LiveManifest,
  Manifest,
  Messages,
  TranslationUpdate,
} from './output/runtime/types.ts'
