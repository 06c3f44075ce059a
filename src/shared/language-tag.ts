import { LANGUAGE_NAMES } from './language-names.ts'

/**
 * Returns the canonical tag: `pt-BR` for `pt_br`, `he` for `iw`. `undefined` if the name is not a language tag (BCP
 * 47).
 */
export function tagOf(name: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(name.replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}

/**
 * True if the runtime knows the tag's language and script, and its variants are registered: `pt-BR`, `zh_Hant`,
 * `en-x-pirate`, `x-own`. Regions are not checked, because `en-EN` is a common mistake that works.
 */
export function isKnownTag(name: string): boolean {
  if (/^x(?:-[a-z0-9]{1,8})+$/i.test(name)) return true
  const tag = tagOf(name)
  if (tag === undefined) return false
  const { language, script, region, baseName } = new Intl.Locale(tag)
  const variants = baseName.split('-').filter((part) => ![language, script, region].includes(part))
  return (
    isKnownLanguage(language) &&
    (script === undefined || hasName('script', script) || /^Qa[ab][a-x]$/.test(script)) &&
    variants.every((variant) => /\d/.test(variant) || VARIANTS.has(variant))
  )
}

/**
 * True for names that projects use for languages, including some that are not known tags: `cn`, `sr@latin`, `zh-CHS`,
 * `de_AT_formal`. False for names of other files, such as `_drafts`, `shared` and `en.bak`.
 */
export function isLikeTag(name: string): boolean {
  return isKnownTag(name) || /^[a-z]{2,3}(?:[-_@][a-z0-9]+)*$/i.test(name)
}

/** The tag for a name without a separator: `pt-BR` for `ptBR`, `zh-Hant` for `zhHant`. */
export function separatedTag(name: string): string | undefined {
  const tag = name.replace(/^([a-z]{2,3})([A-Z]{2}|[A-Z][a-z]{3})$/, '$1-$2')
  return tag !== name && isKnownTag(tag) ? tag : undefined
}

/** The registered variant subtags that contain no digits (IANA, August 2025). */
const VARIANTS: ReadonlySet<string> = new Set(
  (
    'akhmimic akuapem aluku anpezo aranes arevela arevmda arkaika asante auvern balanka barla basiceng ' +
    'bauddha bciav bcizbl biscayan biske blasl bohairic bohoric boont bornholm cisaup cornu creiss dajnko ' +
    'ekavsk emodeng fascia fayyumic fodom fonipa fonkirsh fonnapa fonupa fonxsamp gallo gascon gherd ' +
    'grclass grital grmistr hanoi hepburn heploc hognorsk hsistemo huett ijekavsk itihasa ivanchov jauer ' +
    'jyutping kkcor kleinsch kociewie kscor laukika leidentr lemosin lengadoc lipaw lycopol mdcegyp ' +
    'mdctrans mesokem metelko monoton ndyuka nedis newfound nicard njiva nulik osojs oxendict pamaka ' +
    'peano pehoeji pinyin polyton provenc puter rigik rozaj rumgr sahidic saigon scotland scouse simple ' +
    'solba sotav spanglis surmiran sursilv sutsilv synnejyl tailo tarask tongyong tunumiit uccor ucrcor ' +
    'ulster unifon vaidika valbadia valencia vallader vecdruka viennese vivaraup wadegile xsistemo'
  ).split(' '),
)

/** Common languages are in a list, because the first call to `Intl` takes 10 to 40 ms. */
function isKnownLanguage(code: string): boolean {
  if (/^q[a-t][a-z]$/.test(code) || LANGUAGE_NAMES.includes(`|${code}:`)) return true
  // No code of more than three letters is registered, but some runtimes have names for such codes.
  return code.length <= 3 && hasName('language', code)
}

function hasName(type: 'language' | 'script', code: string): boolean {
  return new Intl.DisplayNames(['en'], { type, fallback: 'none' }).of(code) !== undefined
}
