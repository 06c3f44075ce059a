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
