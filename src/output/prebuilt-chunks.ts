/**
 * Message files that bypass the bundler: they are added after the bundler has finished. Their names contain the
 * language, the namespace and a content hash, so the manifest needs only the hashes.
 */
import type { Translations } from '../catalog/translations.ts'
import { contentHash } from '../shared/hash.ts'
import { encodeName, formatRequest } from './ids.ts'
import { expressionIn, stringLiteral } from './literal.ts'

/** `.mjs` if Node imports the files, because `.mjs` works whatever `type` is in package.json. */
export type ChunkExtension = '.js' | '.mjs'

export interface TextModule {
  readonly bytes: Buffer
  readonly size: number
  /** At least eight hexadecimal characters. */
  readonly hash: string
}

export interface PrebuiltChunk {
  /** The path below the folder for prebuilt chunks, with forward slashes. */
  readonly name: string
  /** The specifier of the virtual module with the same texts; `undefined` if there is none. */
  readonly request?: string | undefined
  readonly module: TextModule
}

/** The files that `delivery: 'live'` adds to a build. The message files are not included. */
export interface LiveFiles {
  readonly table: string
  readonly build: string
  readonly version: string
  readonly files: readonly PrebuiltChunk[]
}

export interface PrebuiltChunks {
  readonly files: readonly PrebuiltChunk[]
  /** See `ChunkAddresses` in the runtime. */
  readonly hashes: string
  readonly isIndexed: boolean
  readonly columns: readonly MessageColumn[]
  readonly perChunk: readonly ChunkMessages[]
  /** The table and the record, if `delivery` is `'live'`. */
  readonly live?: LiveFiles | undefined
}

/**
 * One namespace in all languages: either the messages that a page has from the start, or those that are loaded together
 * with one chunk of the app's code. `hashes` and `sizes` are in the order of the languages.
 */
export interface MessageColumn {
  readonly namespace: string
  /** The bundler adapter's name for the chunk. */
  readonly chunk: string | undefined
  readonly hashes: readonly string[]
  /** In bytes. */
  readonly sizes: readonly number[]
}

/** A chunk of the app's code that has its own messages, and the indices of their namespaces. */
interface ChunkMessages {
  readonly chunk: string
  readonly namespaces: readonly number[]
}

/**
 * Returns the module for a namespace in one language; `undefined` if it has no texts and needs no file. `at` is an
 * index into the hashes of the namespace's columns, and `path` is the file's path without its hash and extension.
 */
export type GenerateContent = (
  language: string,
  namespace: string,
  at: number,
  path: string,
) => Promise<TextModule | undefined>

/** Messages to be loaded together with a chunk of the app's code. */
interface ChunkMessagesInput {
  readonly chunk: string
  readonly namespaces: readonly string[]
  readonly content: GenerateContent
}

/** The length of hashes in URLs. The runtime splits lists of hashes at multiples of this length. */
const HASH_LENGTH = 8
const NO_TEXTS = ' '.repeat(HASH_LENGTH)

/**
 * The maximum number of hashes in the manifest. If there are more, each language has an index, which is a separate file
 * with the language's hashes.
 */
const MAX_INLINE_HASHES = 128

/**
 * Returns true if the manifest contains only the hashes of index files. The manifest's size then depends on the sum of
 * languages and namespaces, not on their product.
 */
export function isIndexed(languages: { readonly length: number }, columns: { readonly length: number }): boolean {
  return languages.length * columns.length > MAX_INLINE_HASHES
}

/**
 * Marks the names of files with per-chunk messages. Must equal the string in the runtime. Encoded names contain no
 * dots, so the mark is unambiguous.
 */
export const PER_CHUNK_MARK = '.chunk'

export async function createPrebuiltChunks(
  { languages, namespaces }: Pick<Translations, 'languages' | 'namespaces'>,
  extension: ChunkExtension,
  content: GenerateContent,
  perChunk: readonly ChunkMessagesInput[] = [],
): Promise<PrebuiltChunks> {
  const columnOf = (namespace: string, generate: GenerateContent, chunk?: string) => {
    return { namespace, chunk, generate, hashes: [] as string[], sizes: [] as number[] }
  }
  const columns = [
    ...namespaces.map((namespace) => columnOf(namespace, content)),
    ...perChunk.flatMap(({ chunk, namespaces: own, content: generate }) =>
      own.map((namespace) => columnOf(namespace, generate, chunk)),
    ),
  ]
  const files = new Map<string, PrebuiltChunk>()
  /** Adds a file, unless an equal one exists. Returns its hash. */
  const add = (path: string, module: TextModule, request?: string): string => {
    const hash = module.hash.slice(0, HASH_LENGTH)
    const name = `${path}.${hash}${extension}`
    files.set(name, { name, module, request })
    return hash
  }
  // The outer loop is over namespaces, because the languages of a namespace share fallbacks and mostly have the same
  // keys.
  for (const namespace of namespaces) {
    const own = columns.filter((column) => column.namespace === namespace)
    for (const [row, { key: language }] of languages.entries()) {
      for (const [at, column] of own.entries()) {
        const isBase = column.chunk === undefined
        const path = `${encodeName(language)}/${encodeName(namespace)}${isBase ? '' : PER_CHUNK_MARK}`
        const module = await column.generate(language, namespace, at * languages.length + row, path)
        const request = isBase ? formatRequest({ kind: 'namespace', language, namespace }) : undefined
        column.hashes.push(module ? add(path, module, request) : NO_TEXTS)
        column.sizes.push(module?.size ?? 0)
      }
    }
  }
  const hasIndexes = isIndexed(languages, columns)
  const indexOf = (row: number) => columns.map(({ hashes }) => hashes[row]).join('')
  const hashes = hasIndexes
    ? languages.map(({ key }, row) =>
        add(encodeName(key), moduleContent(`export default ${stringLiteral(indexOf(row))}\n`)),
      )
    : columns.flatMap((column) => column.hashes)
  return {
    files: [...files.values()],
    hashes: hashes.join(''),
    isIndexed: hasIndexes,
    columns,
    perChunk: perChunk.map(({ chunk, namespaces: own }) => {
      return { chunk, namespaces: own.map((namespace) => namespaces.indexOf(namespace)) }
    }),
  }
}

export function moduleContent(code: string): TextModule {
  const bytes = Buffer.from(code)
  return { bytes, size: bytes.length, hash: contentHash(bytes) }
}

/**
 * The manifest's placeholder for its addresses, which depend on the chunk that finally contains the manifest. Bundlers
 * do not rename the placeholder, because it is an undefined name.
 */
export const ADDRESSES = '__UNPLUGIN_LOCALIZATION_ADDRESSES__'

/**
 * The expression for the runtime's `ChunkAddresses` if the output is a single file. It contains the messages
 * themselves.
 *
 * @param added the code of further properties: see `perChunkExpression` and `liveExpression`
 */
export function inlineAddressesExpression(
  { files, hashes }: Pick<PrebuiltChunks, 'files' | 'hashes'>,
  extension: ChunkExtension,
  added: readonly string[],
): string {
  const texts = files.map(({ name, module }) => `${stringLiteral(name)}: () => (${expressionIn(module.bytes)})`)
  return addressesObject([
    `fetch: (address) => Promise.resolve({ default: ({ ${texts.join(', ')} })[address]() })`,
    "base: ''",
    // `hashes` comes before `extension`, so that `hashesIn` does not find these hashes, which have no files.
    `hashes: ${stringLiteral(hashes)}`,
    `extension: ${stringLiteral(extension)}`,
    ...added,
  ])
}

/**
 * The expression for the runtime's `ChunkAddresses`.
 *
 * @param output its `comment` makes the bundler ignore an `import()`, and is inserted before the URL
 * @param base the expression for the URL of the files' folder, with a trailing slash
 * @param added the code of further properties: see `perChunkExpression` and `liveExpression`
 */
export function addressesExpression(
  { extension, comment = '' }: { readonly extension: ChunkExtension; readonly comment?: string },
  hashes: string,
  base: string,
  added: readonly string[],
): string {
  // For per-chunk messages and live delivery, the runtime reads the addresses before it fetches any file. The base may
  // not be known at that time, so it is a getter.
  return addressesObject([
    `fetch: (address) => import(${comment}address)`,
    added.length > 0 ? `get base() { return ${base} }` : `base: ${base}`,
    `extension: ${stringLiteral(extension)}`,
    `hashes: ${stringLiteral(hashes)}`,
    ...added,
  ])
}

/**
 * The parentheses are needed because a bundler may drop those around the placeholder. In an arrow function, the braces
 * would then be a block.
 */
function addressesObject(properties: readonly string[]): string {
  return `({ ${properties.join(', ')} })`
}

/**
 * The code of the properties that `PerChunkAddresses` adds to `ChunkAddresses`.
 *
 * @param queue the expression for the list to which chunks are pushed when they are loaded
 * @param idOf returns the expression for the value that is pushed for a chunk; `undefined` if the chunk is not loaded
 * separately
 */
export function perChunkExpression(
  { perChunk, isIndexed: hasIndexes }: PrebuiltChunks,
  queue: string,
  idOf: (chunk: string) => string | undefined,
): string {
  const rows = perChunk.map(({ chunk, namespaces }) => `[${[idOf(chunk) ?? 'null', ...namespaces].join(', ')}]`)
  return `queue: ${queue}, chunks: [${rows.join(', ')}], isIndexed: ${String(hasIndexes)}`
}

/**
 * The code of the properties that `LiveAddresses` adds to `ChunkAddresses`. If the output is a single file, the table's
 * name is empty.
 */
export function liveExpression({ live, isIndexed: hasIndexes }: PrebuiltChunks, isOneFile = false): string | undefined {
  if (!live) return undefined
  const { table, build, version } = live
  return `live: [${[isOneFile ? '' : table, build, version].map(stringLiteral).join(', ')}], isIndexed: ${String(hasIndexes)}`
}

const QUOTE = '\\\\*["\'`]'
const HASHES = `${QUOTE}((?:[0-9a-f]{8}| {8})+)${QUOTE}`

/**
 * Matches lists of hashes in addresses, even in minified code or in a string. Does not match a list whose `base` is an
 * absolute URL.
 */
const HASH_LISTS = new RegExp(
  `extension:(?<!https?://[^"'\`]*${QUOTE},\\s*extension:)\\s*${QUOTE}\\.m?js${QUOTE},\\s*hashes:\\s*${HASHES}` +
    `|hashes:\\s*${HASHES},\\s*queue:`,
  'g',
)

/** Returns the hashes of the message files to which a script refers. */
export function hashesIn(code: string): string[] {
  // Most scripts contain no hashes, and this check is fast.
  if (!code.includes('hashes')) return []
  const lists = [...code.matchAll(HASH_LISTS)].map(([, plain, perChunk]) => plain ?? perChunk ?? '')
  return lists.flatMap((list) => list.match(/[0-9a-f]{8}/g) ?? [])
}

/** Matches the path of a message file, and captures its hash. */
export const MESSAGE_FILE = /(?:^|\/)localization\/.*\.([0-9a-f]{8})\.m?js$/
