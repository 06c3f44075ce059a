/** Changes of the project that `init` proposes: planned, written, and undone byte for byte. */
import { mkdir, readFile, rm, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-write.ts'
import type { Edited } from './edit/source.ts'

export interface Change {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  /** `undefined`: the change creates the file. */
  readonly before: string | undefined
  readonly after: string
}

export interface Manual {
  /** The place for the lines, with the line that prevents the edit. `undefined`: no file was found. */
  readonly place: string | undefined
  readonly reason: string
  readonly lines: readonly string[]
}

export interface Planned {
  readonly changes: readonly Change[]
  readonly manual: readonly Manual[]
  /** Files that have the change already. */
  readonly done: readonly string[]
}

export const NOTHING_PLANNED: Planned = { changes: [], manual: [], done: [] }

export function joinPlans(plans: readonly Planned[]): Planned {
  return {
    changes: plans.flatMap(({ changes }) => changes),
    manual: plans.flatMap(({ manual }) => manual),
    done: plans.flatMap(({ done }) => done),
  }
}

export function readText(root: string, path: string): Promise<string | undefined> {
  return readFile(join(root, path), 'utf8').catch(() => undefined)
}

/** The plan for one file: an edit, or the lines if the edit is refused. */
export function planEdit(path: string, before: string, edited: Edited, lines: readonly string[]): Planned {
  if (edited.text === undefined) {
    const place = edited.line === undefined ? path : `${path}:${edited.line}`
    return { ...NOTHING_PLANNED, manual: [{ place, reason: edited.reason, lines }] }
  }
  if (edited.text === before) return { ...NOTHING_PLANNED, done: [path] }
  return { ...NOTHING_PLANNED, changes: [{ path, before, after: edited.text }] }
}

interface Written {
  readonly path: string
  readonly before: Buffer | undefined
  readonly after: Buffer
}

export interface Applied {
  /** Resolves to the files that changed in the meantime, which stay. */
  undo(): Promise<string[]>
}

/** Either all files are written, or none. Errors: FILE_WRITE. */
export async function applyChanges(root: string, changes: readonly Change[]): Promise<Applied> {
  const written: Written[] = []
  const folders: string[] = []
  // Commands and builds make it.
  const hadOwnFolder = await isThere(join(root, '.localization'))
  const undo = async () => {
    const kept: string[] = []
    for (const one of written.toReversed()) if (!(await restore(root, one))) kept.push(one.path)
    for (const folder of folders.toReversed()) await rmdir(folder).catch(() => undefined)
    if (!hadOwnFolder) await rm(join(root, '.localization'), { recursive: true, force: true })
    return kept
  }
  try {
    for (const { path, after } of changes) {
      const file = join(root, path)
      const before = await readFile(file).catch(() => undefined)
      const made = await mkdir(dirname(file), { recursive: true })
      if (made !== undefined) folders.push(...foldersFrom(made, dirname(file)))
      await writeFileAtomic(file, after)
      written.push({ path, before, after: Buffer.from(after, 'utf8') })
    }
  } catch (error) {
    await undo()
    throw error
  }
  return { undo }
}

async function restore(root: string, { path, before, after }: Written): Promise<boolean> {
  const file = join(root, path)
  const now = await readFile(file).catch(() => undefined)
  if (!now?.equals(after)) return false
  if (before === undefined) await unlink(file)
  else await writeFileAtomic(file, before)
  return true
}

/** All folders from the outer to the inner. */
function foldersFrom(outer: string, inner: string): string[] {
  return outer.length < inner.length ? [...foldersFrom(outer, dirname(inner)), inner] : [inner]
}

const isThere = (path: string) =>
  readFile(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  )
