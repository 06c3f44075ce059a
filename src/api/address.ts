/** Which addresses are asked: the service's, its files', its published resources'. Pure. */
import { LocalizationError } from '../errors.ts'
import { isLoopbackHost } from '../shared/loopback.ts'
import { ApiError } from './errors.ts'
import { redactAddress } from './redact.ts'

/** Checks `service.baseUrl` or `service.cdnUrl`; the result ends with a slash, so that paths resolve under it. */
export function parseBaseAddress(value: string, option: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw invalid(option, 'must be an absolute http or https address')
  }
  if (url.username !== '' || url.password !== '') throw invalid(option, 'must hold no user name or password')
  if (url.search !== '' || url.hash !== '') throw invalid(option, 'must hold no query and no fragment')
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

/** Refuses characters that cannot stand in a header: the HTTP library's error would print them, and the key. */
export function checkCredential(value: string | undefined, option: string): string | undefined {
  if (value === undefined || value === '') return undefined
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) {
    throw invalid(
      option,
      'holds a character that cannot stand in a header, such as a newline, or begins or ends with a space',
    )
  }
  return value
}

const RESERVED_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'transfer-encoding',
  'accept',
  'accept-encoding',
])

export function checkHeaderName(value: string, option: string): string {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(value) || RESERVED_HEADERS.has(value.toLowerCase())) {
    throw invalid(option, 'is not the name of a header that can carry a token')
  }
  return value.toLowerCase()
}

export type QueryValue = string | number | readonly string[] | undefined

/** An address under `base`. Arrays repeat the parameter; `undefined` leaves it out. */
export function apiAddress(base: URL, path: string, query: Readonly<Record<string, QueryValue>> = {}): URL {
  const url = new URL(path.replace(/^\/+/, ''), base)
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(item))
  }
  return url
}

/** One segment of a path. A name that would walk up the path, or vanish from it, is refused. */
export function pathSegment(value: string, what: string): string {
  if (value === '' || value === '.' || value === '..' || /\p{Surrogate}/u.test(value)) {
    throw new LocalizationError(`${JSON.stringify(value)} cannot be ${what}`, { code: 'API_VALIDATION' })
  }
  return encodeURIComponent(value)
}

/** An address of a file that the service named: https, or http on this machine; nothing else is ever fetched. */
export function parseFileAddress(value: string, from?: URL): URL {
  const url = URL.canParse(value, from?.href) ? new URL(value, from) : undefined
  if (!url) throw refused(from, 'the service named no absolute address for the file')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    throw refused(url, `a file is fetched over https only, not ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') throw refused(url, 'the address of a file holds a user name')
  // A service elsewhere has no say over what runs on this machine.
  if (from && isLoopbackHost(url.hostname) && !isLoopbackHost(from.hostname))
    throw refused(url, 'a redirect to this machine is not followed')
  return url
}

/**
 * A resource's link under `cdnUrl` (contract: Environment status). One leading slash is taken off; a link that leaves
 * `cdnUrl`, or tries to, is refused.
 */
export function resourceAddress(cdn: URL, link: string): URL {
  const path = link.replace(/^\/(?!\/)/, '')
  const url = URL.canParse(path, cdn.href) ? new URL(path, cdn) : undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: URL parsers drop some control characters
  const suspicious = path === '' || /[\\\u0000-\u001f\u007f#]|^\/|^[a-z][a-z0-9+.-]*:|\/\//i.test(path)
  const walks = pathOf(path).split('/').some(isDots)
  if (!url || suspicious || walks || url.origin !== cdn.origin || !url.pathname.startsWith(cdn.pathname)) {
    throw new ApiError(
      `the resource link ${JSON.stringify(link.slice(0, 200))} does not lie under the hosting address`,
      {
        code: 'API_ORIGIN',
        hint: 'Check `service.cdnUrl`; the link was not fetched.',
        method: 'GET',
        address: redactAddress(cdn),
      },
    )
  }
  return url
}

function pathOf(link: string): string {
  return link.split('?', 1)[0] ?? ''
}

/** `.` or `..`, also percent-encoded several times, and also behind an encoded slash or backslash. */
function isDots(segment: string): boolean {
  let decoded = segment
  for (let round = 0; round < 3; round++) {
    decoded = decoded.replace(/%25/gi, '%').replace(/%2e/gi, '.').replace(/%2f/gi, '/').replace(/%5c/gi, '\\')
  }
  return decoded.split(/[/\\]/).some((part) => part === '.' || part === '..')
}

function refused(url: URL | undefined, message: string): ApiError {
  return new ApiError(message, {
    code: 'API_ORIGIN',
    hint: 'The file was not fetched; check the service.',
    method: 'GET',
    address: url ? redactAddress(url) : '',
  })
}

function invalid(option: string, message: string): LocalizationError {
  return new LocalizationError(`\`${option}\` ${message}`, { code: 'CONFIG_INVALID' })
}
