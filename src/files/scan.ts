/**
 * Updates the known content of the files. Reads only files that have changed. A broken file keeps its last good texts.
 */
import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LazyTexts } from '../catalog/model.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Clock } from '../shared/clock.ts'
import { contentHash } from '../shared/hash.ts'
import { displayPath, isInside } from '../shared/paths.ts'
import { FingerprintMemo } from '../shared/stat-fingerprint.ts'
import type { FlatTexts } from './formats/json/native.ts'
import { listTranslationFiles, selectFiles } from './list.ts'
import { createFilePatterns, type FilePatterns, type TranslationFile, wantedPart } from './patterns.ts'
import { type ParseOptions, readFailure, readTexts } from './read.ts'
import { type FileContent, type FilesSnapshot, isSameContent, KnownFile } from './snapshot.ts'

export interface ScanOptions {
  /** True to read even files whose modification times are unchanged. */
  readonly everything?: boolean
  /** True to read new files only when they are first used. */
  readonly isOnDemand?: boolean
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  /** True for a scan at an interval. If it finds a change, the watch has missed events and is restarted. */
  readonly isPeriodic?: boolean
  /**
   * Files that may have changed. While the watcher is working, only these are scanned, so the cost does not grow with
   * the project. Default: all files.
   */
  readonly changed?: readonly string[] | undefined
  /**
   * By default, a scan waits until no file is being written. If true, it does not wait: a missing or broken file keeps
   * its last content, and followers are notified later.
   */
  readonly isHasty?: boolean | undefined
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

/**
 * True if the file has been unchanged for a moment. Called for missing and broken files, because programs may delete a
 * file before saving it, or write it in pieces. While it returns false, the last content is kept.
 */
type IsCalm = (path: string, isMissing: boolean) => boolean

const BATCH = 64

export class FileScanner {
  readonly patterns: FilePatterns
  readonly isWanted: ReturnType<typeof wantedPart>
  readonly #root: string
  readonly #options: ParseOptions
  readonly #fingerprints: FingerprintMemo
  /** The paths found by the last whole scan, including files that the configuration excludes. */
  #listed: ReadonlySet<string> = new Set()
  /** The absolute paths of folders that the last whole scan could not read. */
  #unreadableFolders: readonly string[] = []
  #isFirst = true

  /** @param onUnreadable called after each failed attempt to read an existing file or folder */
  constructor(
    config: ResolvedConfig,
    clock: Clock,
    private readonly onUnreadable: (path: string) => void,
  ) {
    const { root, keySeparator, values } = config
    this.patterns = createFilePatterns(config)
    this.isWanted = wantedPart(config)
    this.#root = root
    this.#options = { keySeparator, values }
    this.#fingerprints = new FingerprintMemo(() => clock.now())
  }

  /** Returns the current content of the files. Unchanged files keep their `KnownFile`. */
  async scan(
    before: FilesSnapshot,
    isCalm: IsCalm,
    options: Pick<ScanOptions, 'everything' | 'isOnDemand' | 'onProgress'>,
  ): Promise<FilesSnapshot> {
    const { wanted, colliding, diagnostics } = await this.#list()
    const found: KnownFile[] = []
    for (let at = 0; at < wanted.length; at++) {
      const file = wanted[at] as TranslationFile
      const known = this.#visit(file, before.files.get(file.path), isCalm, options)
      if (known) found.push(known)
      if ((at + 1) % BATCH !== 0 && at + 1 !== wanted.length) continue
      options.onProgress?.(at + 1, wanted.length)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const listed = new Set(wanted.map(({ path }) => path))
    const isHidden = (path: string) => this.#unreadableFolders.some((folder) => isInside(folder, path))
    const isKept = (path: string) =>
      !listed.has(path) && !colliding.has(path) && (isHidden(path) || !isCalm(path, true))
    const kept = [...before.files.values()].filter(({ file }) => isKept(file.path))
    this.#isFirst = false
    this.#fingerprints.keepOnly(listed)
    return before.next([...found, ...kept], diagnostics)
  }

  /**
   * Like `scan`, but visits only these paths. Returns `undefined` if a file was added or removed, which requires a
   * whole scan.
   */
  scanPaths(before: FilesSnapshot, paths: Iterable<string>, isCalm: IsCalm): FilesSnapshot | undefined {
    if (this.#isFirst) return undefined
    const visited = new Map<string, KnownFile>()
    // First checks if these paths are enough, because a whole scan would read and parse the files again.
    for (const given of paths) {
      const path = this.patterns.match(given)?.path
      const old = path === undefined ? undefined : before.files.get(path)
      if (path === undefined) {
        // Only a whole scan can list a folder.
        if (this.#unreadableFolders.includes(given)) return undefined
        // A skipped file has a finding, which only a whole scan reports.
        if (this.patterns.compiled.some((pattern) => pattern.isLeftOut(given))) return undefined
      } else if (isFile(path)) {
        // A case-insensitive file system finds a renamed file under its old name too.
        if (!this.#listed.has(path)) return undefined
        if (old) visited.set(path, old)
      } else if (!old || isCalm(path, true)) return undefined
    }
    const changed: KnownFile[] = []
    for (const old of visited.values()) {
      const known = this.#visit(old.file, old, isCalm)
      if (!known) return undefined
      if (known !== old) changed.push(known)
    }
    return before.with(changed)
  }

  written(file: TranslationFile, bytes: Buffer): KnownFile {
    // The next scan reads the file again, because another program may have saved it right after the write.
    this.#fingerprints.forget(file.path)
    return this.#knownFile(file, bytes, undefined)
  }

  async #list() {
    const { files, diagnostics } = await listTranslationFiles(this.patterns)
    this.#unreadableFolders = diagnostics.flatMap(({ code, place }) =>
      code === 'FILE_READ' && place?.file !== undefined ? [join(this.#root, place.file)] : [],
    )
    for (const folder of this.#unreadableFolders) this.onUnreadable(folder)
    this.#listed = new Set(files.map(({ path }) => path))
    return { ...selectFiles({ files, diagnostics }, this.#root, this.isWanted), diagnostics }
  }

  /** The file's state; `undefined` if the file does not exist. */
  #visit(
    file: TranslationFile,
    old: KnownFile | undefined,
    isCalm: IsCalm,
    { everything, isOnDemand }: Pick<ScanOptions, 'everything' | 'isOnDemand'> = {},
  ): KnownFile | undefined {
    const { path } = file
    // The file is read when it is first used.
    if (old && !old.isRead) return old
    if (!old && isOnDemand) return new KnownFile(file, () => this.#readLate(file))
    const stats = statOf(path)
    if (old && stats && !everything && this.#fingerprints.isUnchanged(path, stats)) return old
    if (stats) this.#fingerprints.willRead(path, stats)
    // The file is read even without `stats`: they may be missing because another program has the file open.
    const known = this.#read(file, old)
    const isWhole = known !== undefined && (!isBroken(known) || (old !== undefined && isBroken(old)))
    if (isWhole || this.#isFirst || isCalm(path, known === undefined)) return known
    this.#fingerprints.forget(path)
    return old
  }

  #readLate(file: TranslationFile): FileContent {
    const stats = statOf(file.path)
    if (stats) this.#fingerprints.willRead(file.path, stats)
    const { bytes, texts, findings = [] } = this.#read(file, undefined)?.content ?? {}
    return { bytes, texts, findings, isUnknown: texts === undefined }
  }

  #read(file: TranslationFile, old: KnownFile | undefined): KnownFile | undefined {
    const { path } = file
    try {
      const bytes = readFileSync(path)
      return old && isSameContent(old.content.bytes, bytes) ? old : this.#knownFile(file, bytes, old)
    } catch (cause) {
      const finding = readFailure(cause, displayPath(this.#root, path))
      if (!finding) return undefined
      this.onUnreadable(path)
      // Forget the modification time, because the content was not read.
      this.#fingerprints.forget(path)
      if (old && old.content.bytes === undefined) return old
      return this.#withContent(file, { bytes: undefined, texts: undefined, findings: [finding] }, old)
    }
  }

  #knownFile(file: TranslationFile, bytes: Buffer, old: KnownFile | undefined): KnownFile {
    const options = { ...this.#options, file: displayPath(this.#root, file.path), wrappers: file.wrappers }
    const parsed = readTexts(bytes, options)
    const texts = parsed.ok ? lazyTexts(bytes, options, parsed) : undefined
    return this.#withContent(file, { bytes, texts, findings: parsed.diagnostics }, old)
  }

  /**
   * The state of a file with this content. A broken file keeps its last good texts. A broken file added after the first
   * scan has no texts.
   */
  #withContent(
    file: TranslationFile,
    { bytes, texts, findings }: Omit<FileContent, 'isUnknown'>,
    old: KnownFile | undefined,
  ): KnownFile {
    const isUnknown = !texts && (old ? old.content.isUnknown : this.#isFirst)
    return new KnownFile(file, { bytes, texts: texts ?? old?.content.texts, findings, isUnknown })
  }
}

function isBroken({ content }: KnownFile): boolean {
  return content.findings.length > 0
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** True if the path is a file. Like folder listings, does not follow symbolic links. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  } catch {
    return false
  }
}

/** Texts that may be garbage-collected between two uses: the strings of a large catalog would not fit into memory. */
function lazyTexts(bytes: Buffer, options: ParseOptions, { entries, values }: FlatTexts): LazyTexts {
  let hash: string | undefined
  let parsed = new WeakRef(entries)
  return {
    count: [...entries.values()].filter((text) => text !== '').length,
    messages() {
      const known = parsed.deref()
      if (known) return known
      const { entries: again } = readTexts(bytes, options)
      parsed = new WeakRef(again)
      return again
    },
    values,
    // Computed only after the first change, so that a dev server starts sooner.
    get hash() {
      hash ??= contentHash(bytes)
      return hash
    },
  }
}
