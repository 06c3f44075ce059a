/** Plural forms that i18next asks for and the messages of a language lack. */

import { hasOwn } from './translations.ts'

type Tree = { [key: string]: unknown }

/**
 * A copy of the messages that has every plural form of the language. A text of a fallback language brings the forms of
 * that language: English has `item_one` and `item_other`, and Polish asks for `item_few`. A missing form gets the text
 * of `other`, where no plain `item` stands in for it.
 *
 * @param suffixes of cardinal and of ordinal forms; that of `other` is the last one
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
