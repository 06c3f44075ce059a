/** Builds and checks the URLs of API requests, files and published resources. Pure functions. */
import { LocalizationError } from '../errors.ts'
import { isLoopbackHost } from '../shared/loopback.ts'
import { ApiError } from './errors.ts'
import { redactAddress } from './redact.ts'

/**
 * Parses `service.baseUrl` or `service.cdnUrl`. The result ends in a slash, so that relative paths resolve below it.
 */
export function parseBaseAddress(value: string, option: string): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw invalid(option, 'must be an absolute http or https URL')
  }
  if (url.username !== '' || url.password !== '') throw invalid(option, 'must not contain a user name or password')
  if (url.search !== '' || url.hash !== '') throw invalid(option, 'must not contain a query or a fragment')
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

/**
 * Rejects characters that are not allowed in a header, because the HTTP library's error would print the whole value.
 */
export function checkCredential(value: string | undefined, option: string): string | undefined {
  if (value === undefined || value === '') return undefined
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value)) {
    throw invalid(
      option,
      'must contain only characters that are allowed in a header, and must not start or end with a space',
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
    throw invalid(option, 'is not the name of a header that can contain a token')
  }
  return value.toLowerCase()
}

export type QueryValue = string | number | readonly string[] | undefined

/** A URL below `base`. An array repeats its parameter; `undefined` omits it. */
export function apiAddress(base: URL, path: string, query: Readonly<Record<string, QueryValue>> = {}): URL {
  const url = new URL(path.replace(/^\/+/, ''), base)
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const item of [value].flat()) url.searchParams.append(name, String(item))
  }
  return url
}

/** Encodes a single path segment. Throws if the value would change or shorten the path. */
export function pathSegment(value: string, what: string): string {
  if (value === '' || value === '.' || value === '..' || /\p{Surrogate}/u.test(value)) {
    throw new LocalizationError(`${JSON.stringify(value)} is not valid as ${what}`, { code: 'API_VALIDATION' })
  }
  return encodeURIComponent(value)
}

/**
 * Parses the URL of one of the service's files. Allows only https, or http to this machine.
 * @param from the URL of the server that named the file
 * @param base the URL to which a relative one refers; default: none
 */
export function parseFileAddress(value: string, from: URL | undefined, base?: URL): URL {
  const url = URL.canParse(value, base?.href) ? new URL(value, base) : undefined
  if (!url) throw refused(from, 'the service did not return an absolute URL for the file')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
    throw refused(url, `files are fetched only over https, not ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') throw refused(url, "the file's URL contains a user name or password")
  // A remote service must not make this client send requests to this machine.
  if (from && isLoopbackHost(url.hostname) && !isLoopbackHost(from.hostname))
    throw refused(url, "a remote server's URLs on this machine are not fetched")
  return url
}

/**
 * Returns the URL below `cdnUrl` for a link from an environment's status. Removes one leading slash. Throws if the link
 * points outside `cdnUrl`, or if it contains characters or segments that may make it do so.
 */
export function resourceAddress(cdn: URL, link: string): URL {
  const path = link.replace(/^\/(?!\/)/, '')
  const url = URL.canParse(path, cdn.href) ? new URL(path, cdn) : undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: URL parsers drop some control characters
  const suspicious = path === '' || /[\\\u0000-\u001f\u007f#]|^\/|^[a-z][a-z0-9+.-]*:|\/\//i.test(path)
  const walks = pathOf(path).split('/').some(isDots)
  if (!url || suspicious || walks || url.origin !== cdn.origin || !url.pathname.startsWith(cdn.pathname)) {
    throw new ApiError(`the resource link ${JSON.stringify(link.slice(0, 200))} points outside service.cdnUrl`, {
      code: 'API_ORIGIN',
      hint: 'The link was not fetched. Check `service.cdnUrl`.',
      method: 'GET',
      address: redactAddress(cdn),
    })
  }
  return url
}

function pathOf(link: string): string {
  return link.split('?', 1)[0] ?? ''
}

/** True for `.` or `..`, even percent-encoded several times or after an encoded slash or backslash. */
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
    hint: 'The file was not fetched. Check the service.',
    method: 'GET',
    address: url ? redactAddress(url) : '',
  })
}

function invalid(option: string, message: string): LocalizationError {
  return new LocalizationError(`\`${option}\` ${message}`, { code: 'CONFIG_INVALID' })
}
