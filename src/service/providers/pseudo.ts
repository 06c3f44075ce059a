/** Plays a provider that is not configured: the source text, visibly changed, with everything a program reads left alone. */
import type { TranslationProvider } from './types.ts'

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'á',
    b: 'ƀ',
    c: 'ç',
    d: 'ð',
    e: 'é',
    f: 'ƒ',
    g: 'ĝ',
    h: 'ĥ',
    i: 'î',
    j: 'ĵ',
    k: 'ķ',
    l: 'ļ',
    m: 'ɱ',
    n: 'ñ',
    o: 'ö',
    p: 'þ',
    q: 'ǫ',
    r: 'ŕ',
    s: 'š',
    t: 'ţ',
    u: 'û',
    v: 'ṽ',
    w: 'ŵ',
    x: 'ẋ',
    y: 'ý',
    z: 'ž',
    A: 'Å',
    B: 'Ɓ',
    C: 'Ç',
    D: 'Ð',
    E: 'É',
    F: 'Ƒ',
    G: 'Ĝ',
    H: 'Ĥ',
    I: 'Î',
    J: 'Ĵ',
    K: 'Ķ',
    L: 'Ļ',
    M: 'Ṁ',
    N: 'Ñ',
    O: 'Ö',
    P: 'Þ',
    Q: 'Ǫ',
    R: 'Ŕ',
    S: 'Š',
    T: 'Ţ',
    U: 'Û',
    V: 'Ṽ',
    W: 'Ŵ',
    X: 'Ẋ',
    Y: 'Ý',
    Z: 'Ž',
  }),
)

/** Tags, entities, `%s` and `%(name)d`, `$t(...)`, `{{...}}` and `{...}` with what is nested in it. */
const KEPT = /<[^>]*>|&[a-z#0-9]+;|%(?:\(\w+\))?[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z%]|\$t\([^)]*\)/giy

export const pseudoProvider: TranslationProvider = {
  note: 'pseudo-localized: no provider is configured',
  translate: async (texts) => texts.map(pseudoLocalize),
}

/** `[Ĥéļļö {name}]` */
export function pseudoLocalize(text: string): string {
  if (text.trim() === '') return text
  let result = ''
  for (let i = 0; i < text.length; ) {
    const kept = keptAt(text, i)
    if (kept > 0) {
      result += text.slice(i, i + kept)
      i += kept
      continue
    }
    const character = text.charAt(i)
    result += LETTERS.get(character) ?? character
    i++
  }
  return `[${result}]`
}

/** How many characters from `start` on are not for people. */
function keptAt(text: string, start: number): number {
  if (text[start] === '{') {
    let depth = 0
    for (let i = start; i < text.length; i++) {
      if (text[i] === '{') depth++
      else if (text[i] === '}' && --depth === 0) return i + 1 - start
    }
    return text.length - start
  }
  KEPT.lastIndex = start
  return KEPT.exec(text)?.[0].length ?? 0
}
