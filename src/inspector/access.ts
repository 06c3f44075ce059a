/** Who may ask. Pure: a request's headers and peer in, a reason to refuse out. */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface AccessRules {
  /** Made anew at each start; whoever can read the page has it, and nobody else. */
  readonly token: string
  /** Host names the server goes by besides the loopback ones; `.example.com` stands for what is below it as well. */
  readonly hosts: readonly string[]
  /** Other machines may ask as well, by an address or one of `hosts`. */
  readonly network: boolean
}

export interface AskedBy {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly remoteAddress: string | undefined
}

/** `page`: the document and its files; `data`: everything that shows or changes a text. */
export type Asked = 'page' | 'data'

const TOKEN_HEADER = 'x-localization-token'

/** `undefined`: go on. Otherwise a sentence for the developer who wonders. */
export function refusalOf(asked: Asked, by: AskedBy, rules: AccessRules): string | undefined {
  const host = hostOf(by.headers)
  const name = host && hostNameOf(host)
  // A foreign name that resolves to this machine (DNS rebinding) still comes in the Host header.
  if (host === undefined || name === undefined || !isOwnName(name, rules)) {
    return `this is not served under the name ${JSON.stringify(host ?? '')}: use localhost`
  }
  if (!rules.network && !isOwnMachine(by)) {
    return "only this machine may open the inspector; inspector: 'network' in the configuration allows others"
  }
  const { origin } = by.headers
  if (origin !== undefined && !isOrigin(origin, host)) return 'the request comes from another origin'
  const site = headerOf(by.headers, 'sec-fetch-site')
  const isNavigation = headerOf(by.headers, 'sec-fetch-mode') === 'navigate'
  if (asked === 'page') {
    const destination = headerOf(by.headers, 'sec-fetch-dest')
    if (destination === 'iframe' || destination === 'frame') return 'the page is not shown inside another one'
    return site === 'cross-site' && !isNavigation ? 'the request comes from another site' : undefined
  }
  if (site !== undefined && site !== 'same-origin') return 'the request comes from another origin'
  if (by.method !== 'GET' && origin === undefined) return 'the request names no origin'
  const token = headerOf(by.headers, TOKEN_HEADER)
  return token !== undefined && isToken(token, rules.token)
    ? undefined
    : 'the token is missing or of an earlier start: load the page anew'
}

function hostOf(headers: IncomingHttpHeaders): string | undefined {
  // HTTP/2 has a pseudo-header instead.
  const host = headers.host ?? headerOf(headers, ':authority')
  return host?.toLowerCase()
}

function hostNameOf(host: string): string | undefined {
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/.test(host)) return undefined
  try {
    return new URL(`http://${host}`).hostname
  } catch {
    return undefined
  }
}

function isOwnName(name: string, { hosts, network }: AccessRules): boolean {
  if (isLoopbackName(name) || hosts.some((own) => isNamed(name, own.toLowerCase()))) return true
  // A name can be made to resolve to anything; an address is what it is.
  return network && (/^\d+\.\d+\.\d+\.\d+$/.test(name) || name.startsWith('['))
}

function isNamed(name: string, own: string): boolean {
  return own.startsWith('.') ? name === own.slice(1) || name.endsWith(own) : name === own
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name)
}

/** The peer is this machine, and nothing passes requests of others on. */
function isOwnMachine({ headers, remoteAddress = '' }: AskedBy): boolean {
  const isLoopback = remoteAddress === '::1' || /^(?:::ffff:)?127\./.test(remoteAddress)
  return isLoopback && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined
}

function isOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`
}

function isToken(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}
