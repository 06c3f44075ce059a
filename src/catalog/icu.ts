/** ICU texts as the syntax trees that FormatJS's parser makes and react-intl shows without it. Loaded only where asked for. Pure. */
import { parse } from '@formatjs/icu-messageformat-parser'
import { describeProblem } from './placeholders.ts'

export interface IcuCompiler {
  /** The text as JSON: a syntax tree, or a string where there is no syntax to parse or it cannot be parsed. */
  encode(text: string): string
  /** What is wrong with texts that were met so far. */
  readonly problems: ReadonlyMap<string, string>
}

/**
 * Without one of these a text stands for itself. The glue of react-intl knows the rule: what holds one and is a string could not be
 * parsed.
 */
const SYNTAX = /[<'{}]/

/** `language` decides what the hour of a date skeleton (`{when, time, ::jmm}`) looks like. */
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

/** `undefined` for a code that no `Intl` knows. */
function localeOf(language: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(language)
  } catch {
    return undefined
  }
}
