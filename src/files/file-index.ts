/** What the translation files hold, as one reader has seen it: nothing moves under a reader but by its own `scan`, `take` and `write`. */
import type { Catalog, Messages } from '../catalog/model.ts'
import { type PartRef, partId, type TextRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type Diagnostic, LocalizationError, type Place } from '../errors.ts'
import type { Clock } from '../shared/clock.ts'
import { compareStates, FilesState, partOf, type ScanResult } from './files-state.ts'
import { findCollisions } from './list.ts'
import { displayPath, type FilePatterns, type TranslationFile } from './patterns.ts'
import {
  createProjectFiles,
  type ProjectFiles,
  type Reader,
  type SharedScanOptions,
  type WatchListener,
} from './project-files.ts'
import { readTranslationFile } from './read.ts'
import { isNameTooLong, type WriteOutcome, writePart } from './write-part.ts'

export { joinScans, type ScanResult, type TextChange } from './files-state.ts'
export type { WriteOutcome } from './write-part.ts'

export interface FileIndex {
  readonly patterns: FilePatterns
  /** Looks at the files, reads what changed, and takes it. What another reader's scan found comes with it, once. */
  scan(options?: SharedScanOptions): Promise<ScanResult>
  /** What the files held when anybody looked last: nothing is read. */
  take(): ScanResult
  text(ref: TextRef): string | undefined
  /** The part's file could not be read so far: that it has no texts means nothing. */
  isUnknown(part: PartRef): boolean
  /** How many texts the part has. */
  size(part: PartRef): number
  /** The part's file, by its name on the disk; where there is none, the one it would be. `undefined`: no pattern has a place for it. */
  pathOf(part: PartRef): string | undefined
  /** Whether there is a file for the part. */
  has(part: PartRef): boolean
  /** Texts are parsed where `messages` is read. */
  parts(): Iterable<PartRef & { readonly messages: Messages }>
  /** Every file, broken ones too. */
  files(): readonly TranslationFile[]
  /** Texts are parsed where they are asked for. */
  catalog(): Catalog
  /** Parses every file, in turns with other work. As long as the result is held, nothing is parsed again. */
  parseAll(): Promise<Messages[]>
  /** Everything that is wrong now. */
  findings(): readonly Diagnostic[]
  /** Where a text stands, read anew from its file. */
  placeOf(ref: TextRef): Promise<Place>
  /**
   * Puts texts into the part's file, which is made where there is none; `undefined` takes a key out. `changed`: the file is not what this
   * reader has seen, `broken`: it cannot be read, `unmatched`: no pattern has a place for it, `unnameable`: its name is longer than a
   * file's may be; nothing was written then. Errors: FILE_WRITE, FILE_KEY_COLLISION, FILE_NAME_COLLISION, FILE_PATTERN and the like.
   */
  write(part: PartRef, texts: ReadonlyMap<string, string | undefined>): Promise<WriteOutcome>
  /** Throws FILE_NAME_COLLISION where new files for these parts could not be told from one another, or from those that are there, on every disk. */
  checkNames(parts: Iterable<PartRef>): void
  /** Another reader of the same files, which has seen what this one has. */
  reader(): FileIndex
  /** Called when there is something to take, once the files have been quiet for a moment, until `close`. */
  onChange(listener: () => void): void
  /** Follows the system's events until `close`. Resolves when they come in. */
  watch(listener?: WatchListener): Promise<void>
  /** An event of somebody else's: the files are looked at when it is quiet. */
  lookSoon(): void
  /** Ends what this reader began; the watch ends with the last reader that asked for it. */
  close(): Promise<void>
}

export interface FileIndexOptions {
  /** Default: the real one. */
  readonly clock?: Clock | undefined
}

export function createFileIndex(config: ResolvedConfig, { clock }: FileIndexOptions = {}): FileIndex {
  return createReader(config, createProjectFiles(config, clock), new FilesState())
}

function createReader(config: ResolvedConfig, project: ProjectFiles, start: FilesState): FileIndex {
  const { root, keySeparator } = config
  const { scanner } = project
  const { patterns } = scanner
  const listeners: (() => void)[] = []
  /** Parts whose new files' names were found to be good since the last scan: each check looks at all of them. */
  const checkedNames = new Set<string>()
  let seen = start

  const self: Reader = {
    get isBehind() {
      return seen !== project.state
    },
    notify() {
      for (const listener of listeners) listener()
    },
  }

  /** Texts are mostly asked for file by file: the last answer saves making the part's id. */
  let lastPart:
    | { readonly part: PartRef; readonly seen: FilesState; readonly known: ReturnType<typeof look> }
    | undefined
  const look = (part: PartRef) => seen.byPart.get(partId(part))
  const knownOf = (part: PartRef) => {
    const last = lastPart
    if (
      last?.seen === seen &&
      last.part.namespace === part.namespace &&
      last.part.language === part.language &&
      last.part.customer === part.customer
    )
      return last.known
    const known = look(part)
    lastPart = { part, seen, known }
    return known
  }
  const pathOf = (part: PartRef) => knownOf(part)?.file.path ?? patterns.pathOf(part)

  const takeUp = (next: FilesState): ScanResult => {
    const result = compareStates(seen, next)
    seen = next
    checkedNames.clear()
    return result
  }

  const checkNames = (given: Iterable<PartRef>): void => {
    const parts = [...given]
    const fresh = parts.flatMap((part) => {
      const path = knownOf(part) ? undefined : patterns.pathOf(part)
      const file = path === undefined || seen.files.has(path) ? undefined : patterns.match(path)
      return file ? [file] : []
    })
    for (const part of parts) checkedNames.add(partId(part))
    if (fresh.length === 0) return
    const before = [...seen.files.values()].map(({ file }) => file)
    const old = new Set(findCollisions(before, root).map(({ message }) => message))
    const found = findCollisions([...before, ...fresh], root).find(({ message }) => !old.has(message))
    if (!found) return
    checkedNames.clear()
    throw new LocalizationError(found.message, found)
  }

  const write: FileIndex['write'] = async (part, texts) => {
    const outcome = await project.exclusive(async () => {
      const path = pathOf(part)
      const file = path === undefined ? undefined : patterns.match(path)
      if (!file || !scanner.concerns(file)) return 'unmatched'
      const expected = seen.files.get(file.path)
      if (!expected && isNameTooLong(file.path)) return 'unnameable'
      if (!expected && !checkedNames.has(partId(part))) checkNames([part])
      const { outcome, bytes } = await writePart({ config, file, expected, texts, read: scanner.read })
      if (bytes) {
        const known = scanner.written(file, bytes)
        const isUpToDate = !self.isBehind
        project.put(known)
        seen = isUpToDate ? project.state : seen.with(known)
      }
      return outcome
    })
    project.notifyBehind()
    return outcome
  }

  return {
    patterns,
    scan: async (options) => takeUp(await project.scan(options)),
    take: () => takeUp(project.state),
    text: (ref) => knownOf(ref)?.texts?.messages().get(ref.key),
    isUnknown: (part) => knownOf(part)?.isUnknown ?? false,
    size: (part) => knownOf(part)?.texts?.messages().size ?? 0,
    pathOf,
    has: (part) => knownOf(part) !== undefined,
    *parts() {
      for (const { file, texts } of seen.byPart.values()) {
        const part = {
          ...partOf(file),
          get messages() {
            return texts?.messages() ?? NO_MESSAGES
          },
        }
        yield part
      }
    },
    files: () => [...seen.files.values()].map(({ file }) => file),
    catalog: () => seen.catalog,
    async parseAll() {
      const parsed: Messages[] = []
      for (const { texts } of seen.files.values()) {
        if (texts) parsed.push(texts.messages())
        await nextTurn()
      }
      return parsed
    },
    findings: () => seen.findings,
    async placeOf(ref) {
      const { key, ...part } = ref
      const path = knownOf(ref)?.file.path
      if (path === undefined) return { ...part, key }
      const file = displayPath(root, path)
      const content = await readTranslationFile(path, { keySeparator, file })
      return { ...part, key, file, ...content?.positionOf(key) }
    },
    write,
    checkNames,
    reader: () => createReader(config, project, seen),
    onChange(listener) {
      listeners.push(listener)
      project.join(self)
    },
    watch: (listener = {}) => project.watch(self, listener),
    lookSoon: project.lookSoon,
    close() {
      listeners.length = 0
      return project.leave(self)
    },
  }
}

const NO_MESSAGES: Messages = new Map()

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
