/** Finds out what the files hold, and reads only those that changed. A broken file keeps its last good texts. */
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ResolvedConfig } from '../config/types.ts'
import type { Diagnostic } from '../errors.ts'
import type { Clock } from '../shared/clock.ts'
import { fingerprintOf, type StatFingerprint } from '../shared/stat-fingerprint.ts'
import { readContent } from './file-texts.ts'
import { FilesState, isSameContent, isSameFindings } from './files-state.ts'
import { formatOf } from './formats/index.ts'
import type { KnownFile } from './known-file.ts'
import { listTranslationFiles } from './list.ts'
import { createFilePatterns, displayPath, type FilePatterns, type TranslationFile } from './patterns.ts'
import { type ParseOptions, readFailure } from './read.ts'
import { createTextCounter } from './text-writer.ts'
import { isUnread, UnreadFile } from './unread-file.ts'
import { wantedPart } from './wanted.ts'

export interface ScanOptions {
  /** Reads all files, also those with unchanged times. */
  readonly everything?: boolean
  /** Files that no scan has seen before are read at their first use. */
  readonly isOnDemand?: boolean
  /** Called while a scan of all files goes on. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/** A file that stays broken for so long is not half-written. */
export const SUSPECT_MS = 250
const BATCH = 64
/** A disk with a coarse clock would need seconds: its files are read at once, and again by the next scan. */
const LONGEST_SETTLE_MS = 100

/** A broken content that may be half-written. */
interface Suspect {
  readonly bytes: Buffer | undefined
  readonly since: number
}

export class FileScanner {
  readonly patterns: FilePatterns
  /** Whether the configuration selects these texts. */
  readonly isWanted: ReturnType<typeof wantedPart>
  readonly #root: string
  readonly #options: ParseOptions
  readonly #clock: Clock
  readonly #count: ReturnType<typeof createTextCounter>
  /** By path: a file with an equal fingerprint is not read. */
  readonly #fingerprints = new Map<string, string | undefined>()
  readonly #suspects = new Map<string, Suspect>()
  /** The paths of the last whole scan, including those that the configuration does not want. */
  #listed: ReadonlySet<string> = new Set()
  #isFirst = true

  constructor(config: ResolvedConfig, clock: Clock) {
    const { root, keySeparator, values } = config
    this.patterns = createFilePatterns(config)
    this.isWanted = wantedPart(config)
    this.#root = root
    this.#options = { keySeparator, values }
    this.#clock = clock
    this.#count = createTextCounter(keySeparator)
  }

  /** A whole file became broken: the content counts if a scan after `SUSPECT_MS` finds it again. */
  get hasSuspects(): boolean {
    return this.#suspects.size > 0
  }

  /** The content of the files now; the same state where nothing changed. */
  async scan(before: FilesState, options: ScanOptions): Promise<FilesState> {
    const { wanted, diagnostics } = await this.#list()
    const files = new Map<string, KnownFile>()
    for (let at = 0; at < wanted.length; at += BATCH) {
      const batch = wanted.slice(at, at + BATCH).map((file) => this.#visit(file, before.files.get(file.path), options))
      for (const known of await Promise.all(batch)) if (known) files.set(known.file.path, known)
      options.onProgress?.(Math.min(at + BATCH, wanted.length), wanted.length)
    }
    this.#isFirst = false
    const listed = new Set(wanted.map(({ path }) => path))
    for (const kept of [this.#fingerprints, this.#suspects])
      for (const path of kept.keys()) if (!listed.has(path)) kept.delete(path)
    return nextState(before, files, diagnostics)
  }

  /**
   * Like `scan`, but visits only the files of these paths, and those that the last scan left in doubt. `undefined`: a
   * file was added or removed, so a whole scan is needed.
   */
  async scanPaths(before: FilesState, paths: Iterable<string>): Promise<FilesState | undefined> {
    if (this.#isFirst) return undefined
    const visited = new Set(this.#suspects.keys())
    for (const [path, fingerprint] of this.#fingerprints) if (fingerprint === undefined) visited.add(path)
    for (const given of paths) {
      const path = this.patterns.match(given)?.path
      if (path === undefined) {
        // Files that are left out have findings.
        if (this.patterns.compiled.some((pattern) => pattern.isLeftOut(given))) return undefined
      } else if (before.files.has(path)) visited.add(path)
      else if (!this.#listed.has(path) || !isFile(path)) return undefined
    }
    const changed: KnownFile[] = []
    for (const path of visited) {
      const old = before.files.get(path)
      if (!old || !isFile(path)) return undefined
      const known = await this.#visit(old.file, old, {})
      if (!known) return undefined
      if (known !== old) changed.push(known)
    }
    return changed.length === 0 ? before : before.with(changed)
  }

  /** A file with the bytes that were just written to it. */
  written(file: TranslationFile, bytes: Buffer): KnownFile {
    // The next scan reads the file again: another program may have saved it right after the write.
    this.#fingerprints.delete(file.path)
    this.#suspects.delete(file.path)
    return this.#knownFile(file, bytes, undefined)
  }

  async #list(): Promise<{ readonly wanted: TranslationFile[]; readonly diagnostics: readonly Diagnostic[] }> {
    const { files, diagnostics } = await listTranslationFiles(this.patterns)
    const collisions = diagnostics.filter(({ code }) => code === 'FILE_NAME_COLLISION')
    const colliding = new Set(collisions.map(({ place }) => place?.file))
    const wanted = files.filter((file) => {
      if (!this.isWanted(file)) return false
      return colliding.size === 0 || !colliding.has(displayPath(this.#root, file.path))
    })
    this.#listed = new Set(files.map(({ path }) => path))
    return { wanted, diagnostics }
  }

  async #visit(
    file: TranslationFile,
    old: KnownFile | undefined,
    { everything = false, isOnDemand = false }: ScanOptions,
  ): Promise<KnownFile | undefined> {
    const { path } = file
    // Its first use will read the file as it is then.
    if (old && isUnread(old)) return old
    if (!old && isOnDemand) return new UnreadFile(file, () => this.#readLate(file))
    const before = statOf(path)
    if (!before) return undefined
    const isUnchanged = before.fingerprint !== undefined && this.#fingerprints.get(path) === before.fingerprint
    if (old && isUnchanged && !everything) return old
    // After this wait every later write changes the fingerprint, so the next scan need not read the file again. The
    // first scan does not wait: it would delay the start.
    const isWorthWaiting = !this.#isFirst && before.waitMs > 0 && before.waitMs <= LONGEST_SETTLE_MS
    if (isWorthWaiting) await sleep(before.waitMs)
    const { fingerprint } = (isWorthWaiting ? statOf(path) : before) ?? {}
    const known = this.#read(file, old)
    if (!known) return undefined
    const isSuspect = this.#isSuspect(known, old)
    this.#fingerprints.set(path, isSuspect ? undefined : fingerprint)
    return isSuspect ? old : known
  }

  #readLate(file: TranslationFile): KnownFile {
    this.#fingerprints.set(file.path, statOf(file.path)?.fingerprint)
    const known = this.#read(file, undefined) ?? { file, bytes: undefined, texts: undefined, findings: [] }
    return { ...known, isUnknown: known.texts === undefined }
  }

  #read(file: TranslationFile, old: KnownFile | undefined): KnownFile | undefined {
    try {
      const bytes = readFileSync(file.path)
      return old && isSameContent(old.bytes, bytes) ? old : this.#knownFile(file, bytes, old)
    } catch (cause) {
      const finding = readFailure(cause, displayPath(this.#root, file.path))
      if (!finding) return undefined
      if (old && old.bytes === undefined) return old
      return this.#withoutTexts({ file, bytes: undefined, findings: [finding] }, old)
    }
  }

  #knownFile(file: TranslationFile, bytes: Buffer, old: KnownFile | undefined): KnownFile {
    const count = formatOf(file.path).isPlain && !file.wrappers ? this.#count(file.namespace, bytes) : undefined
    const name = displayPath(this.#root, file.path)
    const { texts, diagnostics } = readContent(bytes, { ...this.#options, file: name, wrappers: file.wrappers }, count)
    if (!texts) return this.#withoutTexts({ file, bytes, findings: diagnostics }, old)
    return { file, bytes, texts, findings: diagnostics, isUnknown: false }
  }

  #withoutTexts(given: Pick<KnownFile, 'file' | 'bytes' | 'findings'>, old: KnownFile | undefined): KnownFile {
    // A broken file that appears later had no texts before.
    return { ...given, texts: old?.texts, isUnknown: old ? old.isUnknown : this.#isFirst }
  }

  #isSuspect({ file: { path }, bytes, findings }: KnownFile, old: KnownFile | undefined): boolean {
    const isNewlyBroken = findings.length > 0 && !this.#isFirst && (!old || old.findings.length === 0)
    const suspect = this.#suspects.get(path)
    const now = this.#clock.now()
    if (!isNewlyBroken) this.#suspects.delete(path)
    else if (!suspect || !isSameContent(suspect.bytes, bytes)) this.#suspects.set(path, { bytes, since: now })
    else if (now - suspect.since >= SUSPECT_MS) this.#suspects.delete(path)
    return this.#suspects.has(path)
  }
}

function statOf(path: string): StatFingerprint | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats && fingerprintOf(stats)
  } catch {
    return undefined
  }
}

/** As the list of a folder does: symbolic links are not followed. */
function isFile(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
  } catch {
    return false
  }
}

function nextState(
  before: FilesState,
  files: ReadonlyMap<string, KnownFile>,
  listFindings: readonly Diagnostic[],
): FilesState {
  const changed: KnownFile[] = []
  let isSameList = before.files.size === files.size && isSameFindings(before.listFindings, listFindings)
  let isSameOrder = true
  const old = before.files.values()
  for (const [path, known] of files) {
    isSameList &&= before.files.has(path)
    isSameOrder &&= old.next().value?.file.path === path
    if (before.files.get(path) !== known) changed.push(known)
  }
  if (isSameList && changed.length === 0) return before
  return isSameList && isSameOrder ? before.with(changed) : new FilesState(files, listFindings)
}
