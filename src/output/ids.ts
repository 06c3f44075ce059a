/**
 * The only module that knows the spelling of virtual module ids: the specifiers in the app, and the resolved ids in the
 * bundler. A resolved id encodes the names reversibly, because a bundler's persistent cache can load a module without
 * resolving it first. Resolved ids end in `.js`, and the rest contains no character with a special meaning in any
 * bundler.
 */
import { hashOf } from '../shared/hash.ts'

export const MANIFEST_ID = 'virtual:translations'
export const RUNTIME_ID = 'unplugin-localization/runtime'

/**
 * A prefix for requests in webpack, which rejects the scheme `virtual:` before it calls a plugin. The webpack adapter
 * rewrites requests to this form.
 */
const SCHEMELESS_ID = 'unplugin-localization-virtual/translations'

export interface LanguageId {
  readonly kind: 'language'
  readonly language: string
  readonly customer?: string | undefined
}

export interface NamespaceId {
  readonly kind: 'namespace'
  readonly language: string
  readonly namespace: string
  readonly customer?: string | undefined
}

export type ModuleId = { readonly kind: 'manifest' } | { readonly kind: 'runtime' } | LanguageId | NamespaceId

/** The names that a resolved id may contain. Needed only to decode hashed names. */
export interface KnownNames {
  readonly languages: readonly string[]
  readonly namespaces: readonly string[]
  readonly customers: readonly string[]
}

/** Matches every specifier that this plugin may resolve. Bundlers use it as a native filter. */
export const REQUEST_FILTER =
  /^(?:(?:virtual:|unplugin-localization-virtual\/|#)translations(?:$|[/?])|unplugin-localization\/runtime$)/

/**
 * Parses an app's specifier. Returns `undefined` if it is not for a virtual module. Malformed percent-encoding is left
 * unchanged.
 */
export function parseRequest(request: string): ModuleId | undefined {
  if (request === RUNTIME_ID) return { kind: 'runtime' }
  const prefix = [MANIFEST_ID, SCHEMELESS_ID].find(
    (id) => request === id || request.startsWith(`${id}/`) || request.startsWith(`${id}?`),
  )
  if (prefix === undefined) return undefined
  const rest = request.slice(prefix.length)
  const [path = '', query = ''] = splitOnce(rest, '?')
  const customer = new URLSearchParams(query).get('customer') ?? undefined
  if (path === '' || path === '/') return { kind: 'manifest' }
  const [language = '', namespace] = splitOnce(path.slice(1), '/')
  if (namespace === undefined || namespace === '') return { kind: 'language', language: decode(language), customer }
  return {
    kind: 'namespace',
    language: decode(language),
    namespace: namespace.split('/').map(decode).join('/'),
    customer,
  }
}

/** Returns the specifier by which a generated module imports another one. */
export type FormatSpecifier = (id: ModuleId) => string

/** Returns the specifier by which an app imports the module. This is the inverse of `parseRequest`. */
export function formatRequest(id: ModuleId): string {
  if (id.kind === 'manifest') return MANIFEST_ID
  if (id.kind === 'runtime') return RUNTIME_ID
  const segments = [id.language, ...(id.kind === 'namespace' ? id.namespace.split('/') : [])]
  const query = id.customer === undefined ? '' : `?customer=${encode(id.customer)}`
  return `${MANIFEST_ID}/${segments.map(encode).join('/')}${query}`
}

/**
 * Returns webpack's spelling of a request, or `undefined` if the request is not for a virtual module. Names are
 * encoded, because a `!` in them would select a loader.
 */
export function toSchemeless(request: string): string | undefined {
  if (!request.startsWith(MANIFEST_ID)) return undefined
  const id = parseRequest(request)
  return id && SCHEMELESS_ID + formatRequest(id).slice(MANIFEST_ID.length)
}

/**
 * The spelling of resolved ids. They begin with the conventional `\0`, except in Farm, whose dev server cannot serve
 * modules with such ids.
 */
export interface IdSpelling {
  format(id: ModuleId): string
  /**
   * Parses a resolved id. Returns `undefined` if the id is not one of this plugin's, or if it contains an unknown
   * hashed name.
   */
  parse(resolved: string, known: KnownNames): ModuleId | undefined
  /** Matches every id that `format` returns. */
  readonly filter: RegExp
}

export const NULL_SPELLING = createIdSpelling('\0localization/')
/**
 * The spelling for Farm. The ids begin with `node_modules/`, because Farm's `presetEnv` adds polyfill imports to all
 * other modules. Those imports cannot be resolved from a path that does not exist.
 */
export const PLAIN_SPELLING = createIdSpelling('node_modules/unplugin-localization-modules/')

function createIdSpelling(prefix: string): IdSpelling {
  const format = (id: ModuleId): string => {
    if (id.kind === 'manifest' || id.kind === 'runtime') return `${prefix}${id.kind}.js`
    const names = [
      id.language,
      ...(id.kind === 'namespace' ? [id.namespace] : []),
      ...(id.customer === undefined ? [] : [id.customer]),
    ]
    return `${prefix}${id.kind}/${names.map(encodeName).join('.')}.js`
  }
  return {
    format,
    filter: new RegExp(`^${prefix.replace('\0', '\\x00').replaceAll('/', '\\/')}`),
    parse(resolved, known) {
      if (!resolved.startsWith(prefix) || !resolved.endsWith('.js')) return undefined
      const [kind = '', rest = ''] = splitOnce(resolved.slice(prefix.length, -3), '/')
      if (rest === '') return kind === 'manifest' || kind === 'runtime' ? { kind } : undefined
      const segments = rest.split('.')
      const language = decodeName(segments[0], known.languages)
      if (language === undefined) return undefined
      const namespace = kind === 'namespace' ? decodeName(segments[1], known.namespaces) : undefined
      const customerSegment = segments[kind === 'namespace' ? 2 : 1]
      const customer = decodeName(customerSegment, known.customers)
      if (customerSegment !== undefined && customer === undefined) return undefined
      if (kind === 'language') return { kind, language, customer }
      return kind === 'namespace' && namespace !== undefined ? { kind, language, namespace, customer } : undefined
    },
  }
}

/**
 * The maximum length of an encoded name. Longer names are hashed, because bundlers use them in file names, which file
 * systems limit to 255 bytes.
 */
const MAX_ENCODED_LENGTH = 80
const HASH_MARK = '~x'

/**
 * Encodes a name. Letters, digits, `_` and `-` are unchanged. All other UTF-8 bytes become `~hh`, and so does the
 * first letter of a Windows device name. The empty name becomes `~`. Different names have different results, which
 * never contain a dot.
 */
export function encodeName(name: string): string {
  if (name === '') return '~'
  let encoded = ''
  for (const byte of Buffer.from(name, 'utf8')) {
    const char = String.fromCharCode(byte)
    encoded += /[A-Za-z0-9_-]/.test(char) ? char : `~${byte.toString(16).padStart(2, '0')}`
  }
  if (encoded.length > MAX_ENCODED_LENGTH) return HASH_MARK + hashOf(name, 32)
  return DEVICE.test(encoded) ? `~${encoded.charCodeAt(0).toString(16)}${encoded.slice(1)}` : encoded
}

/** Windows reserves these names for devices. No file or folder can have such a name, with or without an extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

/** Decodes a result of `encodeName`. If the name was hashed, looks for it among the known names. */
export function decodeName(encoded: string | undefined, known: readonly string[]): string | undefined {
  if (encoded === undefined) return undefined
  if (encoded === '~') return ''
  if (encoded.startsWith(HASH_MARK)) return known.find((name) => encodeName(name) === encoded)
  const bytes: number[] = []
  for (let i = 0; i < encoded.length; i++) {
    if (encoded[i] === '~') {
      bytes.push(Number.parseInt(encoded.slice(i + 1, i + 3), 16))
      i += 2
    } else bytes.push(encoded.charCodeAt(i))
  }
  return Buffer.from(bytes).toString('utf8')
}

/** Encodes every character that some bundler does not allow in a request. */
function encode(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)]
}
