/**
 * The data that the inspector's pages and server exchange. The pages import only types from here. `endpoints.ts`
 * contains the calls.
 */
import type { Language } from '../catalog/model.ts'
import { showText, type TextRef } from '../catalog/text-id.ts'
import type { Diagnostic } from '../errors.ts'
import type { SyncStatus } from '../sync/engine.ts'
import type { OutboxEntry } from '../sync/outbox.ts'

export type KeyName = Pick<TextRef, 'namespace' | 'key'>

/** One line of the `events` stream: data of this kind has changed. */
export type EventKind = 'change' | 'log' | 'jobs' | 'environments'

export type ErrorAnswer = { readonly error: string }

export interface ActionAnswer {
  /** The number of texts or jobs for which the action succeeded. */
  readonly done: number
  /** Why it failed for the others, one sentence each. */
  readonly problems: readonly string[]
}

export type ProjectChoice = { readonly id: string; readonly name: string }

/** `project` is a dev server with files; `service` is a service without files. */
export type ProjectKind = 'project' | 'service'

/** A pseudo language is derived from the default language, so it cannot be edited. */
export type InspectedLanguage = Language & { readonly isPseudo: boolean }

/**
 * - `conflict`: both sides changed.
 * - `held`: differs from the service, and is sent only after the user confirms.
 * - `waiting`: in the outbox.
 * - `refused`: the service did not accept it.
 * - `newer`: the app gets the service's text; the file has an older one.
 * - `deleted-here`: deleted in the file; the service still has it.
 * - `deleted-there`: deleted on the service; the file still has it.
 */
export type TextState = 'conflict' | 'held' | 'waiting' | 'refused' | 'newer' | 'deleted-here' | 'deleted-there'

export interface Cell {
  /** The text that the app shows. */
  readonly text: string
  /** `fallback`: the text is from another language, or it is not the customer's own. */
  readonly origin: 'file' | 'service' | 'fallback' | 'pseudo' | 'none'
  /** If `origin` is `fallback`, the language of the text. */
  readonly from?: string | undefined
  /**
   * True for a plural form that the language does not use, so nothing is missing. Set only for `fallback` and `none`.
   */
  readonly isUnusedForm?: boolean | undefined
  readonly state?: TextState | undefined
  /** True if the default language's text has changed since this text was translated from it. */
  readonly isStale?: boolean | undefined
  /** `undefined` if unknown. */
  readonly isReviewed?: boolean | undefined
}

export function isMissing({ origin, isUnusedForm }: Cell): boolean {
  return (origin === 'none' || origin === 'fallback') && !isUnusedForm
}

/** The cells are in the order of the overview's languages. */
export type Row = KeyName & { readonly cells: readonly Cell[] }

export interface Coverage {
  readonly translated: number
  readonly expected: number
  /** The number of texts that have a state. */
  readonly differing: number
  readonly stale: number
  /** Also 0 if the service was not read, or if the namespace is too large. */
  readonly unreviewed: number
  /** True if a file has an error. The other figures then describe the file's last valid texts. */
  readonly isBroken: boolean
}

export type FindingLine = Pick<Diagnostic, 'severity' | 'message'>

/** `place` is, for example, `locales/en/common.json:3:5`. */
export type FileFinding = FindingLine & { readonly place: string | undefined }

export interface SyncInfo {
  readonly role: SyncStatus['role'] | 'none'
  /** The process that is syncing, if it is another one. */
  readonly ownerPid?: number | undefined
  /** True if edits are sent automatically. */
  readonly pushes: boolean
  /** The error of the last request to the service; absent if it succeeded. */
  readonly failure?: string | undefined
  /** The time of the last successful request to the service, in milliseconds since 1970. */
  readonly contactAt?: number | undefined
  /** The source of the texts if the service failed during loading, such as `snapshot, 5 hours old`. */
  readonly fallback?: string | undefined
}

export type ConflictItem = SyncStatus['conflicts'][number]
export type HoldItem = SyncStatus['holds'][number] & { readonly theirs: string | undefined }
export type WaitingItem = Pick<OutboxEntry, 'ref' | 'text' | 'parked'>

export interface LogLine {
  readonly id: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
}

export const CHANGED = 'someone changed it in the meantime. Reload and try again'

/** The answer to a rejected action. */
export function refused(problem: string): ActionAnswer {
  return { done: 0, problems: [problem] }
}

/** Why an action on several texts failed for each text; `undefined` if it succeeded. */
export type Reasons = readonly (string | undefined)[]

export function actionAnswer(actions: readonly { readonly ref: TextRef }[], reasons: Reasons): ActionAnswer {
  const problems = actions.flatMap(({ ref }, at) =>
    reasons[at] === undefined ? [] : `${showText(ref)}: ${reasons[at]}`,
  )
  return { done: actions.length - problems.length, problems }
}
