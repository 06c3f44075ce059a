/** Writes all changes, and undoes them byte for byte. */
import { mkdir, readFile, rm, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-write.ts'
import type { Change } from './change.ts'

interface Written {
  readonly path: string
  readonly before: Buffer | undefined
  readonly after: Buffer
}

export interface Applied {
  /** Resolves to the files that somebody changed meanwhile, which stay. */
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
