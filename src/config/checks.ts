/**
 * Checks of single options beyond their types. Each returns the problem or `undefined`. Problems never contain a
 * secret.
 */

import { parseFilePattern, parseFileRoot } from '../shared/file-pattern.ts'

export type TextCheck = (value: string) => string | undefined

/** Accepts an absolute http or https URL without credentials, query or fragment. */
export function checkAddress(value: string): string | undefined {
  let url: URL
  try {
    url = new URL(value)
  } catch {
    return 'expected an absolute URL such as "https://localization.example.com"'
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'the URL must start with https:// or http://'
  if (url.username !== '' || url.password !== '') {
    return 'the URL must not contain a user name or password (use service.apiKey)'
  }
  if (url.search !== '' || url.hash !== '') return 'the URL must not contain "?" or "#"'
  return undefined
}

/** Accepts the URL of published files, or an empty string if no files are published. */
export function checkFilesAddress(value: string): string | undefined {
  return value === '' ? undefined : checkAddress(value)
}

export function checkServiceAddress(value: string): string | undefined {
  return value === 'local' ? undefined : checkFilesAddress(value)
}

/** The URL without a trailing slash, so that paths can be appended. Leaves `local` unchanged. */
export function normalizeAddress(value: string): string {
  return value === 'local' ? value : new URL(value).href.replace(/\/+$/, '')
}

/** Rejects credentials that are invalid in a header, because `fetch` would show them in its error. */
export function checkSecret(value: string): string | undefined {
  if (value === '') return undefined
  if (value !== value.trim()) return 'must not start or end with whitespace'
  if (/[^\x20-\x7e\xa0-\xff]/.test(value))
    return 'contains characters that are not allowed in a header. Try copying it again'
  return undefined
}

/** Accepts a token as defined in RFC 9110. */
export function checkHeaderName(value: string): string | undefined {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(value) ? undefined : 'is not a valid header name'
}

export function checkHeaders(headers: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(headers)
  const wrong = names.find((name) => checkHeaderName(name) !== undefined)
  if (wrong !== undefined) return `${JSON.stringify(wrong.slice(0, 60))} is not a valid header name`
  const twice = names.find((name, at) => names.findIndex((each) => each.toLowerCase() === name.toLowerCase()) < at)
  return twice === undefined ? undefined : `${JSON.stringify(twice)} is set twice`
}

export function checkPattern(value: string): string | undefined {
  const tokens = parseFilePattern(value)
  return typeof tokens === 'string' ? tokens : undefined
}

export function checkRoot({ pattern, root }: { readonly pattern: string; readonly root: string }): string | undefined {
  const names = parseFileRoot(root, pattern)
  return typeof names === 'string' ? `root: ${names}` : undefined
}

export function checkKeySeparator(value: string): string | undefined {
  return value === '' ? 'must not be empty (false turns the separator off)' : undefined
}

/** Rejects circular chains, in which languages would take texts from each other. */
export function checkFallback(chains: Readonly<Record<string, readonly string[]>>): string | undefined {
  const checked = new Set<string>()
  const visit = (language: string, path: readonly string[]): string | undefined => {
    const at = path.indexOf(language)
    if (at >= 0) return `circular fallback: ${[...path.slice(at), language].join(' -> ')}`
    if (checked.has(language)) return undefined
    const next = Object.hasOwn(chains, language) ? (chains[language] ?? []) : []
    const problem = firstDefined(next, (each) => visit(each, [...path, language]))
    checked.add(language)
    return problem
  }
  return firstDefined(Object.keys(chains), (language) => visit(language, []))
}

function firstDefined<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

/** Rejects a map with the same app code for two service languages, because their texts would overwrite each other. */
export function checkLanguageMap(map: Readonly<Record<string, string>>): string | undefined {
  const seen = new Map<string, string>()
  for (const [key, code] of Object.entries(map)) {
    const other = seen.get(code)
    if (other !== undefined)
      return `${JSON.stringify(other)} and ${JSON.stringify(key)} both map to ${JSON.stringify(code)}`
    seen.set(code, key)
  }
  return undefined
}
