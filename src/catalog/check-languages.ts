/** Names of languages that are not known language tags, two spellings of one language, and languages without texts. */
import type { ResolvedConfig } from '../config/types.ts'
import { isKnownTag, tagOf } from '../shared/language-tag.ts'
import { groupsByKey } from '../shared/split.ts'
import type { Finding } from './finding.ts'
import type { Catalog, Messages } from './model.ts'
import { nameFilter } from './names.ts'

/** Errors about names that neither the option `languages` nor `languageMap` names. */
export function checkLanguages(
  names: readonly string[],
  { languages, languageMap }: Pick<ResolvedConfig, 'languages' | 'languageMap'>,
): Finding[] {
  const given = new Set([...(languages ?? []), ...Object.values(languageMap)])
  const shown = names.filter(nameFilter(languages))
  const finding = (language: string, message: string): Finding => {
    return { rule: 'language', severity: 'error', message, place: { language } }
  }
  const unknown = shown.flatMap((name) => {
    if (given.has(name) || isKnownTag(name)) return []
    const quoted = JSON.stringify(name)
    const fix =
      'Rename or move the file or folder, map it with the option languageMap, or add it to the option languages if it ' +
      `is a language (languages: ['!${name}'] excludes it)`
    return [finding(name, `${quoted} is not a known language, and the app offers it as one. ${fix}`)]
  })
  const spellings = [...groupsByKey(shown, (name) => tagOf(name) ?? name).values()].flatMap((same) => {
    const [first, second] = same
    if (first === undefined || second === undefined || same.every((name) => given.has(name))) return []
    const both = same.map((name) => JSON.stringify(name)).join(' and ')
    return [finding(second, `${both} are the same language. Merge them, or exclude one with the option languages`)]
  })
  return [...unknown, ...spellings]
}

/** True also for a file with an error, whose texts are unknown. */
const isFilled = (messages: Messages) => messages.size === 0 || [...messages.values()].some((text) => text !== '')

/** Warnings about languages of the app without texts. */
export function checkEmptyLanguages(
  { languages, parts }: Pick<Catalog, 'languages' | 'parts'>,
  config: Pick<ResolvedConfig, 'languages'>,
): Finding[] {
  const isShown = nameFilter(config.languages)
  const filled = new Set<string>()
  for (const part of parts) {
    const { language, lazy } = part
    if (filled.has(language)) continue
    if (lazy ? lazy.count > 0 : isFilled(part.messages)) filled.add(language)
  }
  // A project without any text has another problem, which is reported elsewhere.
  if (filled.size === 0) return []
  return languages.flatMap(({ key }): Finding[] => {
    if (filled.has(key) || !isShown(key)) return []
    const message = `the language ${JSON.stringify(key)} has no texts: the app shows its fallbacks`
    return [{ rule: 'language', severity: 'warning', message, place: { language: key } }]
  })
}
