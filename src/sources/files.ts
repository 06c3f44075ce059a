/** The `files` source, which reads the project's own files with the places of their texts. */

import { type Catalog, createCatalog } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Diagnostic } from '../errors.ts'
import { listTranslationFiles, selectFiles } from '../files/list.ts'
import { createFilePatterns, type FilePatterns, type TranslationFile, wantedPart } from '../files/patterns.ts'
import { type FileContent, readFiles } from '../files/read-files.ts'
import type { FilesSnapshot } from '../files/snapshot.ts'

export interface FilesResult {
  readonly list: readonly TranslationFile[]
  /** The catalog, in the app's names. For a file with an error, it contains the last good texts, if any. */
  readonly catalog: Catalog
  readonly diagnostics: readonly Diagnostic[]
  readonly patterns: FilePatterns
  /** The index's snapshot; used only by a dev server. */
  readonly snapshot?: FilesSnapshot
  /** If there is no index: each file's last good texts, for the next load. */
  readonly lastGood?: ReadonlyMap<string, FileContent['texts']>
}

/**
 * Reads all files that match the patterns.
 *
 * @param previous the previous result, whose texts replace those of files that are broken now
 */
export async function loadFromFiles(config: ResolvedConfig, previous?: FilesResult): Promise<FilesResult> {
  const patterns = createFilePatterns(config)
  const found = await listTranslationFiles(patterns)
  const { wanted: files } = selectFiles(found, config.root, wantedPart(config))
  const contents = await readFiles(files, config)
  const lastGood = new Map<string, FileContent['texts']>()
  const parts = files.map(({ path, language, namespace, customer }, at) => {
    const content = contents[at]
    const texts = content && (content.texts ?? previous?.lastGood?.get(path))
    if (texts) lastGood.set(path, texts)
    const isBroken = content && !texts
    return { language, namespace, customer, messages: texts?.messages ?? [], values: texts?.values, isBroken }
  })
  return {
    catalog: createCatalog({ parts }),
    diagnostics: sortedByFile([...found.diagnostics, ...contents.flatMap((content) => content?.diagnostics ?? [])]),
    patterns,
    list: files,
    lastGood,
  }
}

export function filesOf(snapshot: FilesSnapshot, patterns: FilePatterns): FilesResult {
  const { catalog, findings, list } = snapshot
  return { catalog, diagnostics: sortedByFile(findings), patterns, list, snapshot }
}

function sortedByFile(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort((a, b) => ((a.place?.file ?? '') < (b.place?.file ?? '') ? -1 : 1))
}
