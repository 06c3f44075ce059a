/**
 * The grammar of file patterns such as `locales/{language}/{namespace}.json`, for the configuration and the file
 * reader.
 */
import { FILE_ENDINGS, fileEnding } from './file-endings.ts'

export type PlaceholderName = 'language' | 'namespace' | 'customer'

export type PatternToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'placeholder'; readonly name: PlaceholderName }

const NAMES: readonly string[] = ['language', 'namespace', 'customer'] satisfies readonly PlaceholderName[]

/**
 * Splits a normalized pattern into literal text and placeholders. A string is the reason why the pattern is invalid.
 */
export function parseFilePattern(pattern: string): readonly PatternToken[] | string {
  const normal = normalizePattern(pattern)
  if (normal === '') return 'a pattern must not be empty'
  const tokens: PatternToken[] = []
  for (const part of normal.split(/(\{[^{}]*\})/)) {
    if (part === '') continue
    if (!part.startsWith('{')) {
      if (/[{}]/.test(part)) return 'a brace is not closed'
      if (/[*?]/.test(part))
        return `"${part}" is not a glob: only {language}, {namespace} and {customer} stand for something`
      tokens.push({ kind: 'text', text: part })
      continue
    }
    const name = part.slice(1, -1)
    if (!NAMES.includes(name)) return `${part} is not known: use {language}, {namespace} or {customer}`
    if (tokens.at(-1)?.kind === 'placeholder') return `${part} needs a separator before it, such as "/", "." or "-"`
    tokens.push({ kind: 'placeholder', name: name as PlaceholderName })
  }
  if (!tokens.some((token) => token.kind === 'placeholder' && token.name === 'language'))
    return '{language} is missing: each file holds one language'
  if (fileEnding(normal) === undefined)
    return `the name must end in ${FILE_ENDINGS.slice(0, -1).join(', ')} or ${FILE_ENDINGS.at(-1)}`
  const segments = normal.split('/')
  const firstReal = segments.findIndex((segment) => segment !== '..')
  if (segments.slice(firstReal).some((segment) => segment === '..' || segment === '.')) {
    return '".." may stand only at the beginning'
  }
  if (segments.slice(1).includes('')) return 'two slashes follow each other'
  return tokens
}

/**
 * Splits a root such as `translations.{language}` into the names of the objects that lead to a file's texts; names may
 * hold placeholders of the file's pattern. A string is the reason why the root is invalid.
 */
export function parseFileRoot(root: string, pattern: string): readonly string[] | string {
  const placeholders = root.match(/\{[^{}]*\}/g) ?? []
  if (/[{}]/.test(root.replace(/\{[^{}]*\}/g, ''))) return 'a brace is not closed'
  for (const placeholder of placeholders) {
    if (!NAMES.includes(placeholder.slice(1, -1)))
      return `${placeholder} is not known: use {language}, {namespace} or {customer}`
    if (!pattern.includes(placeholder))
      return `${placeholder} is not in the pattern: each file holds the texts of one ${placeholder.slice(1, -1)}`
  }
  const names = root.split('.')
  return names.includes('') ? 'expected names with dots between them, such as translations.{language}' : names
}

/** Forward slashes, no leading `./`. */
export function normalizePattern(pattern: string): string {
  return pattern.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
}
