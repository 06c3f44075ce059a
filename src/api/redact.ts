/** Removes secrets from error messages and URLs. Pure. */

/** Replaces secrets of at least four characters with `***`, even where they are percent-encoded or base64-encoded. */
export function redactText(text: string, secrets: readonly string[]): string {
  let redacted = text
  for (const secret of secrets) {
    if (secret.length < 4) continue
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
      redacted = redacted.replaceAll(form, '***')
    }
  }
  return redacted
}

/** Query parameters that contain names or numbers, never secrets. They are kept in URLs. */
const PLAIN_PARAMETERS = new Set([
  'page',
  'size',
  'key',
  'namespace',
  'language',
  'languageKey',
  'customerId',
  'downloadFormat',
  'downloadOptions',
  'uploadFormat',
])

/** The URL without the user, the fragment, and query values that may be secret, such as a file's signature. */
export function redactAddress(url: URL, secrets: readonly string[] = []): string {
  const query = [...url.searchParams].map(([name, value]) =>
    PLAIN_PARAMETERS.has(name) ? `${name}=${encodeURIComponent(value.slice(0, 80))}` : `${name}=***`,
  )
  const address = `${url.protocol}//${url.host}${url.pathname}${query.length > 0 ? `?${query.join('&')}` : ''}`
  return redactText(address, secrets)
}

/**
 * A copy of a thrown value with only its name, code, message and stack, without secrets: HTTP libraries' errors may
 * include the request and its token. Causes and the members of an `AggregateError` are copied in the same way.
 */
export function redactThrown(thrown: unknown, secrets: readonly string[], depth = 0): unknown {
  if (thrown === undefined) return undefined
  // A library's object may contain secrets that are unknown here.
  if (typeof thrown === 'object' && !(thrown instanceof Error)) return 'a thrown object'
  if (!(thrown instanceof Error)) return redactText(String(thrown as string), secrets)
  const copy = new Error(redactText(thrown.message, secrets))
  Object.defineProperty(copy, 'name', { value: thrown.name, enumerable: false })
  Object.defineProperty(copy, 'stack', { value: redactText(thrown.stack ?? '', secrets), enumerable: false })
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
  if (code !== undefined) Object.assign(copy, { code: redactText(code, secrets) })
  if (depth >= 4) return copy
  const inner = thrown.cause ?? (thrown instanceof AggregateError ? thrown.errors[0] : undefined)
  if (inner !== undefined) {
    Object.defineProperty(copy, 'cause', { value: redactThrown(inner, secrets, depth + 1), enumerable: false })
  }
  return copy
}

/**
 * At most 200 characters of a body, on one line. Secrets, and JSON fields that look like secrets, are replaced first.
 */
export function excerpt(body: string, secrets: readonly string[]): string {
  const line = redactText(body, secrets)
    .replace(/("[^"]*(?:api_?key|token|secret|password|authorization)"\s*:\s*")[^"]*/gi, '$1***')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a body may hold terminal escapes
    .replace(/[\u0000-\u0020\u007f-\u009f]+/g, ' ')
    .trim()
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}
