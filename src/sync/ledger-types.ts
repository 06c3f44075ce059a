/** What the ledger holds and can be asked. */

import type { TextRef } from '../catalog/text-id.ts'
import type { TextChange } from '../files/file-index.ts'
import type { KnownAgreement } from './agreed.ts'
import type { Decision } from './decide.ts'
import type { OutboxEntry } from './outbox.ts'

export interface Conflict {
  readonly ref: TextRef
  readonly base: string | undefined
  readonly ours: string
  /** `undefined`: the service has the text no longer. */
  readonly theirs: string | undefined
}

/** `start`: it stood when the server started; `batch`: too many at once; `switch`: git changed the branch. */
export type HoldReason = 'start' | 'batch' | 'switch'

export interface Hold {
  readonly ref: TextRef
  readonly text: string
  readonly reason: HoldReason
}

/** A text of the service that wins over what the files hold. */
export interface ServiceText {
  readonly ref: TextRef
  readonly text: string
}

export interface Reading {
  readonly texts: Iterable<{ readonly id: string; readonly ref: TextRef; readonly text: string }>
  /** What is not in it is not on the service. */
  readonly complete: boolean
  /** What `mark()` gave when it began. */
  readonly mark: number
  /** The page has these texts already, as the ones that fill the files' gaps. */
  readonly shown?: boolean
}

export interface Ledger {
  readonly holds: ReadonlyMap<string, Hold>
  readonly conflicts: ReadonlyMap<string, Conflict>
  /** Service texts the page is to show. */
  readonly overlay: ReadonlyMap<string, ServiceText>
  /** Whether a whole reading has come in. */
  readonly hasRead: boolean
  /** Would have to be sent: neither a gap nor what the base or the service has. */
  wouldTravel(change: TextChange): boolean
  /** Looks at every text of the files and the base, with what is known. */
  settleAll(): void
  /** Edits found in the files. `live` ones are accepted for sending, the others held. Resolves when accepted edits are on the disk. */
  accept(changes: readonly TextChange[], as: 'live' | HoldReason): Promise<void>
  /** Releases what is held. */
  release(ids?: Iterable<string>): Promise<number>
  /** Decides a conflict for the file's text: it is sent, over what the service has now. False: there is no such conflict. */
  keepOurs(id: string): Promise<boolean>
  /** What the service has, as far as it was read. */
  theirs(id: string): string | undefined
  mark(): number
  /** What the service has for this text is not what it may have been when `mark` was given. */
  movedSince(id: string, mark: number): boolean
  /** False: it held texts that were being sent meanwhile, and was used without them. */
  applyReading(reading: Reading): boolean
  /** What the service has for one text, looked up just now, and what that means for its outbox entry. */
  applyLookUp(id: string, ref: TextRef, theirs: string | undefined): Decision
  sending(id: string): void
  sent(id: string): void
  /** The service has this text. */
  acknowledge(entry: OutboxEntry): Promise<void>
  /**
   * Takes in what another process found both sides to have. Gives the texts whose base that is now; they are to be settled once the changes
   * of the files are accepted. Left out is what is being sent, and what this process has agreed on itself since the other one began.
   */
  takeIn(agreements: readonly KnownAgreement[]): readonly TextRef[]
  /** Whether a key is known to be on the service, from any language. */
  knowsKey(ref: TextRef): boolean
  /** Texts of the overlay that belong into files. */
  writable(): readonly ServiceText[]
  /** These texts of the service stand in the files now: both sides had them, whatever the service has since. */
  wrote(texts: Iterable<ServiceText>): void
  /** Looks at these texts again. */
  settle(refs: Iterable<TextRef>): void
  /** Puts what changed on the disk and gives the texts the page has to show otherwise. */
  commit(): Promise<readonly TextRef[]>
}
