/** Parses file patterns such as `locales/{language}/{namespace}.json`. */

/** The extensions of translation files. They determine the format. */
export const FILE_ENDINGS = ['.json', '.jsonc', '.json5', '.yaml', '.yml'] as const

export type FileEnding = (typeof FILE_ENDINGS)[number]

/** `undefined` if this is not the name of a translation file. */
export function fileEnding(path: string): FileEnding | undefined {
  return FILE_ENDINGS.find((ending) => path.endsWith(ending))
}

export type PlaceholderName = 'language' | 'namespace' | 'customer'

export type PatternToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'placeholder'; readonly name: PlaceholderName }

const NAMES: readonly string[] = ['language', 'namespace', 'customer'] satisfies readonly PlaceholderName[]

/**
 * Splits a normalized pattern into literal text and placeholders. Returns a string with the reason if the pattern is
 * invalid.
 */
export function parseFilePattern(pattern: string): readonly PatternToken[] | string {
  const normal = normalizePattern(pattern)
  if (normal === '') return 'a pattern must not be empty'
  const tokens: PatternToken[] = []
  for (const part of normal.split(/(\{[^{}]*\})/)) {
    if (part === '') continue
    if (!part.startsWith('{')) {
      if (/[{}]/.test(part)) return 'unclosed brace'
      if (/[*?]/.test(part))
        return `globs such as "${part}" are not supported: use {language}, {namespace} or {customer}`
      tokens.push({ kind: 'text', text: part })
      continue
    }
    const name = part.slice(1, -1)
    if (!NAMES.includes(name)) return `unknown placeholder ${part}: use {language}, {namespace} or {customer}`
    if (tokens.at(-1)?.kind === 'placeholder') return `${part} needs a separator before it, such as "/", "." or "-"`
    tokens.push({ kind: 'placeholder', name: name as PlaceholderName })
  }
  if (!tokens.some((token) => token.kind === 'placeholder' && token.name === 'language'))
    return '{language} is missing: each file contains one language'
  if (fileEnding(normal) === undefined)
    return `the file name must end in ${FILE_ENDINGS.slice(0, -1).join(', ')} or ${FILE_ENDINGS.at(-1)}`
  const segments = normal.split('/')
  const firstReal = segments.findIndex((segment) => segment !== '..')
  if (segments.slice(firstReal).some((segment) => segment === '..' || segment === '.')) {
    return '".." is allowed only at the beginning'
  }
  if (segments.slice(1).includes('')) return 'two slashes in a row'
  return tokens
}

/**
 * Splits a root such as `translations.{language}` into the names of the nested objects that contain a file's texts. The
 * names may contain placeholders that occur in the pattern. Returns a string with the reason if the root is invalid.
 */
export function parseFileRoot(root: string, pattern: string): readonly string[] | string {
  const placeholders = root.match(/\{[^{}]*\}/g) ?? []
  if (/[{}]/.test(root.replace(/\{[^{}]*\}/g, ''))) return 'unclosed brace'
  for (const placeholder of placeholders) {
    if (!NAMES.includes(placeholder.slice(1, -1)))
      return `unknown placeholder ${placeholder}: use {language}, {namespace} or {customer}`
    if (!pattern.includes(placeholder))
      return `${placeholder} is not in the pattern: each file contains the texts of one ${placeholder.slice(1, -1)}`
  }
  const names = root.split('.')
  return names.includes('') ? 'expected names separated by dots, such as translations.{language}' : names
}

/** Uses forward slashes and removes a leading `./`. */
export function normalizePattern(pattern: string): string {
  return pattern.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
}
