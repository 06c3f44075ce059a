/** Checks for names that are not known language tags, languages with two spellings, and languages without texts. */
import { isKnownTag, separatedTag, tagOf } from '../shared/language-tag.ts'
import { groupsByKey } from '../shared/split.ts'
import type { Finding } from './finding.ts'
import { type Catalog, countTexts, type Language } from './model.ts'
import { type LanguageSettings, languageFilter, nameFilter } from './names.ts'

/** Checks all names that the option `languages` matches, even those that do not look like language tags. */
export function checkLanguages(languages: readonly Language[], settings: LanguageSettings): Finding[] {
  const isInApp = languageFilter(settings)
  const { languages: listed = [], languageMap = {}, defaultLanguage, pseudo } = settings
  const given = new Set([...listed, ...Object.values(languageMap), defaultLanguage, pseudo])
  const wanted = languages.filter(({ key }) => nameFilter(settings.languages)(key))
  const finding = (severity: Finding['severity'], language: string, message: string): Finding => {
    return { rule: 'language', severity, message, place: { language } }
  }
  const single = wanted.flatMap((language): Finding[] => {
    const { key } = language
    const name = JSON.stringify(key)
    if (!isInApp(language)) {
      const tag = separatedTag(key)
      const fix = tag
        ? `Rename it to ${tag}, or map it: languageMap: { '${key}': '${tag}' }`
        : `Rename or move the file or folder, or exclude it (languages: ['!${key}']). ` +
          `If it is a language, map it with the option "languageMap", or list it (languages: ['*', '${key}'])`
      return [finding('error', key, `${name} is not a known language, and the app does not offer it. ${fix}`)]
    }
    const isTag = !key.includes('_') && isKnownTag(key)
    if (isTag || given.has(key)) return []
    const fix = isKnownTag(key)
      ? `Rename it to "${tagOf(key)}", or map it: languageMap: { '${key}': '${tagOf(key)}' }`
      : 'Map it with the option "languageMap"'
    if (isKnownTag(key) || !language.isInferred)
      return [finding('warning', key, `${name} is not a language tag, and browsers may reject it. ${fix}`)]
    const choices =
      `Rename it, exclude it (languages: ['!${key}']), map it with the option "languageMap", ` +
      `or keep it (languages: ['*', '${key}'])`
    return [
      finding('error', key, `${name} is not a known language, but looks like one, so the app offers it. ${choices}`),
    ]
  })
  const shown = wanted.filter(isInApp).map(({ key }) => key)
  const spellings = [...groupsByKey(shown, (name) => tagOf(name) ?? name).values()].flatMap((same) => {
    const [first, second] = same
    if (first === undefined || second === undefined || same.every((name) => given.has(name))) return []
    const both = same.map((name) => JSON.stringify(name)).join(' and ')
    return [
      finding('error', second, `${both} are the same language. Merge them, or exclude one with the option "languages"`),
    ]
  })
  return [...single, ...spellings]
}

export function checkEmptyLanguages(
  { languages, parts }: Pick<Catalog, 'languages' | 'parts'>,
  settings: LanguageSettings,
): Finding[] {
  const isShown = languageFilter(settings)
  const filled = new Set<string>()
  for (const part of parts)
    if (!filled.has(part.language) && (part.isBroken || countTexts([part]) > 0)) filled.add(part.language)
  // A project without any texts is reported elsewhere.
  if (filled.size === 0) return []
  return languages.flatMap((language): Finding[] => {
    const { key } = language
    if (filled.has(key) || !isShown(language)) return []
    const message = `the language ${JSON.stringify(key)} has no texts: the app shows fallback texts`
    return [{ rule: 'language', severity: 'warning', message, place: { language: key } }]
  })
}
