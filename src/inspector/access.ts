/** Decides who is answered, from a request's headers and its sender's address. Pure. */
import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isLoopbackHost } from '../shared/loopback.ts'

export interface AccessRules {
  /** Only those who can read the page have it. */
  readonly token: string
  /** Host names of the server besides the loopback ones; `.example.com` stands for its subdomains as well. */
  readonly hosts: readonly string[]
  /** Other machines may ask too, by an address or one of `hosts`. */
  readonly network: boolean
}

/** The part of `IncomingMessage` that counts here. */
export interface AskedBy {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** Why nothing is answered. `page`: the document and its files; `data`: everything that shows or changes a text. */
export function refusalOf(asked: 'page' | 'data', by: AskedBy, rules: AccessRules): string | undefined {
  const header = (name: string) => {
    const value = by.headers[name]
    return typeof value === 'string' ? value : undefined
  }
  // HTTP/2 has a pseudo-header in place of Host.
  const host = (by.headers.host ?? header(':authority'))?.toLowerCase() ?? ''
  // A foreign name that resolves to this machine (DNS rebinding) still comes in the Host header.
  if (!isOwnHost(host, rules)) return `this is not served under the name ${JSON.stringify(host)}: use localhost`
  if (!rules.network && !isOwnMachine(by)) {
    return "only this machine may open the inspector; inspector: 'network' in the configuration allows others"
  }
  const { origin } = by.headers
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return 'the request comes from another origin'
  }
  const site = header('sec-fetch-site')
  if (asked === 'page') {
    if (/^i?frame$/.test(header('sec-fetch-dest') ?? '')) return 'the page is not shown inside another one'
    const isNavigation = header('sec-fetch-mode') === 'navigate'
    return site === 'cross-site' && !isNavigation ? 'the request comes from another site' : undefined
  }
  if (site !== undefined && site !== 'same-origin') return 'the request comes from another origin'
  if (by.method !== 'GET' && origin === undefined) return 'the request names no origin'
  return isToken(header('x-localization-token') ?? '', rules.token)
    ? undefined
    : 'the token is missing or of an earlier start: load the page anew'
}

function isOwnHost(host: string, { hosts, network }: AccessRules): boolean {
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/.test(host) || !URL.canParse(`http://${host}`)) return false
  const url = new URL(`http://${host}`)
  const name = url.hostname
  if (isLoopbackHost(url.hostname) || hosts.some((own) => isNamed(name, own.toLowerCase()))) return true
  // A name can be made to resolve to any address. An address cannot.
  return network && (/^\d+\.\d+\.\d+\.\d+$/.test(name) || name.startsWith('['))
}

function isNamed(name: string, own: string): boolean {
  return own.startsWith('.') ? name === own.slice(1) || name.endsWith(own) : name === own
}

/** The sender is this machine, and no proxy passes on requests of others. */
function isOwnMachine({ headers, socket: { remoteAddress = '' } }: AskedBy): boolean {
  const isLoopbackAddress = remoteAddress === '::1' || /^(?:::ffff:)?127\./.test(remoteAddress)
  return isLoopbackAddress && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined
}

function isToken(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}
