/**
 * Compiles ICU texts to FormatJS's syntax trees, which react-intl can show without a parser. Loaded only if `compile`
 * is set. Pure.
 */
import { parse } from '@formatjs/icu-messageformat-parser'
import { tagOf } from '../shared/language-tag.ts'
import { describeProblem } from './placeholders.ts'

export interface IcuCompiler {
  /** The text as JSON: a syntax tree, or a string if the text has no syntax or contains an error. */
  encode(text: string): string
  /** The errors, by invalid text. */
  readonly problems: ReadonlyMap<string, string>
}

/**
 * A text without these characters is plain. The react-intl glue relies on this: an uncompiled string with one of them
 * has an error.
 */
const SYNTAX = /[<'{}]/

/** The language determines the hour format in a date skeleton (`{when, time, ::jmm}`). */
export function createIcuCompiler(language: string): IcuCompiler {
  const tag = tagOf(language)
  const locale = tag === undefined ? undefined : new Intl.Locale(tag)
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
