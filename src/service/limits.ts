/** Longest values and largest numbers the service takes, from the shared wire limits and its own. */
import { LIMITS as WIRE } from '../api/schemas.ts'

export const LIMITS = {
  ...WIRE,
  languageLength: 64,
  languages: 1000,
  /** Objects, arrays and values in a JSON body, and in an imported file. */
  bodyValues: 100_000,
  fileValues: 1_500_000,
} as const

/** Whether a text keeps a key's limit, counted in characters as a person counts them (code points). -1: no limit. */
export function withinLimit(text: string, charactersLimit: number): boolean {
  if (charactersLimit < 0 || text.length <= charactersLimit) return true
  let characters = 0
  for (const _ of text) characters++
  return characters <= charactersLimit
}
