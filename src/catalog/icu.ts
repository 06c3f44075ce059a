/**
 * Compiles ICU texts to FormatJS's syntax trees, which react-intl shows without a parser. Loaded only with `compile`.
 * Pure.
 */
import { parse } from '@formatjs/icu-messageformat-parser'
import { describeProblem } from './placeholders.ts'

export interface IcuCompiler {
  /** The text as JSON: a syntax tree, or a string if the text has no syntax or an error. */
  encode(text: string): string
  /** The error in each invalid text, by text. */
  readonly problems: ReadonlyMap<string, string>
}

/**
 * A text without these characters is plain. The react-intl glue relies on this: a string with one of them contains an error.
 */
const SYNTAX = /[<'{}]/

/**
 * Creates a compiler for the texts of a language, which decides the hour format of a date skeleton (`{when, time,
 * ::jmm}`).
 */
export function createIcuCompiler(language: string): IcuCompiler {
  const locale = localeOf(language)
  const problems = new Map<string, string>()
  return {
    problems,
    encode(text) {
      if (!SYNTAX.test(text)) return JSON.stringify(text)
      try {
        return JSON.stringify(parse(text, { locale }))
      } catch (error) {
        problems.set(text, describeProblem(error))
        return JSON.stringify(text)
      }
    },
  }
}

/** The locale; `undefined` if `Intl` does not support the code. */
function localeOf(language: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(language)
  } catch {
    return undefined
  }
}
