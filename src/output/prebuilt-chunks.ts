/**
 * Message modules that never pass through the bundler: files it is handed when its own work is done. Each is named after its language,
 * namespace and content, so that the manifest needs the hashes only.
 */
import type { TextModule } from '../catalog/model.ts'
import { moduleOf } from '../catalog/text-module.ts'
import type { Translations } from '../catalog/translations.ts'
import { encodeName, formatRequest } from './ids.ts'
import { stringLiteral } from './literal.ts'

/** `.mjs` where Node imports the files, whatever the package around them says. */
export type ChunkExtension = '.js' | '.mjs'

export interface PrebuiltChunk {
  /** Below the folder of prebuilt chunks, with `/`. */
  readonly name: string
  readonly size: number
  /** What an app would import for the same texts; `undefined`: no module has just these. */
  readonly request?: string | undefined
  /** Of a large catalog read from the disk each time: nobody needs to hold them all. */
  readonly content: Buffer
  /** The same for who copies it, good until the next one is borrowed. */
  borrow(): Buffer
}

export interface PrebuiltChunks {
  readonly files: readonly PrebuiltChunk[]
  /** What the manifest must know to address them: see `ChunkAddresses` of the runtime. */
  readonly hashes: string
  /** Bytes of each namespace, in all languages. */
  readonly namespaceBytes: ReadonlyMap<string, number>
  readonly parts: PerChunkMessages
}

/** What the manifest must know of texts that come with chunks: see `PerChunkAddresses` of the runtime. */
export interface PerChunkMessages {
  readonly chunks: readonly ChunkMessages[]
  /** Of each chunk's each namespace, or of the languages' files that hold them. */
  readonly hashes: string
  readonly isIndexed: boolean
}

export interface ChunkMessages {
  /** The chunk as the bundler's host names it. */
  readonly chunk: string
  /** Places in the list of namespaces. */
  readonly namespaces: readonly number[]
  /** In all languages. */
  readonly bytes: number
}

/** Part of each address; the runtime cuts rows of hashes at this length. */
const HASH_LENGTH = 8
const NO_TEXTS = ' '.repeat(HASH_LENGTH)

/** From this many languages times namespaces on, each language has a file of its own with the hashes. */
const MAX_INLINE_HASHES = 128

/** Whether the hashes are in a file for each language: the manifest then grows with languages and namespaces, not with their product. */
export function isIndexed({ languages, namespaces }: Pick<Translations, 'languages' | 'namespaces'>): boolean {
  return languages.length * namespaces.length > MAX_INLINE_HASHES
}

export interface PrebuiltChunksInput {
  readonly translations: Pick<Translations, 'languages' | 'namespaces'>
  readonly extension: ChunkExtension
  /** The module of one language and namespace; `undefined`: it has no texts, and needs no file. */
  content(language: string, namespace: string): Promise<TextModule | undefined>
  readonly parts?: readonly ChunkMessagesInput[] | undefined
}

/** What comes with one chunk. */
export interface ChunkMessagesInput {
  readonly chunk: string
  readonly namespaces: readonly string[]
  content(language: string, namespace: string): Promise<TextModule | undefined>
}

class ModuleFile implements PrebuiltChunk {
  readonly name: string
  readonly request: string | undefined
  readonly #module: TextModule

  constructor(name: string, module: TextModule, request: string | undefined) {
    this.name = name
    this.request = request
    this.#module = module
  }

  get size(): number {
    return this.#module.size
  }

  get content(): Buffer {
    return this.#module.bytes
  }

  borrow(): Buffer {
    return this.#module.borrow?.() ?? this.#module.bytes
  }
}

export async function createPrebuiltChunks({
  translations,
  extension,
  content,
  parts: given = [],
}: PrebuiltChunksInput): Promise<PrebuiltChunks> {
  const { languages, namespaces } = translations
  const files = new Map<string, PrebuiltChunk>()
  const add: AddFile = (path, module, request) => {
    const short = module.hash.slice(0, HASH_LENGTH)
    const name = `${path}.${short}${extension}`
    // Two chunks may bring the same.
    files.set(name, new ModuleFile(name, module, request))
    return short
  }
  // By namespace: its languages have the same fallbacks, and mostly the same keys.
  const rows = languages.map((): string[] => [])
  const namespaceBytes = new Map<string, number>()
  const folders = languages.map(({ key }) => encodeName(key))
  for (const [column, namespace] of namespaces.entries()) {
    const file = encodeName(namespace)
    let bytes = 0
    for (const [row, { key: language }] of languages.entries()) {
      const found = await content(language, namespace)
      const hashes = rows[row] as string[]
      bytes += found?.size ?? 0
      const request = formatRequest({ kind: 'namespace', language, namespace })
      hashes[column] = found ? add(`${folders[row]}/${file}`, found, request) : NO_TEXTS
    }
    namespaceBytes.set(namespace, bytes)
  }
  const hashes = hashTable(rows, languages, isIndexed(translations) ? add : undefined, '')
  const parts = await addChunkMessages(given, translations, add, namespaceBytes)
  return { files: [...files.values()], hashes, namespaceBytes, parts }
}

type AddFile = (path: string, content: TextModule, request?: string) => string

/** One row for each language, joined; with `add`, rows are files, and what is joined are their hashes. */
function hashTable(
  rows: readonly (readonly string[])[],
  languages: Translations['languages'],
  add: AddFile | undefined,
  mark: string,
): string {
  const joined = rows.map((hashes) => hashes.join(''))
  if (!add) return joined.join('')
  return languages
    .map(({ key }, row) =>
      add(encodeName(key) + mark, moduleContent(`export default ${stringLiteral(joined[row] as string)}\n`)),
    )
    .join('')
}

/** In the name of what comes with a chunk: names have no dots. */
const CHUNK_MARK = '.part'

async function addChunkMessages(
  parts: readonly ChunkMessagesInput[],
  { languages, namespaces }: PrebuiltChunksInput['translations'],
  add: AddFile,
  namespaceBytes: Map<string, number>,
): Promise<PerChunkMessages> {
  const rows = languages.map((): string[] => [])
  const bytesOf = new Map<ChunkMessagesInput, number>()
  const columns = parts.flatMap((part) => part.namespaces.map((namespace) => ({ part, namespace })))
  // By namespace and language, whose messages are then put together once.
  const order = columns.map((column, at) => ({ ...column, at })).sort((a, b) => (a.namespace < b.namespace ? -1 : 1))
  for (const [row, { key: language }] of languages.entries()) {
    for (const { part, namespace, at } of order) {
      const found = await part.content(language, namespace)
      const size = found?.size ?? 0
      namespaceBytes.set(namespace, (namespaceBytes.get(namespace) ?? 0) + size)
      bytesOf.set(part, (bytesOf.get(part) ?? 0) + size)
      const hashes = rows[row] as string[]
      hashes[at] = found ? add(`${encodeName(language)}/${encodeName(namespace)}${CHUNK_MARK}`, found) : NO_TEXTS
    }
  }
  const isIndexed = languages.length * columns.length > MAX_INLINE_HASHES
  return {
    chunks: parts.map((part) => ({
      chunk: part.chunk,
      namespaces: part.namespaces.map((namespace) => namespaces.indexOf(namespace)),
      bytes: bytesOf.get(part) ?? 0,
    })),
    hashes: columns.length === 0 ? '' : hashTable(rows, languages, isIndexed ? add : undefined, CHUNK_MARK),
    isIndexed,
  }
}

export function moduleContent(code: string): TextModule {
  return moduleOf(Buffer.from(code))
}

export interface AddressesInput {
  readonly extension: ChunkExtension
  readonly hashes: string
  /** An expression: the address of the files' folder, with a slash at its end. */
  readonly base: string
  /** What stands before the address in `import()`: a comment that keeps the bundler from looking at it. */
  readonly comment?: string
  /** The properties that are about chunks. */
  readonly parts?: string | undefined
}

/** Stands in the manifest for its addresses, which depend on the chunk it ends up in. A free name: no bundler renames it. */
export const ADDRESSES = '__UNPLUGIN_LOCALIZATION_ADDRESSES__'

/** The expression of the runtime's `ChunkAddresses`. */
export function addressesExpression({ extension, hashes, base, comment = '', parts }: AddressesInput): string {
  const fetch = `(address) => import(${comment}address)`
  // The manifest of parts asks for some of it when it is made: an address that nothing asks for yet may be one that cannot be told.
  const address = parts === undefined ? `base: ${base}` : `get base() { return ${base} }`
  const more = parts === undefined ? '' : `, ${parts}`
  // In parentheses of its own: where a bundler dropped those around the name, an arrow function's braces would be a block.
  return `({ fetch: ${fetch}, ${address}, extension: ${stringLiteral(extension)}, hashes: ${stringLiteral(hashes)}${more} })`
}

/**
 * What `PerChunkAddresses` has beside `ChunkAddresses`.
 *
 * @param idOf what the chunk is told by when it is loaded, JSON; `undefined`: it is not loaded by itself
 * @param queue the expression of the list that loaded chunks are put into
 */
export function perChunkExpression(
  { chunks, hashes, isIndexed }: PerChunkMessages,
  queue: string,
  idOf: (chunk: string) => string | undefined,
): string {
  const rows = chunks.map(({ chunk, namespaces }) => `[${[idOf(chunk) ?? 'null', ...namespaces].join(', ')}]`)
  return `queue: ${queue}, parts: [${rows.join(', ')}], perChunkHashes: ${stringLiteral(hashes)}, isPerChunkIndexed: ${String(isIndexed)}`
}
