/** What the inspector's pages and their server exchange. The pages import types only. `endpoints.ts` has the calls. */
import { showText, type TextRef } from '../catalog/text-id.ts'
import type { Diagnostic } from '../errors.ts'
import type { SyncStatus } from '../sync/engine.ts'
import type { OutboxEntry } from '../sync/outbox.ts'
import type { StaleText } from '../sync/stale.ts'

export interface KeyName {
  readonly namespace: string
  readonly key: string
}

/** A line of the stream `events`: data of this kind has changed. */
export type EventKind = 'change' | 'log' | 'jobs' | 'environments'

export interface ErrorAnswer {
  readonly error: string
}

export interface ActionAnswer {
  /** How many texts, or jobs, the action was carried out for. */
  readonly done: number
  /** Why it was not carried out for the others: a sentence each. */
  readonly problems: readonly string[]
}

export interface ProjectChoice {
  readonly id: string
  readonly name: string
}

/** `project`: a dev server with its files; `service`: a service without files. */
export type ProjectKind = 'project' | 'service'

export interface InspectedLanguage {
  readonly key: string
  readonly name: string
  readonly isDefault: boolean
  /** Made from the default language: nothing of it can be edited. */
  readonly isPseudo: boolean
}

/**
 * - `conflict`: both sides changed.
 * - `held`: differs from the service, and is sent only when a person says so.
 * - `waiting`: in the outbox.
 * - `refused`: the service did not accept it.
 * - `newer`: the app gets the service's text; the file has an older one.
 * - `deleted-here`: deleted in the file; the service still has it.
 * - `deleted-there`: deleted on the service; the file still has it.
 */
export type TextState = 'conflict' | 'held' | 'waiting' | 'refused' | 'newer' | 'deleted-here' | 'deleted-there'

export interface Cell {
  /** What the app gets. */
  readonly text: string
  /** `fallback`: the text is another language's, or not the customer's own. */
  readonly origin: 'file' | 'service' | 'fallback' | 'pseudo' | 'none'
  /** With `fallback`: the language that the text comes from. */
  readonly from?: string | undefined
  /** With `fallback` and `none`: a plural form that the language does not use, so that no text is missing. */
  readonly isUnusedForm?: boolean | undefined
  readonly state?: TextState | undefined
  /** The default language's text is another than the one that this translation was made from. */
  readonly isStale?: boolean | undefined
  /** `undefined`: not known. */
  readonly isReviewed?: boolean | undefined
}

/** Whether the app has no text of this language, and needs one. */
export function isMissing({ origin, isUnusedForm }: Cell): boolean {
  return (origin === 'none' || origin === 'fallback') && !isUnusedForm
}

export interface Row {
  readonly namespace: string
  readonly key: string
  /** In the order of the overview's languages. */
  readonly cells: readonly Cell[]
}

export interface Coverage {
  readonly translated: number
  readonly expected: number
  /** Texts that have a state. */
  readonly differing: number
  readonly stale: number
  /** 0 as well where the service was not read, and in a namespace of very many texts. */
  readonly unreviewed: number
}

export type FindingLine = Pick<Diagnostic, 'severity' | 'message'>

export interface SyncInfo {
  readonly role: SyncStatus['role'] | 'none'
  /** The process that syncs, where that is another one. */
  readonly ownerPid?: number | undefined
  /** Whether edits are sent without being asked for. */
  readonly pushes: boolean
  /** Why the last call to the service failed. */
  readonly failure?: string | undefined
}

export type ConflictItem = SyncStatus['conflicts'][number]
export type HoldItem = SyncStatus['holds'][number] & { readonly theirs: string | undefined }
export type StaleItem = StaleText
export type WaitingItem = Pick<OutboxEntry, 'ref' | 'text' | 'parked'>

export interface LogLine {
  readonly id: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
}

/** `reasons`: why each action was not carried out; `undefined` where it was. */
export function actionAnswer(
  actions: readonly { readonly ref: TextRef }[],
  reasons: readonly (string | undefined)[],
): ActionAnswer {
  const problems = actions.flatMap(({ ref }, at) =>
    reasons[at] === undefined ? [] : `${showText(ref)}: ${reasons[at]}`,
  )
  return { done: actions.length - problems.length, problems }
}
