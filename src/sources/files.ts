/** The `files` source, which reads the project's own files. */

import { readFileSync, type Stats, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { type Catalog, createCatalog, type Messages } from '../catalog/model.ts'
import type { Values } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Diagnostic } from '../errors.ts'
import { listTranslationFiles, selectFiles } from '../files/list.ts'
import { createFilePatterns, type FilePatterns, type TranslationFile, wantedPart } from '../files/patterns.ts'
import { readFailure, readTexts } from '../files/read.ts'
import type { FilesSnapshot } from '../files/snapshot.ts'
import { displayPath } from '../shared/paths.ts'

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

interface FileContent {
  /** The texts; `undefined` if the file has an error. */
  readonly texts: { readonly messages: Messages; readonly values: Values | undefined } | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** If reading a file takes longer than this on average, the disk is slow, and several concurrent reads are faster. */
const SLOW_MS = 2
const PATIENCE_MS = 50
const AT_A_TIME = 16
/** The number of attempts to read a file that another program keeps writing. */
const MOST_READS = 5

interface Disk {
  stat(path: string): Stats | Promise<Stats>
  readFile(path: string): Buffer | Promise<Buffer>
}

/** A synchronous call is several times as fast as a call through a thread. */
const FAST_DISK: Disk = { stat: (path) => statSync(path), readFile: (path) => readFileSync(path) }
const SLOW_DISK: Disk = { stat: (path) => stat(path), readFile: (path) => readFile(path) }

/** Reads the files, in their order. A result is `undefined` if the file does not exist. */
export async function readFiles(
  files: readonly TranslationFile[],
  { root, keySeparator, values }: Pick<ResolvedConfig, 'root' | 'keySeparator' | 'values'>,
): Promise<readonly (FileContent | undefined)[]> {
  const found = new Array<FileContent | undefined>(files.length)
  let [next, diskMs] = [0, 0]
  const readNext = async (disk: Disk) => {
    const at = next++
    const { path, wrappers } = files[at] as TranslationFile
    const file = displayPath(root, path)
    const startedAt = performance.now()
    try {
      const bytes = await readWhole(path, disk)
      diskMs += performance.now() - startedAt
      const options = { keySeparator, file, wrappers, values }
      const { ok, entries, values: others, diagnostics } = readTexts(bytes, options)
      found[at] = { texts: ok ? { messages: entries, values: others } : undefined, diagnostics }
    } catch (cause) {
      const failure = readFailure(cause, file)
      found[at] = failure && { texts: undefined, diagnostics: [failure] }
    }
  }
  while (next < files.length && diskMs <= PATIENCE_MS + next * SLOW_MS) await readNext(FAST_DISK)
  const readOthers = async () => {
    while (next < files.length) await readNext(SLOW_DISK)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, readOthers))
  return found
}

/** Reads a file. If the file changes during the reading, it is read again. */
async function readWhole(path: string, disk: Disk): Promise<Buffer> {
  let before = await disk.stat(path)
  for (let reads = 0; reads < MOST_READS; reads++) {
    const bytes = await disk.readFile(path)
    const after = await disk.stat(path)
    if (bytes.length === after.size && before.mtimeMs === after.mtimeMs && before.ctimeMs === after.ctimeMs)
      return bytes
    before = after
  }
  throw new Error('the file keeps changing while it is read')
}
