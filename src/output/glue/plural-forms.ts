/** Plural forms that i18next asks for and the messages of a language lack. */
import { setOwn } from './translations.ts'

/**
 * A copy of the messages that has every plural form of the language. A text of a fallback language brings the forms of
 * that language: English has `item_one` and `item_other`, and Polish asks for `item_few`. A missing form gets the text
 * of `other`, where no plain `item` stands in for it.
 */
export function withPluralForms(messages: object, language: string, separator: string): object {
  const whole: object = { ...messages }
  for (const [key, value] of Object.entries(messages)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      setOwn(whole, key, withPluralForms(value, language, separator))
    if (!key.endsWith(`${separator}other`)) continue
    const prefix = key.slice(0, -'other'.length)
    const ordinal = `${separator}ordinal${separator}`
    const isOrdinal = prefix.endsWith(ordinal)
    const plain = prefix.slice(0, isOrdinal ? -ordinal.length : -separator.length)
    if (Object.hasOwn(messages, plain)) continue
    for (const category of categoriesOf(language, isOrdinal ? 'ordinal' : 'cardinal'))
      if (!Object.hasOwn(whole, prefix + category)) setOwn(whole, prefix + category, value)
  }
  return whole
}

function categoriesOf(language: string, type: 'cardinal' | 'ordinal'): readonly string[] {
  try {
    return new Intl.PluralRules(language.replace('_', '-'), { type }).resolvedOptions().pluralCategories
  } catch {
    return []
  }
}
