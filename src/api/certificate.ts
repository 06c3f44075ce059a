/** Explains in words why a TLS connection failed. Pure. */

export interface TlsProblem {
  readonly message: string
  readonly hint: string
}

const UNKNOWN_AUTHORITY =
  'Ask the administrator of the server or company proxy for the certificate of its authority (a PEM file). Name it ' +
  'in the environment variable NODE_EXTRA_CA_CERTS before Node starts.'
const NAMES = 'Use the address that the certificate is for.'
const CLOCK = "Renew it on the server, or correct this machine's clock."
const CLIENT =
  'If the server asks for a client certificate, set `service.dispatcher` to an undici ' +
  '`new Agent({ connect: { cert, key } })`.'

/** By the error's code, as OpenSSL and Node name it. */
const PROBLEMS: readonly (readonly [code: RegExp, message: string, hint: string])[] = [
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'its certificate is self-signed', UNKNOWN_AUTHORITY],
  [
    /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED/,
    'its certificate comes from an authority that this machine does not know',
    UNKNOWN_AUTHORITY,
  ],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired', CLOCK],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet', CLOCK],
  [/^CERT_REVOKED$/, 'its certificate is revoked', 'Tell the administrator of the server.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for other names', NAMES],
  [/_ALERT_/, 'the server refused the TLS connection', CLIENT],
  // With TLS 1.3, a server that refuses the connection often gives no other reason.
  [/^UND_ERR_SOCKET$/, 'the server closed the TLS connection', `Check the network and the proxy settings. ${CLIENT}`],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/,
    'the server does not speak TLS',
    'Perhaps the address must begin with http://.',
  ],
]

/** `undefined`: the code is not about TLS. */
export function tlsProblem(code: string, words: string): TlsProblem | undefined {
  const [, message, hint] = PROBLEMS.find(([pattern]) => pattern.test(code)) ?? []
  if (message !== undefined && hint !== undefined) return { message: `${message} (${words})`, hint }
  if (!/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL/.test(code)) return undefined
  return { message: `the TLS connection failed (${words})`, hint: UNKNOWN_AUTHORITY }
}
