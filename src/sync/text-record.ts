import type { TextRef } from '../catalog/text-id.ts'
import type { TextState, Values } from './decide.ts'

/** It was there when the server started, came with too many others, or git wrote it. */
export const HOLD_REASONS = ['start', 'batch', 'git'] as const
export type HoldReason = (typeof HOLD_REASONS)[number]

/** One text that is not simply equal on both sides. A text without a record is equal, as far as is known. */
export interface TextRecord extends Values {
  readonly id: string
  readonly ref: TextRef
  state: TextState
  base: string | undefined
  ours: string | undefined
  theirs: string | undefined
  /** When the service's text was modified, in milliseconds since 1970, as far as the service says. */
  modifiedAt: number | undefined
  hold: HoldReason | undefined
  /** The service's text, where the page shows it instead of the file's. */
  shown: string | undefined
  /** The counter when this text was last sent or became the base; `UNDER_WAY`, above all, while a request sets it. */
  touched: number
}

export const UNDER_WAY = 2 ** 31 - 1 // Not Infinity, which would take an object in each record.

export interface HeldText extends TextRecord {
  hold: HoldReason
  ours: string
}

export interface ServiceText {
  readonly ref: TextRef
  readonly text: string
}

export function keyName({ namespace, key }: { readonly namespace: string; readonly key: string }): string {
  return JSON.stringify([namespace, key])
}
