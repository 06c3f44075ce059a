import { LocalizationError } from '../errors.ts'

/** Proxies, as the usual environment variables name them. */
export interface ProxySettings {
  /** For `http:` addresses, and for `https:` ones where `https` is not given. */
  readonly http?: string | undefined
  readonly https?: string | undefined
  /** Hosts reached without a proxy: names and domains, comma-separated, `*` for all. Loopback never goes through a proxy. */
  readonly no?: string | undefined
}

/** `http_proxy`, `https_proxy`, `no_proxy` in lower or upper case; `undefined` when no proxy is named. */
export function proxyFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): ProxySettings | undefined {
  const read = (name: string) => environment[name] || environment[name.toUpperCase()] || undefined
  const http = read('http_proxy')
  const https = read('https_proxy')
  return http === undefined && https === undefined ? undefined : { http, https, no: read('no_proxy') }
}

/** @throws `CONFIG_INVALID` for an address no proxy can have; the address itself, which may hold a password, is not shown. */
export function checkProxy(proxy: ProxySettings | undefined): ProxySettings | undefined {
  for (const [name, address] of [
    ['http', proxy?.http],
    ['https', proxy?.https],
  ] as const) {
    if (address === undefined) continue
    if (!URL.canParse(address) || !/^(https?|socks5?):$/.test(new URL(address).protocol)) {
      throw new LocalizationError(`the ${name} proxy is no http, https or socks5 address`, {
        code: 'CONFIG_INVALID',
        hint: `Correct or unset the variable ${name.toUpperCase()}_PROXY (or ${name}_proxy), or the option \`proxy\`; an address begins with its scheme, as in http://127.0.0.1:3128.`,
      })
    }
  }
  return proxy
}

/** What of the proxies' addresses must not be shown: passwords, and the header they are sent in. */
export function proxySecrets(proxy: ProxySettings | undefined): string[] {
  return [proxy?.http, proxy?.https].flatMap((address) => {
    const { username, password } = address === undefined ? { username: '', password: '' } : new URL(address)
    return password === '' ? [] : [password, Buffer.from(`${username}:${password}`).toString('base64')]
  })
}
