import { LIMITS as WIRE } from '../api/schemas.ts'

export const LIMITS = {
  ...WIRE,
  languageLength: 64,
  languages: 1000,
  /** The maximum number of objects, arrays and values in a JSON body or an imported file. */
  bodyValues: 100_000,
  fileValues: 1_500_000,
} as const

/** True if `text` has at most `charactersLimit` code points. -1 means no limit. */
export function withinLimit(text: string, charactersLimit: number): boolean {
  if (charactersLimit < 0 || text.length <= charactersLimit) return true
  let characters = 0
  for (const _ of text) characters++
  return characters <= charactersLimit
}
