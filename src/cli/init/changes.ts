/** The changes to the project's files. They are planned, written, and undone byte for byte. */
import { mkdir, readFile, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LocalizationError, messageOf } from '../../errors.ts'
import { editFile } from '../../shared/atomic-write.ts'
import type { Edited } from './edit/source.ts'

export interface Change {
  /** The path, relative to the root, with forward slashes. */
  readonly path: string
  /** The current content; `undefined` if the change creates the file. */
  readonly before: string | undefined
  readonly after: string
}

export interface Planned {
  readonly changes: readonly Change[]
  /** Lines for the user to add. `place` is a file, perhaps with a line number; `undefined` if no file was found. */
  readonly manual: readonly { readonly place: string | undefined; reason: string; lines: readonly string[] }[]
  /** The files that need no change. */
  readonly done: readonly string[]
}

export function joinPlans(plans: readonly Partial<Planned>[]): Planned {
  return {
    changes: plans.flatMap(({ changes = [] }) => changes),
    manual: plans.flatMap(({ manual = [] }) => manual),
    done: plans.flatMap(({ done = [] }) => done),
  }
}

export function readText(root: string, path: string): Promise<string | undefined> {
  return readFile(join(root, path), 'utf8').catch(() => undefined)
}

/** @param lines shown to the user if the file cannot be edited */
export function planEdit(path: string, before: string, edited: Edited, lines: readonly string[]): Planned {
  if (edited.text === undefined) {
    const place = edited.line === undefined ? path : `${path}:${edited.line}`
    return joinPlans([{ manual: [{ place, reason: edited.reason, lines }] }])
  }
  return joinPlans([edited.text === before ? { done: [path] } : { changes: [{ path, before, after: edited.text }] }])
}

/**
 * Writes all files or none. Throws FILE_WRITE.
 *
 * @returns a function that undoes the changes. It keeps files that another program changed in the meantime, and
 *   resolves to their paths. It also keeps what a build wrote: another process may use the same folder.
 */
export async function applyChanges(root: string, changes: readonly Change[]) {
  const undos: (() => Promise<string | undefined>)[] = []
  const undo = async () => {
    const kept: string[] = []
    for (const step of undos.splice(0).reverse()) {
      const path = await step()
      if (path !== undefined) kept.push(path)
    }
    return kept
  }
  for (const { path, before: expected, after } of changes) {
    try {
      const file = join(root, path)
      const made = await mkdir(dirname(file), { recursive: true })
      undos.push(async () => {
        for (let folder = dirname(file); made && folder.length >= made.length; folder = dirname(folder))
          await rmdir(folder).catch(() => undefined)
        return undefined
      })
      let before: Buffer | undefined
      await editFile(file, (now) => {
        if (now?.toString() !== expected) throw new Error('another program changed it in the meantime')
        before = now
        return after
      })
      undos.push(async () => {
        let isOwn = false
        await editFile(file, (now) => {
          isOwn = now?.equals(Buffer.from(after)) ?? false
          return isOwn ? before : undefined
        })
        if (isOwn && before === undefined) await unlink(file)
        return isOwn ? undefined : path
      })
    } catch (cause) {
      await undo()
      const reason = messageOf(cause instanceof LocalizationError ? (cause.cause ?? cause) : cause)
      throw new LocalizationError(`${path} cannot be written: ${reason}. Nothing was changed.`, {
        code: 'FILE_WRITE',
        cause,
      })
    }
  }
  return undo
}
