import { LocalizationError } from '../errors.ts'

/** Proxies, as the usual environment variables name them. An address without a scheme is an http proxy, as for curl. */
export interface ProxySettings {
  /** For `http:` addresses, and for `https:` ones where `https` is not given. */
  readonly http?: string | undefined
  readonly https?: string | undefined
  /** Hosts without a proxy: names and domains, comma-separated, `*` for all. Loopback never goes through a proxy. */
  readonly no?: string | undefined
}

/** `http_proxy`, `https_proxy`, `all_proxy`, `no_proxy` in lower or upper case; `undefined` when no proxy is named. */
export function proxyFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): ProxySettings | undefined {
  const read = (name: string) => environment[name] || environment[name.toUpperCase()] || undefined
  const all = read('all_proxy')
  const http = read('http_proxy') ?? all
  const https = read('https_proxy') ?? all
  return http === undefined && https === undefined ? undefined : { http, https, no: read('no_proxy') }
}

/** @throws `CONFIG_INVALID` for an address that no proxy can have. The error does not show its password. */
export function checkProxy(proxy: ProxySettings | undefined): ProxySettings | undefined {
  if (!proxy) return undefined
  const { http, https, no } = proxy
  return { http: checkAddress('http', http), https: checkAddress('https', https), no: no?.trim() }
}

function checkAddress(name: 'http' | 'https', given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  const address = withScheme(given)
  if (!URL.canParse(address) || !/^(?:https?|socks5?):$/.test(new URL(address).protocol)) {
    throw new LocalizationError(`the ${name} proxy is no http, https or socks5 address`, {
      code: 'CONFIG_INVALID',
      hint:
        `Correct or unset the variable ${name.toUpperCase()}_PROXY or ALL_PROXY (also in lower case), ` +
        'or the option `proxy`: http://127.0.0.1:3128.',
    })
  }
  return address
}

/** `socks5h` says that the proxy looks names up, which it always does here. */
function withScheme(address: string): string {
  const trimmed = address.trim()
  return /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed.replace(/^socks5h:/i, 'socks5:') : `http://${trimmed}`
}

/** What of the proxies' addresses must not be shown: passwords, and the header they are sent in. */
export function proxySecrets(proxy: ProxySettings | undefined): string[] {
  return [proxy?.http, proxy?.https].flatMap((address) => {
    if (address === undefined || !URL.canParse(withScheme(address))) return []
    const { username, password } = new URL(withScheme(address))
    return password === '' ? [] : [password, Buffer.from(`${username}:${password}`).toString('base64')]
  })
}
