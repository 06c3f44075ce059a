/** The findings of checks, and their rules. */
import type { Place } from '../errors.ts'

export const RULES = [
  /** A language has fewer texts than `coverage` requires. */
  'coverage',
  /** A name that is not a known language, or a language that is spelled in two ways. */
  'language',
  /** A text that another language has and the default language lacks. */
  'not-in-default',
  /** Placeholders that differ from the default language's placeholders. */
  'placeholders',
  /** An ICU message that cannot be parsed. */
  'icu',
  /** A text that the app's library rejects, or reads in a way that was not intended. */
  'syntax',
  /** A text that refers to a missing text. */
  'reference',
  /** A plural without a form that the language needs, or a form that omits the number. */
  'plurals',
  /** The branches of a select differ from the default language's branches. */
  'select',
  /** Tags that differ from the default language's tags. */
  'tags',
  /** An array that has a different length in another language, or is not an array there. */
  'array',
  /** A text that exists but is empty. */
  'empty',
  /** A translation that did not change when the default language's text changed. */
  'stale',
  /** A text that is longer than its key allows. */
  'characters-limit',
  /** Keys that become identical when joined, or that cannot be nested. */
  'collision',
  /** A file that cannot be used. */
  'file',
  /** A key that no source uses. */
  'unused',
  /** A key that a source uses but the catalog does not contain. */
  'missing-in-code',
  /** A call with an unknown key. All keys in its namespaces are therefore kept. */
  'unknown-call',
  /** A source that cannot be read or compiled. */
  'source',
] as const

export interface Finding {
  readonly rule: (typeof RULES)[number]
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly place: Place
  /** The place of the text or value to compare with. */
  readonly other?: Place
}

/** A problem in one text. `message` continues a sentence that begins with the key. */
export type Problem = Pick<Finding, 'rule' | 'severity' | 'message'>

export function error(rule: Finding['rule'], message: string): Problem {
  return { rule, severity: 'error', message }
}

export function warning(rule: Finding['rule'], message: string): Problem {
  return { rule, severity: 'warning', message }
}

/** Joins names as in `{a}, {b}`. */
export function showNames(names: readonly string[]): string {
  return names.map((name) => `{${name}}`).join(', ')
}
