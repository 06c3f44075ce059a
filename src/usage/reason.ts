/** Why a key counts as used. */
import type { UsePlace } from './model.ts'

/**
 * `key`: code names it. `pattern`: code names a part of it. `literal`: it is a text somewhere in the code, and a call
 * with an unknown key may ask for it. `call`: a call keeps the whole namespace. `reference`: a text refers to it.
 * `keep`: the option names it.
 */
export type ReasonKind = 'key' | 'pattern' | 'literal' | 'call' | 'reference' | 'keep'

export interface UseReason extends Partial<UsePlace> {
  readonly kind: ReasonKind
  /** The key, pattern or text as the code has it, the code of the call, the referring key, or the pattern of `keep`. */
  readonly name: string
  readonly file?: string
}

/** `undefined`: the key does not count as used. */
export type ReasonOf = (namespace: string, key: string) => UseReason | undefined

/** Each reason in words. `array`: another element of the array is used. */
export const REASON_TEXTS = {
  key: 'named in the code',
  pattern: 'by a pattern',
  literal: 'a text in the code',
  call: 'only by a call whose key is not known',
  reference: 'by a text that refers to it',
  keep: 'by the option keep',
  array: 'with their array',
} as const satisfies Record<ReasonKind | 'array', string>
