/** What the inspector needs of whatever it shows: a project in a dev server, or a project of a service that has no files here. */
import type { Messages } from '../catalog/model.ts'
import type { PartRef, TextRef } from '../catalog/text-id.ts'
import type { SeenValues } from '../sync/records.ts'
import type { Activity } from './activity.ts'
import type {
  ActionAnswer,
  Cell,
  ConflictItem,
  EnvironmentItem,
  FindingLine,
  HoldItem,
  InspectedLanguage,
  JobItem,
  SyncInfo,
  WaitingItem,
} from './wire.ts'

/** All texts of one namespace and customer, in every language. */
export interface PartView {
  readonly keys: readonly string[]
  /** `language`: its place in `Snapshot.languages`. */
  cell(language: number, key: string): Cell
  /** What the language itself has; a gap is empty. */
  own(language: number, key: string): string
}

/** Everything as it was at one moment. */
export interface Snapshot {
  /** Grows with every change. */
  readonly version: number
  readonly defaultLanguage: string
  readonly languages: readonly InspectedLanguage[]
  readonly namespaces: readonly string[]
  readonly customers: readonly string[]
  readonly conflicts: readonly ConflictItem[]
  readonly holds: readonly HoldItem[]
  readonly waiting: readonly WaitingItem[]
  readonly findings: readonly FindingLine[]
  readonly sync: SyncInfo
  readonly hasReviews: boolean
  part(namespace: string, customer: string | undefined): PartView
  /** The keys of a part that was looked at already. */
  knownKeys(namespace: string, customer: string | undefined): readonly string[] | undefined
  /** What the app gets in a language: where texts on a page come from. */
  shown(part: PartRef): Messages
  /** `undefined`: the file has no such text, or there are no files. */
  inFile(ref: TextRef): string | undefined
  /** What the service has, as far as it was read. */
  theirs(ref: TextRef): string | undefined
  canEdit(ref: TextRef): boolean
}

export interface Edit {
  readonly ref: TextRef
  readonly text: string
  /** What the person saw of the file; see `KeyText.inFile`. */
  readonly expected: string | undefined
  /** What the person saw of the service; an empty text is none. Not given: nothing. */
  readonly theirs?: string | undefined
}

export interface SeenConflict {
  readonly ref: TextRef
  readonly seen: SeenValues
}

/** Machine translation and publishing, where there is a service. */
export interface ServiceDesk {
  jobs(): Promise<readonly JobItem[]>
  translate(request: {
    readonly languages: readonly string[]
    readonly provider: 'PROVIDER_A' | 'PROVIDER_B'
    readonly replace: boolean
  }): Promise<ActionAnswer>
  environments(): Promise<readonly EnvironmentItem[]>
  /** Resolves when it began; what comes of it is in the log. */
  publish(environment: string): Promise<ActionAnswer>
  /** Follows nothing any more. */
  close(): void
}

export interface InspectorPort {
  readonly kind: 'project' | 'service'
  readonly name: string
  readonly activity: Activity
  /** The same object as long as nothing changed. */
  snapshot(): Promise<Snapshot>
  /** Returns what ends it. */
  onChange(listener: () => void): () => void
  edit(edit: Edit): Promise<ActionAnswer>
  resolve(conflicts: readonly SeenConflict[], side: 'ours' | 'theirs'): Promise<ActionAnswer>
  /** `undefined`: everything that is held. */
  release(refs: readonly TextRef[] | undefined): Promise<ActionAnswer>
  /** Takes the service's text back into the file. */
  drop(refs: readonly TextRef[] | undefined): Promise<ActionAnswer>
  /** Sends what waits, without waiting for a backoff. */
  push(): Promise<ActionAnswer>
  /** Asks the service for everything it has. */
  refresh(): Promise<ActionAnswer>
  placeOf(ref: TextRef): Promise<string | undefined>
  /** `undefined`: not known. */
  usedAt(namespace: string, key: string): Promise<readonly string[] | undefined>
  readonly service: ServiceDesk | undefined
  close(): Promise<void>
}
