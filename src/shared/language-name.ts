import { LANGUAGE_NAMES } from './language-names.ts'

let english: Intl.DisplayNames | undefined

/**
 * The language's English name, or its code if the name is unknown. Common names are in a list, because the first call
 * to `Intl` takes 10 to 40 ms.
 */
export function languageName(key: string): string {
  const tag = key.replaceAll('_', '-')
  const entry = `|${tag}:`
  const at = LANGUAGE_NAMES.indexOf(entry)
  if (at >= 0) return LANGUAGE_NAMES.slice(at + entry.length, LANGUAGE_NAMES.indexOf('|', at + 1))
  if (/^[a-z]{2,3}$/.test(tag)) return key
  try {
    english ??= new Intl.DisplayNames(['en'], { type: 'language' })
    return english.of(tag) ?? key
  } catch {
    return key
  }
}

/** True if the runtime has a name for the code, such as `en`, `pt-BR` or `zh_Hant`. */
export function isLanguage(name: string): boolean {
  if (!/^[a-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}$/.test(name)) return false
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
  return names.of(name.replace(/[-_].*/, '')) !== undefined
}
