/** Finds the languages from which a language inherits, by CLDR's rules. */
import { tagOf } from './language-tag.ts'

/**
 * Tags whose parent is not simply the tag without its last subtag, grouped by parent. From CLDR 48.2
 * (`supplemental/parentLocales.json` in the package `cldr-core`), Unicode License v3, © Unicode, Inc. Omits the
 * children of the root, which CLDR's rule `nonlikelyScript` covers.
 */
const CHILDREN: Readonly<Record<string, string>> = {
  'en-001':
    'en-150 en-AG en-AI en-AU en-BB en-BM en-BS en-BW en-BZ en-CC en-CK en-CM en-CX en-CY en-DG en-DM en-ER ' +
    'en-FJ en-FK en-FM en-GB en-GD en-GG en-GH en-GI en-GM en-GS en-GY en-HK en-ID en-IE en-IL en-IM en-IN ' +
    'en-IO en-JE en-JM en-KE en-KI en-KN en-KY en-LC en-LR en-LS en-MG en-MO en-MS en-MT en-MU en-MV en-MW ' +
    'en-MY en-NA en-NF en-NG en-NR en-NU en-NZ en-PG en-PK en-PN en-PW en-RW en-SB en-SC en-SD en-SG en-SH ' +
    'en-SL en-SS en-SX en-SZ en-TC en-TK en-TO en-TT en-TV en-TZ en-UG en-VC en-VG en-VU en-WS en-ZA en-ZM ' +
    'en-ZW',
  'en-150':
    'en-AT en-BE en-CH en-CZ en-DE en-DK en-EE en-ES en-FI en-FR en-GE en-HU en-IT en-LT en-LV en-NL en-NO ' +
    'en-PL en-PT en-RO en-SE en-SI en-SK en-UA',
  'en-IN': 'hi-Latn',
  'es-419':
    'es-AR es-BO es-BR es-BZ es-CL es-CO es-CR es-CU es-DO es-EC es-GT es-HN es-JP es-MX es-NI es-PA es-PE ' +
    'es-PR es-PY es-SV es-US es-UY es-VE',
  'fr-HT': 'ht',
  no: 'nb nn no-NO',
  'pt-PT': 'pt-AO pt-CH pt-CV pt-FR pt-GQ pt-GW pt-LU pt-MO pt-MZ pt-ST pt-TL',
  'zh-Hant-HK': 'zh-Hant-MO',
}

let parents: ReadonlyMap<string, string> | undefined

function listedParents(): ReadonlyMap<string, string> {
  parents ??= new Map(
    Object.entries(CHILDREN).flatMap(([parent, children]) =>
      children.split(' ').map((child) => [child, parent] as const),
    ),
  )
  return parents
}

export const listedChildren = (): Iterable<string> => listedParents().keys()

/**
 * All parents, nearest first: `es-419` and `es` for `es-MX`. The parent of `zh-Hant-TW` is `zh-Hant`, whose parent is
 * not `zh` because the script differs. Empty if the name is not a language tag.
 */
export function parentTags(name: string): readonly string[] {
  const tags: string[] = []
  for (let tag = tagOf(name); tag !== undefined; tag = parentOf(tag)) tags.push(tag)
  return tags.slice(1)
}

function parentOf(tag: string): string | undefined {
  const locale = new Intl.Locale(tag)
  const { baseName, language, script, region } = locale
  // Drop extensions and private use subtags.
  if (baseName !== tag) return baseName
  const listed = listedParents().get(tag)
  if (listed !== undefined) return listed
  const withoutVariants = [language, script, region].filter((part) => part !== undefined).join('-')
  if (withoutVariants !== tag) return tag.slice(0, tag.lastIndexOf('-'))
  if (region !== undefined) {
    const likely = script ?? locale.maximize().script
    if (likely === undefined) return language
    return script === undefined ? `${language}-${likely}-${region}` : `${language}-${script}`
  }
  return script !== undefined && script === new Intl.Locale(language).maximize().script ? language : undefined
}

/** An ID that is the same for all names of a language in the same script, such as `zh-TW`, `zh_TW` and `zh-Hant-TW`. */
export function inheritanceKey(name: string): string {
  const tag = tagOf(name)
  if (tag === undefined) return name
  const locale = new Intl.Locale(tag)
  const { language, script, region, baseName } = locale
  const likely = region === undefined || script !== undefined ? undefined : locale.maximize().script
  if (likely === undefined) return tag
  return `${language}-${likely}${baseName.slice(language.length)}${tag.slice(baseName.length)}`
}
