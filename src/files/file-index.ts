/** What the translation files hold, kept up to date by scanning. Content decides; a file that cannot be read keeps its last good texts. */
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { type Catalog, createCatalog, type Messages } from '../catalog/model.ts'
import { nameFilter, relevantLanguages } from '../catalog/names.ts'
import { type PartRef, partId, type TextRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, LocalizationError, type Place } from '../errors.ts'
import { writeFileAtomic } from '../shared/atomic-write.ts'
import { hashOf } from '../shared/hash.ts'
import { stampOf } from '../shared/stamp.ts'
import { findCollisions, listTranslationFiles } from './list.ts'
import { createFilePatterns, displayPath, type FilePatterns, type TranslationFile } from './patterns.ts'
import { readTranslationFile, type TranslationFileContent } from './read.ts'
import { updateTranslationText } from './write.ts'

/** One text that the file did not have, or had otherwise, at the scan before. */
export interface TextChange {
  readonly ref: TextRef
  readonly before: string | undefined
  readonly after: string | undefined
}

export interface ScanResult {
  readonly changes: readonly TextChange[]
  /** Texts of files that could not be read from the start until now: nobody knows what they had before. */
  readonly found: readonly TextChange[]
  /** Absolute paths of files that are new, gone, or have other content. */
  readonly files: readonly string[]
  /** The findings are others than before. */
  readonly findingsChanged: boolean
  /** A file changed that nobody had pointed at: whatever watches has missed it. */
  readonly missed: boolean
  /** A file is broken that was whole: it may be half-written, so it is not reported before a further scan says the same. */
  readonly suspect: boolean
}

export type WriteOutcome = 'written' | 'changed' | 'broken' | 'homeless' | 'unnameable'

export interface FileIndex {
  readonly patterns: FilePatterns
  /** Reads what changed. Files named in `hints` are read whatever their times say; `everything`: all are. */
  scan(options?: { hints?: ReadonlySet<string>; everything?: boolean }): Promise<ScanResult>
  text(ref: TextRef): string | undefined
  /** The part's file could not be read so far: that it has no texts means nothing. */
  isUnknown(part: PartRef): boolean
  /** How many texts the part has. */
  size(part: PartRef): number
  /** The part's file, by its name on the disk; where there is none, the one it would be. `undefined`: no pattern has a place for it. */
  pathOf(part: PartRef): string | undefined
  /** Whether there is a file for the part. */
  has(part: PartRef): boolean
  parts(): Iterable<PartRef & { readonly messages: Messages }>
  catalog(): Catalog
  /** Everything that is wrong now. */
  findings(): readonly Diagnostic[]
  /** Where a text stands, read anew from its file. */
  placeOf(ref: TextRef): Promise<Place>
  /**
   * Puts texts into the part's file, which is made where there is none; `undefined` takes a key out. `changed`: the file is not what was scanned last, `broken`: it
   * cannot be read, `homeless`: no pattern has a place for it, `unnameable`: its name is longer than a file's may be; nothing was written
   * then. Errors: FILE_WRITE, FILE_KEY_COLLISION, FILE_NAME_COLLISION, FILE_PATTERN and the like.
   */
  write(part: PartRef, texts: ReadonlyMap<string, string | undefined>): Promise<WriteOutcome>
  /** Throws FILE_NAME_COLLISION where new files for these parts could not be told from one another, or from those that are there, on every disk. */
  checkNames(parts: Iterable<PartRef>): void
}

interface KnownFile {
  readonly file: TranslationFile
  readonly hash: string
  /** An equal one saves reading the file. */
  readonly stamp: string | undefined
  readonly entries: Messages
  readonly findings: readonly Diagnostic[]
  /** It was broken when it was first seen, and still is. */
  readonly isUnknown: boolean
}

const BATCH = 64
/** Bytes that a file's name may have on the disks of Linux, macOS (which counts characters) and Windows (likewise). */
const LONGEST_NAME = 255

export function createFileIndex(config: ResolvedConfig): FileIndex {
  const { root, files, defaultNamespace, keySeparator, shape } = config
  const patterns = createFilePatterns({ root, patterns: files, defaultNamespace })
  const isWanted = nameFilter(config.namespaces)
  const isRelevant = relevantLanguages(config)
  const known = new Map<string, KnownFile>()
  const byPart = new Map<string, KnownFile>()
  /** Parts whose new files' names were found to be good since the last scan: each check looks at all of them. */
  const checkedNames = new Set<string>()
  const suspects = new Map<string, string>()
  let listFindings: readonly Diagnostic[] = []
  let isFirst = true

  const concerns = ({ language, namespace, customer }: PartRef) =>
    isRelevant(language) && isWanted(namespace) && (customer === undefined || config.customers.includes(customer))

  const list = async (): Promise<readonly TranslationFile[]> => {
    const { files: found, diagnostics } = await listTranslationFiles(patterns)
    listFindings = diagnostics
    const colliding = new Set(
      diagnostics.filter(({ code }) => code === 'FILE_NAME_COLLISION').map(({ place }) => place?.file),
    )
    return found.filter((file) => concerns(file) && !colliding.has(displayPath(root, file.path)))
  }

  const read = (path: string) => readTranslationFile(path, { keySeparator, file: displayPath(root, path) })

  const keep = (path: string, next: KnownFile | undefined) => {
    if (next) known.set(path, next)
    else known.delete(path)
  }

  const scan: FileIndex['scan'] = async ({ hints = new Set<string>(), everything = false } = {}) => {
    checkedNames.clear()
    const before = findingsKey(listFindings, known)
    const listed = await list()
    const changes: TextChange[] = []
    const found: TextChange[] = []
    const changedFiles: string[] = []
    let missed = false
    let suspect = false
    const present = new Set<string>()

    const visit = async (file: TranslationFile) => {
      const { path } = file
      const old = known.get(path)
      const stats = await stat(path).catch(() => undefined)
      if (!stats) return
      const stamp = stampOf(stats)
      present.add(path)
      if (!everything && !hints.has(path) && old?.stamp !== undefined && old.stamp === stamp) return
      const content = await read(path)
      if (!content) {
        present.delete(path)
        return
      }
      if (!content.ok && old && old.findings.length === 0 && suspects.get(path) !== content.hash) {
        suspects.set(path, content.hash)
        suspect = true
        // No stamp: the next scan reads it again.
        known.set(path, { ...old, stamp: undefined })
        return
      }
      suspects.delete(path)
      if (old && old.hash === content.hash && old.findings.length === content.diagnostics.length) {
        known.set(path, { ...old, stamp })
        return
      }
      if (!hints.has(path)) missed = true
      changedFiles.push(path)
      const entries = content.ok ? content.entries : (old?.entries ?? new Map<string, string>())
      // A file that somebody begins while this runs had nothing before.
      const isUnknown = !content.ok && (old ? old.isUnknown : isFirst)
      keep(path, { file, hash: content.hash, stamp, entries, findings: content.diagnostics, isUnknown })
      const here = old?.isUnknown ? found : changes
      // Not spread: so many arguments are more than a stack holds.
      for (const change of diff(file, old?.entries, entries)) here.push(change)
    }
    for (let at = 0; at < listed.length; at += BATCH) await Promise.all(listed.slice(at, at + BATCH).map(visit))

    for (const [path, old] of known) {
      if (present.has(path)) continue
      if (!hints.has(path)) missed = true
      changedFiles.push(path)
      known.delete(path)
      suspects.delete(path)
      for (const change of diff(old.file, old.entries, undefined)) changes.push(change)
    }
    index()
    isFirst = false
    return {
      changes: joinMoves(changes),
      found,
      files: changedFiles,
      findingsChanged: findingsKey(listFindings, known) !== before,
      missed,
      suspect,
    }
  }

  const index = () => {
    byPart.clear()
    for (const one of known.values()) if (!byPart.has(partId(one.file))) byPart.set(partId(one.file), one)
  }

  const pathOf = (part: PartRef) => byPart.get(partId(part))?.file.path ?? patterns.pathOf(part)

  return {
    patterns,
    scan,
    pathOf,
    text: (ref) => byPart.get(partId(ref))?.entries.get(ref.key),
    isUnknown: (part) => byPart.get(partId(part))?.isUnknown ?? false,
    size: (part) => byPart.get(partId(part))?.entries.size ?? 0,
    has: (part) => byPart.has(partId(part)),
    *parts() {
      for (const { file, entries } of byPart.values()) yield { ...partOf(file), messages: entries }
    },
    catalog: () =>
      createCatalog({
        parts: [...byPart.values()].map(({ file, entries }) => ({ ...partOf(file), messages: entries })),
      }),
    findings: () => [...listFindings, ...[...known.values()].flatMap(({ findings }) => findings)],
    async placeOf(ref) {
      const { key, ...part } = ref
      const path = byPart.get(partId(ref))?.file.path
      if (path === undefined) return { ...part, key }
      const content = await read(path)
      return { ...part, key, file: displayPath(root, path), ...content?.positionOf(key) }
    },
    checkNames: (parts) => checkNames(parts),
    async write(part, texts) {
      const path = pathOf(part)
      const file = path === undefined ? undefined : patterns.match(path)
      if (path === undefined || !file || !concerns(file)) return 'homeless'
      const expected = known.get(path)
      if (!expected) {
        if (Buffer.byteLength(basename(path)) > LONGEST_NAME) return 'unnameable'
        if (!checkedNames.has(partId(part))) checkNames([part])
      }
      const content = await read(path)
      if (content?.hash !== expected?.hash) return 'changed'
      if (content && !content.ok) return 'broken'
      if (!content && [...texts.values()].every((text) => text === undefined)) return 'written'
      const current = content && Buffer.from(content.bytes).toString('utf8')
      const next = updateTranslationText(current, texts, { keySeparator, shape, file: displayPath(root, path) })
      if (next === current) return 'written'
      let changed = false
      const confirm = async () => {
        changed = (await read(path))?.hash !== content?.hash
        if (changed) throw new Error('somebody else saved it meanwhile')
      }
      try {
        await writeFileAtomic(path, next, { confirm })
      } catch (error) {
        if (changed) return 'changed'
        throw error
      }
      const written = await read(path)
      if (written?.ok && written.hash === hashOf(next)) adopt(file, written)
      return 'written'
    },
  }

  function checkNames(given: Iterable<PartRef>): void {
    const parts = [...given]
    const fresh = parts.flatMap((part) => {
      const path = byPart.has(partId(part)) ? undefined : patterns.pathOf(part)
      const file = path === undefined || known.has(path) ? undefined : patterns.match(path)
      return file ? [file] : []
    })
    for (const part of parts) checkedNames.add(partId(part))
    if (fresh.length === 0) return
    const before = [...known.values()].map(({ file }) => file)
    const old = new Set(findCollisions(before, root).map(({ message }) => message))
    const found = findCollisions([...before, ...fresh], root).find(({ message }) => !old.has(message))
    if (!found) return
    checkedNames.clear()
    throw new LocalizationError(found.message, found)
  }

  function adopt(file: TranslationFile, content: TranslationFileContent): void {
    // No stamp: what was written is read once more, in case somebody saved right behind it.
    const { hash, entries } = content
    known.set(file.path, { file, hash, stamp: undefined, entries, findings: [], isUnknown: false })
    index()
  }
}

function partOf({ language, namespace, customer }: PartRef): PartRef {
  return { language, namespace, ...(customer !== undefined && { customer }) }
}

function diff(part: PartRef, before: Messages | undefined, after: Messages | undefined): TextChange[] {
  const changes: TextChange[] = []
  const ref = partOf(part)
  for (const [key, text] of after ?? []) {
    const old = before?.get(key)
    if (old !== text) changes.push({ ref: { ...ref, key }, before: old, after: text })
  }
  for (const [key, text] of before ?? []) {
    if (!after?.has(key)) changes.push({ ref: { ...ref, key }, before: text, after: undefined })
  }
  return changes
}

/** A text that left one file for another is one change. */
function joinMoves(changes: readonly TextChange[]): readonly TextChange[] {
  const joined = new Map<string, TextChange>()
  for (const change of changes) {
    const id = `${partId(change.ref)} ${change.ref.key}`
    const other = joined.get(id)
    if (!other) joined.set(id, change)
    else {
      joined.set(id, {
        ref: change.ref,
        before: other.before ?? change.before,
        after: other.after ?? change.after,
      })
    }
  }
  return [...joined.values()].filter(({ before, after }) => before !== after)
}

function findingsKey(list: readonly Diagnostic[], known: ReadonlyMap<string, KnownFile>): string {
  const all = [...list]
  for (const { findings } of known.values()) for (const finding of findings) all.push(finding)
  return all.length === 0 ? '' : JSON.stringify(all)
}
