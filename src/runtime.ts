/**
 * The code that runs in the page, and the only code that generated modules import. It has no dependency, uses nothing
 * of Node, and keeps no state of its own but the listeners of a dev server's updates, and the messages that it has
 * fetched or that came with the page's code.
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
export type { CompiledMessage, Language, Manifest, Messages, TranslationUpdate } from './output/runtime/types.ts'
