import { BlockList, isIP } from 'node:net'
import { LocalizationError } from '../errors.ts'

/** The proxies, as in the usual environment variables. As in curl, a URL without a scheme is an http proxy. */
export interface ProxySettings {
  /** The proxy for `http:` URLs, and for `https:` URLs if `https` is not set. */
  readonly http?: string | undefined
  readonly https?: string | undefined
  /**
   * Hosts that are reached without a proxy, separated by commas or spaces: names (which include their subdomains), IP
   * addresses, and ranges such as `10.0.0.0/8`, each with or without a port; or `*` for all hosts. Loopback addresses
   * never use a proxy.
   */
  readonly no?: string | undefined
}

/** Proxies from the environment. `variables` are the names of their variables, for messages. */
interface EnvironmentProxies extends ProxySettings {
  readonly variables: { readonly http: string | undefined; readonly https: string | undefined }
}

/**
 * The proxies from `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, in lowercase or uppercase; `undefined` if
 * none is set.
 */
export function proxyFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): EnvironmentProxies | undefined {
  const nameOf = (...names: readonly string[]) =>
    names.flatMap((name) => [name, name.toUpperCase()]).find((name) => environment[name])
  const read = (name: string | undefined) => (name === undefined ? undefined : environment[name])
  const variables = { http: nameOf('http_proxy', 'all_proxy'), https: nameOf('https_proxy', 'all_proxy') }
  const [http, https] = [read(variables.http), read(variables.https)]
  if (http === undefined && https === undefined) return undefined
  return { http, https, no: read(nameOf('no_proxy')), variables }
}

/** Names the proxy that a URL uses, for errors. */
export function proxyInWords(url: URL, proxy: ProxySettings | EnvironmentProxies): string {
  const { http, https } = 'variables' in proxy ? proxy.variables : {}
  const variable = url.protocol === 'https:' ? (https ?? http) : http
  return variable === undefined ? 'through the proxy in the option `proxy`' : `through the proxy in ${variable}`
}

/** @throws `CONFIG_INVALID` if a proxy's URL is invalid. The error does not contain its password. */
export function checkProxy(proxy: ProxySettings | undefined): ProxySettings | undefined {
  if (!proxy) return undefined
  const { http, https, no } = proxy
  return { http: checkAddress('http', http), https: checkAddress('https', https), no: no?.trim() }
}

function checkAddress(name: 'http' | 'https', given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const address = withScheme(given)
  if (!URL.canParse(address) || !/^(?:https?|socks5?):$/.test(new URL(address).protocol)) {
    throw new LocalizationError(`the ${name} proxy is not an http, https or socks5 URL`, {
      code: 'CONFIG_INVALID',
      hint:
        `Correct or unset the variable ${name.toUpperCase()}_PROXY or ALL_PROXY (or the same name in lower case), ` +
        'or the option `proxy`. Example: http://127.0.0.1:3128.',
    })
  }
  return address
}

/** Adds a missing scheme. `socks5h` means that the proxy resolves host names, which `socks5` always does here. */
function withScheme(address: string): string {
  const trimmed = address.trim()
  return /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed.replace(/^socks5h:/i, 'socks5:') : `http://${trimmed}`
}

/** The secrets in the proxies' URLs: the passwords, and the header that contains them. */
export function proxySecrets(proxy: ProxySettings | undefined): string[] {
  return [proxy?.http, proxy?.https].flatMap((address) => {
    if (address === undefined || !URL.canParse(withScheme(address))) return []
    const { username, password } = new URL(withScheme(address))
    return password === '' ? [] : [password, Buffer.from(`${username}:${password}`).toString('base64')]
  })
}

/** True if `no` includes the host of the URL, by the rules that curl and Go apply to `NO_PROXY`. */
export function bypassesProxy(url: URL, no = ''): boolean {
  const host = bareHost(url.hostname)
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return no
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '') return false
      if (entry === '*') return true
      if (isIP(bareHost(entry)) || entry.includes('/')) return isInRange(host, entry)
      const [, name = entry, onPort = port] = /^(.*):(\d+)$/.exec(entry) ?? []
      if (onPort !== port) return false
      const bare = bareHost(name)
      if (isIP(bare)) return isInRange(host, bare)
      const domain = bare.replace(/^\*?\./, '')
      return domain !== '' && !isIP(host) && (host === domain || host.endsWith(`.${domain}`))
    })
}

/** The host without the brackets around IPv6 addresses and without the trailing dot of a fully qualified name. */
function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** True if the range contains the host. `range` is an IP address, with or without a prefix length. */
function isInRange(host: string, range: string): boolean {
  const [start = '', length] = range.split('/')
  const address = bareHost(start)
  const [family, hostFamily] = [isIP(address), isIP(host)]
  if (family === 0 || hostFamily === 0) return false
  const list = new BlockList()
  const bits = length === undefined ? (family === 4 ? 32 : 128) : Number(length)
  if (!/^\d*$/.test(length ?? '') || length === '' || bits > (family === 4 ? 32 : 128)) return false
  list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  return list.check(host, hostFamily === 4 ? 'ipv4' : 'ipv6')
}
