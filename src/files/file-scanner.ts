/** Finds out what the files hold, and reads only those that changed. Content decides; a broken file keeps its last good texts. */
import { type Stats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { nameFilter, relevantLanguages } from '../catalog/names.ts'
import type { PartRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import type { Clock } from '../shared/clock.ts'
import { createSlowness } from '../shared/slowness.ts'
import { quickFingerprint } from '../shared/stat-fingerprint.ts'
import { createContentReader } from './file-texts.ts'
import { FilesState, isSameContent, type KnownFile } from './files-state.ts'
import { listTranslationFiles } from './list.ts'
import { createFilePatterns, displayPath, type FilePatterns, type TranslationFile } from './patterns.ts'
import { createByteReader, readFailure } from './read-bytes.ts'

export interface ScanOptions {
  /** Reads all files, whatever their times say. */
  readonly everything?: boolean
  /** Waits until a file that is being written this moment can be told from what is written next, and reads it then. */
  readonly settle?: boolean
}

export interface FileScanner {
  readonly patterns: FilePatterns
  /** A file is broken that was whole: it may be half-written, and counts only if a scan after `SUSPECT_MS` finds the same. */
  readonly hasSuspects: boolean
  /** Whether the configuration wants these texts. */
  concerns(part: PartRef): boolean
  /** What the files hold now; the same state where that is what they held before. */
  scan(before: FilesState, options: ScanOptions): Promise<FilesState>
  /** The bytes of a file; `undefined`: it is not there. Throws where it cannot be read. */
  read(path: string): Promise<Buffer | undefined>
  /** A file with the bytes that were just written to it. */
  written(file: TranslationFile, bytes: Buffer): KnownFile
}

/** A file that is broken for so long was not just half-written. */
export const SUSPECT_MS = 250
/** How many files are read at once. */
const BATCH = 64
/** Nobody is kept waiting for longer because of a file's times. */
const LONGEST_SETTLE_MS = 100

/** A broken content that is not told yet. */
interface Suspect {
  readonly bytes: Buffer | undefined
  readonly since: number
}

export function createFileScanner(config: ResolvedConfig, clock: Clock): FileScanner {
  const { root, files, defaultNamespace, keySeparator } = config
  const patterns = createFilePatterns({ root, patterns: files, defaultNamespace })
  const isWanted = nameFilter(config.namespaces)
  const isRelevant = relevantLanguages(config)
  const concerns = ({ language, namespace, customer }: PartRef) =>
    isRelevant(language) && isWanted(namespace) && (customer === undefined || config.customers.includes(customer))
  const slowness = createSlowness()
  const readBytes = createByteReader(slowness, false)
  const contentOf = createContentReader(keySeparator)
  /** By path: an equal one saves reading the file. `undefined` proves nothing yet. */
  const fingerprints = new Map<string, string | undefined>()
  const suspects = new Map<string, Suspect>()
  let isFirst = true

  const list = async () => {
    const { files: found, diagnostics } = await listTranslationFiles(patterns)
    const colliding = new Set(
      diagnostics.filter(({ code }) => code === 'FILE_NAME_COLLISION').map(({ place }) => place?.file),
    )
    const wanted = found.filter((file) => concerns(file) && !colliding.has(displayPath(root, file.path)))
    return { wanted, diagnostics }
  }

  const fingerprintOf = async (path: string) => {
    const stats = slowness.now ? await stat(path).catch(() => undefined) : slowness.time(() => statNow(path))
    return stats && quickFingerprint(stats)
  }

  const knownFile = (file: TranslationFile, bytes: Buffer, old: KnownFile | undefined): KnownFile => {
    const { path, namespace } = file
    const { texts, findings } = contentOf({ path, namespace, name: displayPath(root, path), bytes })
    // A file that somebody begins while this runs had nothing before.
    const isUnknown = !texts && (old ? old.isUnknown : isFirst)
    return { file, bytes, texts: texts ?? old?.texts, findings, isUnknown }
  }

  const readAnew = async (file: TranslationFile, old: KnownFile | undefined): Promise<KnownFile | undefined> => {
    try {
      const { bytes } = await readBytes(file.path)
      return old && isSameContent(old.bytes, bytes) ? old : knownFile(file, bytes, old)
    } catch (cause) {
      const finding = readFailure(cause, displayPath(root, file.path))
      if (!finding) return undefined
      if (old && old.bytes === undefined) return old
      const isUnknown = old ? old.isUnknown : isFirst
      return { file, bytes: undefined, texts: old?.texts, findings: [finding], isUnknown }
    }
  }

  const isSuspect = ({ file: { path }, bytes, findings }: KnownFile, old: KnownFile | undefined): boolean => {
    const isNewlyBroken = findings.length > 0 && !isFirst && (!old || old.findings.length === 0)
    const suspect = suspects.get(path)
    if (!isNewlyBroken) suspects.delete(path)
    else if (!suspect || !isSameContent(suspect.bytes, bytes)) suspects.set(path, { bytes, since: clock.now() })
    else if (clock.now() - suspect.since >= SUSPECT_MS) suspects.delete(path)
    return suspects.has(path)
  }

  const visit = async (
    file: TranslationFile,
    old: KnownFile | undefined,
    { everything = false, settle = false }: ScanOptions,
  ): Promise<KnownFile | undefined> => {
    const { path } = file
    const before = await fingerprintOf(path)
    if (!before) return undefined
    const isKnown = before.fingerprint !== undefined && fingerprints.get(path) === before.fingerprint
    if (old && isKnown && !everything) return old
    const isWorthWaiting = settle && !isFirst && before.waitMs > 0 && before.waitMs <= LONGEST_SETTLE_MS
    if (isWorthWaiting) await sleep(before.waitMs)
    const { fingerprint } = (isWorthWaiting ? await fingerprintOf(path) : before) ?? {}
    const known = await readAnew(file, old)
    if (!known) return undefined
    const isLeftOut = isSuspect(known, old)
    fingerprints.set(path, isLeftOut ? undefined : fingerprint)
    return isLeftOut ? old : known
  }

  return {
    patterns,
    get hasSuspects() {
      return suspects.size > 0
    },
    concerns,
    async scan(before, options) {
      const { wanted, diagnostics } = await list()
      const files = new Map<string, KnownFile>()
      for (let at = 0; at < wanted.length; at += BATCH) {
        const batch = wanted.slice(at, at + BATCH).map((file) => visit(file, before.files.get(file.path), options))
        for (const known of await Promise.all(batch)) if (known) files.set(known.file.path, known)
      }
      isFirst = false
      const listed = new Set(wanted.map(({ path }) => path))
      for (const kept of [fingerprints, suspects])
        for (const path of kept.keys()) if (!listed.has(path)) kept.delete(path)
      const after = new FilesState(files, diagnostics)
      return isSameState(before, after) ? before : after
    },
    async read(path) {
      try {
        return (await readBytes(path)).bytes
      } catch (cause) {
        if (readFailure(cause, path)) throw cause
        return undefined
      }
    },
    written(file, bytes) {
      // What was written is read once more, in case somebody saved right behind it.
      fingerprints.delete(file.path)
      suspects.delete(file.path)
      return knownFile(file, bytes, undefined)
    },
  }
}

function statNow(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function isSameState(before: FilesState, after: FilesState): boolean {
  if (before.files.size !== after.files.size) return false
  for (const [path, known] of after.files) if (before.files.get(path) !== known) return false
  return JSON.stringify(before.listFindings) === JSON.stringify(after.listFindings)
}
