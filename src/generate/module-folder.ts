/**
 * Updates the folder of generated modules, and removes files that are no longer generated. A list in the folder
 * contains every file that was written, so that no other file is ever replaced or removed.
 */
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LocalizationError } from '../errors.ts'
import { ignoreInGit, sweepTemporaries, writeFileAtomic } from '../shared/atomic-write.ts'
import { listed } from '../shared/figures.ts'
import { hashOf } from '../shared/hash.ts'
import { isInside } from '../shared/paths.ts'
import { takeLock } from '../sync/lock.ts'
import type { GeneratedFile } from './module-files.ts'

/** The changes in the folder. Paths are relative to it, with forward slashes. */
export interface FolderChanges {
  readonly written: readonly string[]
  readonly removed: readonly string[]
  /** The files in `written` or `removed` that were edited by hand after they were generated. */
  readonly edited: readonly string[]
}

/**
 * For each path, the digest of the content that was last written. After an interrupted run, also the digest of the
 * content that the run was writing.
 */
type List = ReadonlyMap<string, readonly string[]>

type Plan = Awaited<ReturnType<typeof planChanges>>

const LIST_FILE = 'modules.json'
const BATCH = 32

/**
 * Updates the folder. A file that imports another file is written after that file, and removed before it. Concurrent
 * runs wait for each other. Throws FILE_WRITE, for example if the folder contains other files. If `trustList` is true,
 * a file is not read if the list already has its new digest.
 */
export async function writeModules(
  folder: string,
  files: readonly GeneratedFile[],
  signal: AbortSignal,
  { dryRun, trustList = false }: { readonly dryRun: boolean; readonly trustList?: boolean },
): Promise<FolderChanges> {
  // A missing folder cannot be locked. Another run may be making it.
  if (dryRun && !existsSync(folder)) return { written: files.map(({ path }) => path), removed: [], edited: [] }
  // Without the lock, the files of a run that is writing look like manual edits, or like files of another program.
  // So only a current folder counts here. It may be read-only.
  const first = await planChanges(folder, files, trustList).catch(() => undefined)
  if (first && isCurrent(first)) return first
  if (!dryRun) await makeFolder(folder)
  const lock = await takeLock(folder, signal)
  try {
    const plan = await planChanges(folder, files, trustList)
    if (!dryRun && !isCurrent(plan)) await writePlan(folder, plan)
    return plan
  } finally {
    await lock.release()
  }
}

/** Returns the relative paths of the generated files. */
export function listModules(folder: string): readonly string[] {
  try {
    return [...(parseList(readFileSync(join(folder, LIST_FILE), 'utf8'), folder)?.keys() ?? [])]
  } catch {
    return []
  }
}

function isCurrent({ written, removed, isListCurrent }: Plan): boolean {
  return written.length === 0 && removed.length === 0 && isListCurrent
}

async function planChanges(folder: string, all: readonly GeneratedFile[], trustList: boolean) {
  const list = await readList(folder)
  const digests = new Map(all.map(({ path, content }) => [path, digestOf(content)]))
  const files: GeneratedFile[] = []
  const edited: string[] = []
  const foreignFiles: string[] = []
  await inBatches(all, async (file) => {
    const digest = digests.get(file.path)
    const known = list.get(file.path)
    if (trustList && known?.length === 1 && known[0] === digest) return
    const current = await readDigest(join(folder, file.path))
    if (current === digest) return
    files.push(file)
    if (current === undefined) return
    if (!known) foreignFiles.push(file.path)
    else if (!known.includes(current)) edited.push(file.path)
  })
  if (foreignFiles.length > 0) throw foreignFilesError(folder, foreignFiles)
  const removed = [...list.keys()].filter((path) => !digests.has(path))
  for (const path of removed) {
    const current = await readDigest(join(folder, path))
    if (current !== undefined && !list.get(path)?.includes(current)) edited.push(path)
  }
  const order = new Map(all.map(({ path }, at) => [path, at]))
  files.sort((a, b) => (order.get(a.path) as number) - (order.get(b.path) as number))
  const isListed = ([path, digest]: readonly [string, string]) => list.get(path)?.join() === digest
  const isListCurrent = list.size === digests.size && [...digests].every(isListed)
  return { files, digests, written: files.map(({ path }) => path), removed, edited: edited.sort(), list, isListCurrent }
}

async function writePlan(folder: string, { files, digests, removed, list }: Plan): Promise<void> {
  const folders = new Set([...list.keys(), ...digests.keys()].map((path) => dirname(join(folder, path))))
  for (const each of folders) await sweepTemporaries(each)
  // The list is written before the first file. Even after a crash, it then contains every file that may exist.
  const both = [...digests].map(([path, digest]) => [path, [...new Set([...(list.get(path) ?? []), digest])]] as const)
  await writeList(folder, new Map([...list, ...both]))
  for (const group of groupsOf(files)) {
    await inBatches(group, ({ path, content }) => writeFileAtomic(join(folder, path), content, { durable: false }))
  }
  for (const path of [...removed].reverse()) await rm(join(folder, path), { force: true })
  const emptied = new Set(removed.map((path) => dirname(join(folder, path))))
  // `rmdir` fails if a folder is not empty, so such folders are kept.
  for (const each of [...emptied].sort().reverse()) if (each !== folder) await rmdir(each).catch(() => undefined)
  await writeList(folder, new Map([...digests].map(([path, digest]) => [path, [digest]])))
}

/**
 * Returns the files in groups: namespaces, then languages, then the manifest. Files in the same group do not import
 * each other.
 */
function groupsOf(files: readonly GeneratedFile[]): readonly (readonly GeneratedFile[])[] {
  const isManifest = ({ path }: GeneratedFile) => path.startsWith('index.')
  const isOfNamespace = ({ path }: GeneratedFile) => path.includes('/') || /^(?:runtime\.|package\.json$)/.test(path)
  return [
    files.filter(isOfNamespace),
    files.filter((file) => !isOfNamespace(file) && !isManifest(file)),
    files.filter(isManifest),
  ]
}

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) await Promise.all(items.slice(at, at + BATCH).map(work))
}

async function makeFolder(folder: string): Promise<void> {
  // The folder must exist, because the lock's name is derived from the folder's real path.
  const made = await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw new LocalizationError('cannot create the folder', {
      code: 'FILE_WRITE',
      place: { file: folder },
      hint: 'Make its parent folder writable, or choose another folder with --out.',
      cause,
    })
  })
  if (made) ignoreInGit(folder)
}

async function readList(folder: string): Promise<List> {
  const text = await readFile(join(folder, LIST_FILE), 'utf8').catch(() => undefined)
  const list = text === undefined ? undefined : parseList(text, folder)
  if (list) return list
  const names = await readdir(folder).catch(() => [])
  const foreignFiles = names.filter((name) => !name.startsWith('.'))
  if (foreignFiles.length > 0) throw foreignFilesError(folder, foreignFiles)
  return new Map()
}

/** Returns the list, or `undefined` if it is not from this package or a merge has damaged it. */
function parseList(text: string, folder: string): List | undefined {
  try {
    const { version, files } = JSON.parse(text) as { readonly version?: unknown; readonly files?: unknown }
    if (version !== 1 || typeof files !== 'object' || files === null) return undefined
    const entries = Object.entries(files).map(([path, digests]) => [path, [digests].flat().map(String)] as const)
    return entries.every(([path]) => isInside(folder, join(folder, path))) ? new Map(entries) : undefined
  } catch {
    return undefined
  }
}

function writeList(folder: string, list: List): Promise<void> {
  const files = Object.fromEntries([...list].sort(([a], [b]) => (a < b ? -1 : 1)))
  const text = `${JSON.stringify({ version: 1, files })}\n`
  return writeFileAtomic(join(folder, LIST_FILE), text, { durable: false })
}

function digestOf(content: string | Uint8Array): string {
  return hashOf(content, 32)
}

async function readDigest(path: string): Promise<string | undefined> {
  const content = await readFile(path).catch(() => undefined)
  return content && digestOf(content)
}

function foreignFilesError(folder: string, names: readonly string[]): LocalizationError {
  return new LocalizationError(`contains files that were not generated: ${listed(names)}. Nothing was written`, {
    code: 'FILE_WRITE',
    place: { file: folder },
    hint: 'Remove them, or choose another folder with --out.',
  })
}
