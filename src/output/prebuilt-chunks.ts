/**
 * Message modules that bypass the bundler: files that are added after its own work. Each is named after its language,
 * namespace and content, so that the manifest needs only the hashes.
 */
import type { Translations } from '../catalog/translations.ts'
import { contentHash } from '../shared/hash.ts'
import { encodeName, formatRequest } from './ids.ts'
import { expressionIn, stringLiteral } from './literal.ts'

/** `.mjs` if Node imports the files, no matter what the surrounding package.json says. */
export type ChunkExtension = '.js' | '.mjs'

interface TextModule {
  readonly bytes: Buffer
  readonly size: number
  /** At least eight hexadecimal characters. */
  readonly hash: string
}

export interface PrebuiltChunk {
  /** The path below the folder of prebuilt chunks, with `/`. */
  readonly name: string
  /** The specifier for the same texts; `undefined`: no module has exactly these. */
  readonly request?: string | undefined
  readonly module: TextModule
}

export interface PrebuiltChunks {
  readonly files: readonly PrebuiltChunk[]
  /** See `ChunkAddresses` of the runtime. */
  readonly hashes: string
  readonly isIndexed: boolean
  /** Bytes of each namespace, in all languages. */
  readonly namespaceBytes: ReadonlyMap<string, number>
  /** The files that do not belong to a chunk. */
  readonly base: NamespaceSizes
  readonly perChunk: readonly ChunkMessages[]
}

/** By namespace: bytes in each language, in the order of the languages. */
type NamespaceSizes = ReadonlyMap<string, readonly number[]>

/** Messages that are loaded with a chunk of the app's code. */
interface ChunkMessages {
  /** The bundler adapter's name of the chunk. */
  readonly chunk: string
  /** Indices in the list of namespaces. */
  readonly namespaces: readonly number[]
  readonly sizes: NamespaceSizes
}

/** The module of one language and namespace; `undefined`: it has no texts, and needs no file. */
export type GenerateContent = (language: string, namespace: string) => Promise<TextModule | undefined>

export interface PrebuiltChunksInput {
  readonly translations: Pick<Translations, 'languages' | 'namespaces'>
  readonly extension: ChunkExtension
  readonly content: GenerateContent
  /** The messages that are loaded with chunks of the app's code. */
  readonly perChunk?: readonly ChunkMessagesInput[] | undefined
}

interface ChunkMessagesInput {
  readonly chunk: string
  readonly namespaces: readonly string[]
  readonly content: GenerateContent
}

/** A part of each address; the runtime splits rows of hashes at this length. */
const HASH_LENGTH = 8
const NO_TEXTS = ' '.repeat(HASH_LENGTH)

/** Above this number, each language has an index: a separate file with the hashes. */
const MAX_INLINE_HASHES = 128

/**
 * True if the manifest has the hashes of index files: it then grows with languages and namespaces, not with their product.
 */
export function isIndexed(languages: { readonly length: number }, columns: { readonly length: number }): boolean {
  return languages.length * columns.length > MAX_INLINE_HASHES
}

/** A part of the name of per-chunk messages: names contain no dots. The runtime has the same constant. */
const PER_CHUNK_MARK = '.chunk'

export async function createPrebuiltChunks({
  translations: { languages, namespaces },
  extension,
  content,
  perChunk = [],
}: PrebuiltChunksInput): Promise<PrebuiltChunks> {
  const columns = [
    ...namespaces.map((namespace) => new Column(namespace, content)),
    ...perChunk.flatMap((chunk) => chunk.namespaces.map((namespace) => new Column(namespace, chunk.content, chunk))),
  ]
  const files = new Map<string, PrebuiltChunk>()
  /** Two chunks may have the same messages. */
  const add = (path: string, module: TextModule, request?: string): string => {
    const hash = module.hash.slice(0, HASH_LENGTH)
    const name = `${path}.${hash}${extension}`
    files.set(name, { name, module, request })
    return hash
  }
  // By namespace: its languages have the same fallbacks, and mostly the same keys.
  for (const namespace of namespaces) {
    const own = columns.filter((column) => column.namespace === namespace)
    for (const { key: language } of languages) {
      for (const column of own) {
        const module = await column.content(language, namespace)
        const path = `${encodeName(language)}/${encodeName(namespace)}${column.chunk ? PER_CHUNK_MARK : ''}`
        const request = column.chunk ? undefined : formatRequest({ kind: 'namespace', language, namespace })
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
  const bytesOf = (name: string) => {
    const own = columns.filter(({ namespace }) => namespace === name).flatMap(({ sizes }) => sizes)
    return own.reduce((sum, size) => sum + size, 0)
  }
  const sizesOf = (owner?: ChunkMessagesInput): NamespaceSizes =>
    new Map(columns.filter(({ chunk }) => chunk === owner).map(({ namespace, sizes }) => [namespace, sizes]))
  return {
    files: [...files.values()],
    hashes: hashes.join(''),
    isIndexed: hasIndexes,
    namespaceBytes: new Map(namespaces.map((name) => [name, bytesOf(name)])),
    base: sizesOf(),
    perChunk: perChunk.map((own) => ({
      chunk: own.chunk,
      namespaces: own.namespaces.map((namespace) => namespaces.indexOf(namespace)),
      sizes: sizesOf(own),
    })),
  }
}

/**
 * One namespace in every language: either the messages that a page has from its start, or those that are loaded with a
 * chunk.
 */
class Column {
  readonly namespace: string
  readonly content: GenerateContent
  readonly chunk: ChunkMessagesInput | undefined
  /** By language. */
  readonly hashes: string[] = []
  /** By language, in bytes. */
  readonly sizes: number[] = []

  constructor(namespace: string, content: GenerateContent, chunk?: ChunkMessagesInput) {
    this.namespace = namespace
    this.content = content
    this.chunk = chunk
  }
}

export function moduleContent(code: string): TextModule {
  const bytes = Buffer.from(code)
  return { bytes, size: bytes.length, hash: contentHash(bytes) }
}

/**
 * The manifest's placeholder for its addresses, which depend on the manifest's final chunk. A free name: bundlers do
 * not rename it.
 */
export const ADDRESSES = '__UNPLUGIN_LOCALIZATION_ADDRESSES__'

export interface AddressesInput {
  readonly extension: ChunkExtension
  /** An expression: the address of the files' folder, with a trailing slash. */
  readonly base: string
  readonly hashes: string
  /** A comment before the address in `import()`, which makes the bundler ignore it. */
  readonly comment?: string
  /** The properties of `PerChunkAddresses`. */
  readonly perChunk?: string | undefined
}

/**
 * The expression of the runtime's `ChunkAddresses` for an output that is one file: it includes the content of the
 * files.
 */
export function inlineAddressesExpression(
  { files, hashes }: Pick<PrebuiltChunks, 'files' | 'hashes'>,
  { extension, perChunk }: Pick<AddressesInput, 'extension' | 'perChunk'>,
): string {
  const texts = files.map(({ name, module }) => `${stringLiteral(name)}: () => (${expressionIn(module.bytes)})`)
  const properties = [
    `fetch: (address) => Promise.resolve({ default: ({ ${texts.join(', ')} })[address]() })`,
    "base: ''",
    // `hashes` precedes `extension`, so that `hashesIn` does not find these hashes: they have no files.
    `hashes: ${stringLiteral(hashes)}`,
    `extension: ${stringLiteral(extension)}`,
    ...(perChunk === undefined ? [] : [perChunk]),
  ]
  return `({ ${properties.join(', ')} })`
}

/** The expression of the runtime's `ChunkAddresses`. */
export function addressesExpression({ extension, hashes, base, comment = '', perChunk }: AddressesInput): string {
  const fetch = `(address) => import(${comment}address)`
  // With chunks, the runtime reads addresses before it fetches any: the base may still be unknown.
  const address = perChunk === undefined ? `base: ${base}` : `get base() { return ${base} }`
  const properties = [
    `fetch: ${fetch}`,
    address,
    `extension: ${stringLiteral(extension)}`,
    `hashes: ${stringLiteral(hashes)}`,
    ...(perChunk === undefined ? [] : [perChunk]),
  ]
  // In additional parentheses: a bundler may drop those around the name, and an arrow function's braces would be a
  // block.
  return `({ ${properties.join(', ')} })`
}

/**
 * The additional properties of `PerChunkAddresses`.
 *
 * @param queue the expression of the list that loaded chunks are pushed to
 * @param idOf the expression of the value that is pushed for a chunk; `undefined`: the chunk is not loaded separately
 */
export function perChunkExpression(
  { perChunk, isIndexed: hasIndexes }: PrebuiltChunks,
  queue: string,
  idOf: (chunk: string) => string | undefined,
): string {
  const rows = perChunk.map(({ chunk, namespaces }) => `[${[idOf(chunk) ?? 'null', ...namespaces].join(', ')}]`)
  return `queue: ${queue}, chunks: [${rows.join(', ')}], isIndexed: ${String(hasIndexes)}`
}

const QUOTE = '\\\\*["\'`]'
const HASHES = `${QUOTE}((?:[0-9a-f]{8}| {8})+)${QUOTE}`

/** The lists of hashes in addresses, even if minified or in a string, except lists whose base is on a server. */
const HASH_LISTS = new RegExp(
  `extension:(?<!https?://[^"'\`]*${QUOTE},\\s*extension:)\\s*${QUOTE}\\.m?js${QUOTE},\\s*hashes:\\s*${HASHES}` +
    `|hashes:\\s*${HASHES},\\s*queue:`,
  'g',
)

/** The hashes of the message files that a script addresses. */
export function hashesIn(code: string): string[] {
  // Faster than the expression, and most scripts do not contain hashes.
  if (!code.includes('hashes')) return []
  const lists = [...code.matchAll(HASH_LISTS)].map(([, plain, perChunk]) => plain ?? perChunk ?? '')
  return lists.flatMap((list) => list.match(/[0-9a-f]{8}/g) ?? [])
}

/** The name of a prebuilt chunk in an output, and its hash. */
export const MESSAGE_FILE = /(?:^|\/)localization\/.*\.([0-9a-f]{8})\.m?js$/
