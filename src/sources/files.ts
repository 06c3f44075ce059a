/** Source `files`: the project's own files, read with the locations of their texts. */

import { join } from 'node:path'
import { type Catalog, createCatalog, type LazyTexts, type PartInput, type TextEncoding } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Diagnostic } from '../errors.ts'
import { createBuildReader } from '../files/build-reader.ts'
import { createListing, type FileListing, listTranslationFiles } from '../files/list.ts'
import { createFilePatterns, displayPath, type FilePatterns, wantedPart } from '../files/patterns.ts'
import type { FilesSnapshot } from '../files/snapshot.ts'
import { TemporaryStorage } from '../files/temporary-storage.ts'

export interface FilesResult extends Omit<FileListing, 'files'> {
  /** With the app's names. Files with an error provide their last good texts, or none. */
  readonly catalog: Catalog
  readonly diagnostics: readonly Diagnostic[]
  readonly patterns: FilePatterns
  /** From the index, which is not used in builds. */
  readonly snapshot?: FilesSnapshot
  /** In a build: the last good texts of each file, for the next load. */
  readonly lastGood?: ReadonlyMap<string, LazyTexts>
  /**
   * In a build: the storage with the texts of a large catalog. Users of the result retain the storage, and close it
   * later.
   */
  readonly storage?: TemporaryStorage
}

export interface FilesOptions {
  /** In a build: the previous load, whose texts replace those of files that are broken now. */
  readonly previous?: FilesResult | undefined
  /** In a build: encodes the texts for the page, and drops gaps. */
  readonly encoding?: TextEncoding | undefined
}

/** Reads all files that match the patterns. */
export async function loadFromFiles(
  config: ResolvedConfig,
  { previous, encoding }: FilesOptions = {},
): Promise<FilesResult> {
  if (encoding) return loadForBuild(config, encoding, previous)
  // Builds do not import the index.
  const { createFileIndex } = await import('../files/file-index.ts')
  const index = createFileIndex(config)
  return filesOf(await index.scan(), index.patterns)
}

export function filesOf(snapshot: FilesSnapshot, patterns: FilePatterns): FilesResult {
  const { catalog, findings, listing } = snapshot
  return { catalog, diagnostics: sortedByFile(findings), patterns, ...listing, snapshot }
}

async function loadForBuild(
  config: ResolvedConfig,
  encoding: TextEncoding,
  previous: FilesResult | undefined,
): Promise<FilesResult> {
  const { root, keySeparator, values, emptyTexts } = config
  const patterns = createFilePatterns(config)
  const found = await listTranslationFiles(patterns)
  const wanted = found.files.filter(wantedPart(config))
  const cacheFolder = join(root, '.localization', 'cache')
  const storage = previous?.storage ?? new TemporaryStorage(cacheFolder)
  const { read, saveCache } = createBuildReader({
    keySeparator,
    values,
    keepsEmpty: emptyTexts === 'keep',
    encoding,
    cacheFolder,
    storage,
    nameOf: (path) => displayPath(root, path),
  })
  const diagnostics: Diagnostic[] = [...found.diagnostics]
  const lastGood = new Map<string, LazyTexts>()
  const contents = await read(wanted)
  const parts = wanted.map(({ path, language, namespace, customer }, at): PartInput => {
    const content = contents[at]
    if (content) diagnostics.push(...content.diagnostics)
    const texts = content && (content.texts ?? previous?.lastGood?.get(path))
    if (texts) lastGood.set(path, texts)
    return { language, namespace, customer, ...(texts ? { lazy: texts } : { messages: [] }) }
  })
  // Not awaited. Without the cache, the next build encodes the texts again.
  saveCache().catch(() => {})
  return {
    catalog: createCatalog({ parts }),
    diagnostics: sortedByFile(diagnostics),
    patterns,
    ...createListing(wanted),
    lastGood,
    storage,
  }
}

function sortedByFile(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort((a, b) => ((a.place?.file ?? '') < (b.place?.file ?? '') ? -1 : 1))
}
