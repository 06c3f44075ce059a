import { LANGUAGE_NAMES } from './language-names.ts'

let english: Intl.DisplayNames | undefined

/**
 * The language's English name where it is known, else its code. Those of most applications are in a list, which is the same everywhere;
 * what the runtime loads for the first name it is asked for takes 10 to 40 ms.
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
