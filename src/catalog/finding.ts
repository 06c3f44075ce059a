/** What a check finds. */
import type { Place } from '../errors.ts'

export const RULES = [
  /** A language has fewer texts than `coverage` requires. */
  'coverage',
  /** A name that is no known language, or one language in two spellings. */
  'language',
  /** A text that another language has, and the default language lacks. */
  'not-in-default',
  /** Placeholders differ from those of the default language. */
  'placeholders',
  /** An ICU message that cannot be parsed. */
  'icu',
  /** A text that the library of the app refuses, or does not read as it is meant. */
  'syntax',
  /** A text refers to a text that is not there. */
  'reference',
  /** A plural without a form that the language needs, or a form that leaves out the number. */
  'plurals',
  /** Branches of a select differ from those of the default language. */
  'select',
  /** Tags differ from those of the default language. */
  'tags',
  /** An array that another language has as something else, or with another length. */
  'array',
  /** A text is there and empty. */
  'empty',
  /** The default language's text changed, and the translation did not. */
  'stale',
  /** A text is longer than its key allows. */
  'characters-limit',
  /** Keys that become the same key when joined, or that cannot nest. */
  'collision',
  /** A file that cannot be used. */
  'file',
  /** A key that no source uses. */
  'unused',
  /** A key that a source uses and the catalog does not have. */
  'missing-in-code',
  /** A call whose key is not known: it keeps its namespaces whole. */
  'unknown-call',
  /** A source that cannot be read or compiled. */
  'source',
] as const

export interface Finding {
  readonly rule: (typeof RULES)[number]
  readonly severity: 'error' | 'warning'
  readonly message: string
  readonly place: Place
  /** The text or value that the finding compares with. */
  readonly other?: Place
}
