/** What the inspector's page and its endpoints say to each other. The page takes the types and nothing else. */
import type { TextRef } from '../catalog/text-id.ts'

export interface ProjectChoice {
  readonly id: string
  readonly name: string
}

export interface InspectedLanguage {
  readonly key: string
  readonly name: string
  readonly isDefault: boolean
  /** Made from the default language: nothing of it can be edited. */
  readonly isPseudo: boolean
}

/** `fallback`: another language's text stands in. */
export type TextOrigin = 'file' | 'service' | 'fallback' | 'pseudo' | 'none'

/**
 * - `conflict`: both sides changed. `held`: differs and is not pushed by itself. `waiting`: in the outbox. `refused`: the service did not
 *   take it. `newer`: the service's text is shown, the file has an older one.
 */
export type TextState = 'conflict' | 'held' | 'waiting' | 'refused' | 'newer'

export interface Cell {
  /** What the app gets. */
  readonly text: string
  readonly origin: TextOrigin
  /** The language that stands in. */
  readonly from?: string | undefined
  readonly state?: TextState | undefined
  /** `undefined`: not known. */
  readonly isReviewed?: boolean | undefined
}

export interface Row {
  readonly namespace: string
  readonly key: string
  /** In the order of `Overview.languages`. */
  readonly cells: readonly Cell[]
}

export interface RowsAnswer {
  readonly version: number
  readonly total: number
  readonly from: number
  readonly rows: readonly Row[]
}

export const ROW_FILTERS = [
  'all',
  'missing',
  'fallback',
  'differing',
  'conflict',
  'held',
  'waiting',
  'unreviewed',
] as const
export type RowFilter = (typeof ROW_FILTERS)[number]

export interface PartFigure {
  readonly translated: number
  readonly expected: number
  /** Conflicts, held, waiting and newer ones. */
  readonly differing: number
}

export interface Overview {
  readonly version: number
  /** `project`: a dev server with its files; `service`: a service without files. */
  readonly kind: 'project' | 'service'
  readonly name: string
  readonly defaultLanguage: string
  readonly languages: readonly InspectedLanguage[]
  readonly namespaces: readonly string[]
  readonly customers: readonly string[]
  readonly keys: number
  readonly texts: number
  /** By namespace, then by language, in the order of the lists above. */
  readonly matrix: readonly (readonly PartFigure[])[]
  readonly counts: Readonly<Record<TextState, number>>
  readonly sync: SyncInfo
  /** Jobs, environments and review states can be asked for. */
  readonly hasService: boolean
  /** Whether review states are known; they come with a reading of the service. */
  readonly hasReviews: boolean
  readonly findings: readonly FindingLine[]
}

export interface FindingLine {
  readonly severity: 'error' | 'warning'
  readonly message: string
}

export interface SyncInfo {
  readonly role: 'starting' | 'watching' | 'writer' | 'reader' | 'closed' | 'none'
  /** The process that syncs, where it is another one. */
  readonly ownerPid?: number | undefined
  /** Edits are sent by themselves. */
  readonly pushes: boolean
  /** Why the last call to the service failed. */
  readonly failure?: string | undefined
}

export interface ConflictItem {
  readonly ref: TextRef
  readonly base: string | null
  /** `null`: deleted in the file. */
  readonly ours: string | null
  /** `null`: deleted on the service. */
  readonly theirs: string | null
}
export interface HoldItem {
  readonly ref: TextRef
  readonly text: string
  readonly theirs: string | null
  readonly reason: 'start' | 'batch' | 'switch'
}
export interface WaitingItem {
  readonly ref: TextRef
  readonly text: string
  readonly parked?: 'refused' | 'conflict' | undefined
  readonly reason?: string | undefined
}
export interface Listed<T> {
  readonly total: number
  /** The first ones. */
  readonly items: readonly T[]
}
export interface SyncAnswer {
  readonly conflicts: Listed<ConflictItem>
  readonly holds: Listed<HoldItem>
  readonly waiting: Listed<WaitingItem>
}

export interface KeyText extends Cell {
  readonly language: string
  /** What the language itself has, fallbacks left out. */
  readonly own: string
  /** What the file has: an edit names it, so that nothing is overwritten unseen. */
  readonly inFile: string | null
  readonly theirs: string | null
  /** `locales/en/common.json:3:5`, or where it would go. */
  readonly place: string | null
  readonly canEdit: boolean
  readonly conflict?: ConflictItem | undefined
  readonly hold?: HoldItem | undefined
  readonly refusal?: string | undefined
  /** What is wrong with the text beside the default language's: placeholders, ICU. */
  readonly problems: readonly string[]
}
export interface KeyAnswer {
  readonly version: number
  readonly namespace: string
  readonly key: string
  readonly customer: string | null
  readonly texts: readonly KeyText[]
  /** `src/app.ts:3:5`. `null`: not known. */
  readonly usedAt: readonly string[] | null
}

export interface ActionAnswer {
  /** How many texts it was done for. */
  readonly done: number
  /** Why it was not done for the others: a sentence each. */
  readonly problems: readonly string[]
}

export interface LogLine {
  readonly id: number
  /** Milliseconds since 1970. */
  readonly at: number
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
}

export interface JobItem {
  readonly id: string
  readonly language: string
  /** 0 to 1. */
  readonly progress: number
  readonly state: string
  readonly isRunning: boolean
  readonly isFailed: boolean
  readonly startedAt: string
  readonly message: string | null
}

export interface EnvironmentItem {
  readonly key: string
  /** `null`: never. */
  readonly publishedAt: string | null
  readonly keys: number
  readonly languages: number
  readonly texts: number
  /** Publishing runs now. */
  readonly isPublishing: boolean
}

/** What the stream of events holds: one JSON line each. */
export interface EventLine {
  readonly type: 'change' | 'log' | 'jobs' | 'environments'
}

export interface TraceAnswer {
  /** For each text that was asked for, the keys it may come from, the likeliest first. */
  readonly found: readonly (readonly TraceMatch[])[]
}
export interface TraceMatch {
  readonly namespace: string
  readonly key: string
  readonly language: string
  readonly customer?: string | undefined
  /** The message itself; the page shows it with its placeholders filled in. */
  readonly message: string
}

export interface ErrorAnswer {
  readonly error: string
}
