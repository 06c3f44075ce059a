/** A change of the project that `init` proposes, and a change that it leaves to the person. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Edited } from './edit/edit.ts'

export interface Change {
  /** Relative to the root, with forward slashes. */
  readonly path: string
  /** `undefined`: the change makes the file. */
  readonly before: string | undefined
  readonly after: string
}

export interface Manual {
  /** Where the lines go, with the line that stands in the way. `undefined`: no file was found. */
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
