/** Replaces a provider that is not configured: changes texts visibly, and keeps the parts that programs read. */
import type { TranslationProvider } from './types.ts'

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const CHANGED = 'áƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýžÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽ'

/** Tags, entities, `%s` and `%(name)d`, and `$t(...)`. Braces are matched by `keptAt`, because they nest. */
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
    const letter = text.charAt(i)
    const changed = PLAIN.includes(letter) ? CHANGED.charAt(PLAIN.indexOf(letter)) : letter
    result += kept > 0 ? text.slice(i, i + kept) : changed
    i += Math.max(1, kept)
  }
  return `[${result}]`
}

/** The number of characters from `start` on that must stay unchanged. */
function keptAt(text: string, start: number): number {
  if (text[start] !== '{') {
    KEPT.lastIndex = start
    return KEPT.exec(text)?.[0].length ?? 0
  }
  let depth = 0
  for (let i = start; i < text.length; i++) {
    if (text[i] === '{') depth++
    else if (text[i] === '}' && --depth === 0) return i + 1 - start
  }
  return text.length - start
}
