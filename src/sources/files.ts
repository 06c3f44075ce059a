/** The `files` source, which reads the project's own files. */

import { type Catalog, createCatalog } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Diagnostic } from '../errors.ts'
import { listTranslationFiles, selectFiles } from '../files/list.ts'
import { createFilePatterns, type FilePatterns, type TranslationFile, wantedPart } from '../files/patterns.ts'
import { type FileContent, readDigests, readFiles } from '../files/read-files.ts'
import type { FilesSnapshot } from '../files/snapshot.ts'
import { displayPath } from '../shared/paths.ts'
import { digestsOf, type InputDigests } from './validator.ts'

export interface FilesResult {
  readonly list: readonly TranslationFile[]
  /** The catalog, in the app's names. For a file with an error, it contains the last good texts, if any. */
  readonly catalog: Catalog
  readonly diagnostics: readonly Diagnostic[]
  readonly patterns: FilePatterns
  /** The index's snapshot; used only by a dev server. */
  readonly snapshot?: FilesSnapshot
  /** Each file's last good texts, for the next load. Not set if there is an index. */
  readonly lastGood?: ReadonlyMap<string, FileContent['texts']>
  /** The files that were read, if requested. */
  readonly inputs?: InputDigests
}

/**
 * @param previous the result of the previous load. Its texts replace the texts of files that are broken now
 * @param only the namespaces to read. The others are listed without texts. Default: all
 */
export async function loadFromFiles(
  config: ResolvedConfig,
  previous?: FilesResult,
  only?: ReadonlySet<string>,
  withInputs = false,
): Promise<FilesResult> {
  const { patterns, found, files } = await listFiles(config)
  const read = only ? files.filter(({ namespace }) => only.has(namespace)) : files
  const results = await readFiles(read, config, withInputs)
  const contents = new Map(read.map(({ path }, at) => [path, results[at]]))
  const lastGood = new Map<string, FileContent['texts']>()
  const parts = files.map(({ path, language, namespace, customer }) => {
    const content = contents.get(path)
    const texts = content && (content.texts ?? previous?.lastGood?.get(path))
    if (texts) lastGood.set(path, texts)
    const isBroken = content && !texts
    return { language, namespace, customer, messages: texts?.messages ?? [], values: texts?.values, isBroken }
  })
  return {
    catalog: createCatalog({ parts }),
    diagnostics: sortedByFile([...found.diagnostics, ...results.flatMap((content) => content?.diagnostics ?? [])]),
    patterns,
    list: files,
    lastGood,
    ...(withInputs && { inputs: inputsOf(read, (at) => results[at]?.digest, config) }),
  }
}

async function listFiles(config: ResolvedConfig) {
  const patterns = createFilePatterns(config)
  const found = await listTranslationFiles(patterns)
  return { patterns, found, files: selectFiles(found, config.root, wantedPart(config)).wanted }
}

/** The files' digests, by namespace. The files are read but not parsed. */
export async function readFileInputs(config: ResolvedConfig): Promise<InputDigests> {
  const { files } = await listFiles(config)
  const digests = await readDigests(files)
  return inputsOf(files, (at) => digests[at], config)
}

function inputsOf(
  files: readonly TranslationFile[],
  digestAt: (at: number) => string | undefined,
  { root }: ResolvedConfig,
): InputDigests {
  return digestsOf(
    files.map(({ path, namespace }, at) => {
      return { namespace, name: displayPath(root, path), digest: digestAt(at) ?? '' }
    }),
  )
}

export function filesOf(snapshot: FilesSnapshot, patterns: FilePatterns): FilesResult {
  const { catalog, findings, list } = snapshot
  return { catalog, diagnostics: sortedByFile(findings), patterns, list, snapshot }
}

function sortedByFile(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort((a, b) => ((a.place?.file ?? '') < (b.place?.file ?? '') ? -1 : 1))
}
