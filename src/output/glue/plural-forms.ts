/** Adds plural forms that i18next requests but a language's messages lack. */

import { hasOwn } from './translations.ts'

type Tree = { [key: string]: unknown }

/**
 * Returns a copy of the messages with all of the language's plural forms. A text from a fallback language has only the
 * forms of that language: English has `item_one` and `item_other`, but Polish requests `item_few`. A missing form gets
 * the text of `other`. If there is a plain `item`, nothing is added, because i18next uses that text.
 *
 * @param suffixes the suffixes of cardinal forms and of ordinal forms; each list ends with the suffix of `other`
 */
export function withPluralForms(messages: object, suffixes: readonly (readonly string[])[]): object {
  const entries = Object.entries(messages).map(([key, value]) => {
    const isTree = typeof value === 'object' && value !== null && !Array.isArray(value)
    return [key, isTree ? withPluralForms(value, suffixes) : value] as const
  })
  const whole: Tree = Object.fromEntries(entries)
  for (const [key, value] of entries)
    for (const forms of suffixes) {
      const other = forms[forms.length - 1]
      const item = other && key.endsWith(other) ? key.slice(0, -other.length) : ''
      if (item && !hasOwn(messages, item)) for (const form of forms) whole[item + form] ??= value
    }
  return whole
}
