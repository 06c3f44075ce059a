// Writes `src/shared/language-names.ts` from what this Node knows: `npm run names`. The file counts, not the Node a
// build runs on, so that
// the names are the same everywhere.
import { writeFileSync } from 'node:fs'

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
const letters = [...'abcdefghijklmnopqrstuvwxyz']
const pairs = letters.flatMap((a) => letters.map((b) => a + b))
const codes = [...pairs, ...pairs.flatMap((pair) => letters.map((letter) => pair + letter))]
// What applications are translated into, beside plain languages. Lower case: as some catalogs spell them.
const tags =
  'ar-001 ar-AE ar-EG ar-MA ar-SA az-Cyrl az-Latn bn-BD bn-IN bs-Cyrl bs-Latn ca-ES cs-CZ da-DK de-AT de-CH de-DE el-GR en-AU en-CA en-GB en-IE en-IN ' +
  'en-NZ en-SG en-US en-XA en-XB en-ZA es-419 es-AR es-CL es-CO es-ES es-MX es-PE es-US et-EE eu-ES fa-AF fa-IR fi-FI fil-PH fr-BE fr-CA fr-CH ' +
  'fr-FR gl-ES he-IL hi-IN hr-HR hu-HU hy-AM id-ID is-IS it-CH it-IT ja-JP ka-GE kk-KZ ko-KR lt-LT lv-LV mk-MK ms-MY nb-NO nl-BE nl-NL nn-NO ' +
  'pa-IN pl-PL pt-AO pt-BR pt-PT ro-MD ro-RO ru-RU ru-UA sk-SK sl-SI sq-AL sr-Cyrl sr-Latn sr-RS sv-FI sv-SE sw-CD sw-KE ta-IN te-IN th-TH tr-TR ' +
  'uk-UA ur-PK uz-Cyrl uz-Latn vi-VN zh-CN zh-HK zh-Hans zh-Hans-CN zh-Hant zh-Hant-HK zh-Hant-TW zh-MO zh-SG zh-TW ' +
  'az-AZ bg-BG kab-KAB kk-Latn km-KH ku-TR mr-IN my-MM oc-FR pt-br pt-pt si-LK uz-UZ zh-tw'
const known = [...codes, ...tags.split(' ')].flatMap((code) => {
  const name = names.of(code)
  return name === undefined ? [] : [`${code}:${name}`]
})
const source = `/** English names of languages, after CLDR ${process.versions.cldr}. Made by \`npm run names\`. */
export const LANGUAGE_NAMES =
  '|${known.join('|').replaceAll("'", "\\'")}|'
`
writeFileSync(new URL('../src/shared/language-names.ts', import.meta.url), source)
