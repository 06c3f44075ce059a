/**
 * Maps virtual modules to files, for tools without plugins: `virtual:translations` is `index.js`,
 * `virtual:translations/en/shop` is `en/shop.js`, and with `?customer=acme`, that is `en/shop@acme.js`.
 */
import { hashOf } from '../shared/hash.ts'
import { decodeSegment, encodeSegment, foldName } from '../shared/paths.ts'
import type { KnownNames, ModuleId } from './ids.ts'

/**
 * The manifest's specifier for tools that do not support `virtual:`. The project defines it under `imports` in
 * package.json.
 */
export const IMPORTS_ID = '#translations'

/** Returns a module's path relative to the output folder, with forward slashes. */
export type ModulePath = (id: ModuleId) => string

/** The file to which tools' aliases map unknown names: see `generateUnknownModule`. */
export const UNKNOWN_FILE = 'unknown.js'

/** See `generateRevisionModule`. */
export const REVISION_FILE = 'revision.js'

/** The names of the other files in the folder. */
const RESERVED = ['index', 'runtime', 'revision', 'unknown']

/**
 * Characters that are also encoded. They have a special meaning in URLs, globs, loaders or shells, or mark encoded
 * characters (`~`).
 */
const ALSO = "~#!@$&'`()[]{}^;"

/** Matches the dot in a name that ends like a file name. Tools would mistake a folder with such a name for a file. */
const FILE_ENDING = /\.(?=(?:[cm]?[jt]sx?|json)$)/i

/**
 * The maximum length of a segment. File systems limit names to 255 bytes, and a file's name also contains the customer
 * and the extension.
 */
const MAX_SEGMENT_BYTES = 80

/**
 * Returns the function for the modules' paths, and the names that are replaced with a hash: those that some file system
 * could confuse with another name, and those that are too long.
 */
export function createModulePaths({ languages, namespaces, customers }: KnownNames): {
  readonly pathOf: ModulePath
  readonly hashed: readonly string[]
} {
  const ofLanguage = fileNames(languages, encodeFileName)
  const ofNamespace = fileNames(namespaces, encodePath)
  const ofCustomer = fileNames(customers, encodeFileName)
  const pathOf = (id: ModuleId): string => {
    if (id.kind === 'manifest') return 'index.js'
    if (id.kind === 'runtime') return 'runtime.js'
    const language = notReserved(ofLanguage(id.language))
    const path = id.kind === 'language' ? language : `${language}/${ofNamespace(id.namespace)}`
    return `${path}${id.customer === undefined ? '' : `@${ofCustomer(id.customer)}`}.js`
  }
  const all = [[ofLanguage, languages] as const, [ofNamespace, namespaces] as const, [ofCustomer, customers] as const]
  return {
    pathOf,
    hashed: all.flatMap(([nameOf, names]) => names.filter((name) => nameOf(name).startsWith(HASH_MARK))),
  }
}

/** Returns the specifier by which the file `from` imports the file `to`. */
export function relativeSpecifier(from: string, to: string): string {
  const up = from.split('/').length - 1
  return `${up === 0 ? './' : '../'.repeat(up)}${to}`
}

/** Returns true if an import contains a hashed name, which cannot be decoded. */
export function isHashedRequest(request: string): boolean {
  return request.startsWith(`${IMPORTS_ID}/`) && request.includes(`/${HASH_MARK}`)
}

/**
 * Returns the virtual module for an import such as `#translations/en/shop`, with or without `.js`. Returns `undefined`
 * for other imports.
 */
export function parseImportsRequest(request: string): ModuleId | undefined {
  if (request === IMPORTS_ID) return { kind: 'manifest' }
  if (!request.startsWith(`${IMPORTS_ID}/`)) return undefined
  const [path = '', customer] = request
    .slice(IMPORTS_ID.length + 1)
    .replace(/\.js$/, '')
    .split('@')
  if (path === 'index') return { kind: 'manifest' }
  if (path === 'runtime') return { kind: 'runtime' }
  const [language = '', ...namespace] = path.split('/').map(decodeName)
  const ofCustomer = customer === undefined ? {} : { customer: decodeName(customer) }
  return namespace.length === 0
    ? { kind: 'language', language, ...ofCustomer }
    : { kind: 'namespace', language, namespace: namespace.join('/'), ...ofCustomer }
}

type Encode = (name: string) => string

function fileNames(names: readonly string[], encode: Encode): Encode {
  const files = new Map<string, string>()
  const taken = new Set<string>()
  for (const name of [...names].sort().reverse()) {
    const path = encode(name)
    files.set(name, taken.has(foldName(path)) ? hashedName(name) : path)
    taken.add(foldName(path))
  }
  return (name) => files.get(name) ?? encode(name)
}

/** Encodes a namespace. Its slashes are kept and separate folders. */
function encodePath(name: string): string {
  const segments = name.split('/').map(encodeFileName)
  return segments.some((segment) => segment.startsWith(HASH_MARK)) ? hashedName(name) : segments.join('/')
}

/** Like `encodeSegment`, but with `~` instead of `%`, because Node decodes `%` in imports and bundlers do not. */
function encodeFileName(name: string): string {
  const encoded = encodeSegment(name, ALSO).replaceAll('%', '~').replace(FILE_ENDING, '~2E')
  return Buffer.byteLength(encoded) > MAX_SEGMENT_BYTES ? hashedName(name) : encoded
}

function notReserved(name: string): string {
  return RESERVED.includes(foldName(name)) ? `~${name.charCodeAt(0).toString(16)}${name.slice(1)}` : name
}

function decodeName(segment: string): string {
  return decodeSegment(segment.replaceAll('~', '%'))
}

/** The beginning of a hashed name. Encoded characters never begin like this. */
const HASH_MARK = '~x'

function hashedName(name: string): string {
  return HASH_MARK + hashOf(name, 32)
}
