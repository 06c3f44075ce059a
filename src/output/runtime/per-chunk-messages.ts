/**
 * `load` and `onUpdate` for a production build whose lazily loaded chunks have their own messages (`prune.perChunk`).
 */
import { addMessages, placeIn } from './messages.ts'
import { type ChunkAddresses, messagesInCode, readChunk, type Speller } from './prebuilt-chunks.ts'
import type { Manifest, Messages, UpdateListener } from './types.ts'

/** The addresses of a build's messages, including those loaded with chunks of the app's code. */
export interface PerChunkAddresses extends ChunkAddresses {
  /**
   * The bundle's code pushes each chunk here before loading it. The chunk's code runs when the promise that `push`
   * returns is fulfilled.
   */
  readonly queue: ChunkQueue
  /**
   * For each chunk: the value that is pushed for it, and the indices of the namespaces for which it has messages. Each
   * of these indices has a column in `hashes`. These columns have the same order, and come after the namespaces' own
   * columns.
   */
  readonly chunks: readonly (readonly [chunk: ChunkId | null, ...namespaces: number[]])[]
  readonly isIndexed?: boolean
}

export type ChunkId = string | number

export interface ChunkQueue extends Iterable<ChunkId> {
  /** @param address the chunk's URL; if given, the chunk is preloaded while its messages are fetched */
  push(chunk: ChunkId, address?: string): unknown
}

/** Messages that `load` returned. Later chunks add their messages in place. */
interface Loaded {
  /** The indices of the language and the namespace. */
  readonly row: number
  readonly namespace: number
  readonly messages: Promise<Messages>
  /** True if the messages were in the page's code. They then have all keys that any chunk uses. */
  readonly isWhole: boolean
  readonly columns: Set<number>
  isReturned: boolean
}

export function createPerChunkLoad(
  languages: readonly string[],
  namespaces: readonly string[],
  defaultNamespace: string,
  addresses: () => PerChunkAddresses,
  spell: Speller = (name) => name,
): Pick<Manifest, 'load' | 'onUpdate'> {
  const { queue, chunks, isIndexed } = addresses()
  const listeners = new Set<UpdateListener>()
  const loaded = new Map<string, Loaded>()
  const begun = new Map<ChunkId, Promise<unknown>>()
  const { namespaceOf, columnsOf } = columnsIn(chunks, namespaces.length)

  const pathOf = (row: number, namespace: number): string =>
    `${spell(languages[row] as string)}/${spell(namespaces[namespace] as string)}`

  const read = async (row: number, namespace: number, column: number, mark: string): Promise<Messages> => {
    const given = addresses()
    const folder = spell(languages[row] as string)
    const path = `${pathOf(row, namespace)}${mark}`
    return isIndexed
      ? readChunk(given, path, column, await readChunk<string>(given, folder, row))
      : readChunk(given, path, row + languages.length * column)
  }

  /**
   * Fetches missing messages. Repeats this until none is missing, because more chunks may start loading in the
   * meantime.
   */
  const complete = async (own: Loaded): Promise<Messages> => {
    const missing = () =>
      [...(own.isWhole ? [] : begun.keys())]
        .flatMap((chunk) => columnsOf.get(chunk) ?? [])
        .filter((column) => namespaceOf[column] === own.namespace && !own.columns.has(column))
    for (let columns = missing(); ; columns = missing()) {
      const wanted = columns.map((column) => read(own.row, own.namespace, column, '.chunk'))
      const [messages, ...added] = await Promise.all([own.messages, ...wanted])
      added.forEach((each, i) => {
        addMessages(messages, each)
        own.columns.add(columns[i] as number)
      })
      if (missing().length > 0) continue
      // Set right after the check, without an `await` in between, so that a chunk that starts loading later updates
      // these messages.
      own.isReturned = true
      return messages
    }
  }

  const update = async (own: Loaded): Promise<void> => {
    const { size } = own.columns
    const messages = await complete(own)
    if (own.columns.size === size) return
    const language = languages[own.row] as string
    const namespace = namespaces[own.namespace] as string
    for (const listener of [...listeners]) listener({ type: 'messages', language, namespace, messages })
  }

  // Only returned messages are updated here. For all others, `load` calls `complete` before it returns them.
  followQueue(queue, columnsOf, begun, () =>
    Promise.all([...loaded.values()].filter(({ isReturned }) => isReturned).map(update)),
  )

  return {
    async load(language, namespace = defaultNamespace) {
      const id = JSON.stringify([language, namespace])
      let own = loaded.get(id)
      if (!own) {
        const row = placeIn(languages, 'language', language)
        const column = placeIn(namespaces, 'namespace', namespace)
        const known = messagesInCode(pathOf(row, column))
        const messages = known ? Promise.resolve(known) : read(row, column, column, '')
        const isWhole = known !== undefined
        own = { row, namespace: column, messages, isWhole, columns: new Set(), isReturned: false }
        loaded.set(id, own)
        messages.catch(() => loaded.delete(id))
      }
      return complete(own)
    },
    onUpdate(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

/**
 * Makes the code of each chunk wait for the chunk's messages. When a chunk starts loading, adds it to `begun` and calls
 * `complete`, which must fetch the messages of all chunks in `begun`.
 */
export function followQueue(
  queue: ChunkQueue,
  known: ReadonlyMap<ChunkId | null, unknown>,
  begun: Map<ChunkId, Promise<unknown>>,
  complete: () => Promise<unknown>,
): void {
  const begin = (chunk: ChunkId): Promise<unknown> | undefined => {
    const before = begun.get(chunk)
    if (before || !known.has(chunk)) return before
    const done = Promise.resolve().then(complete)
    begun.set(chunk, done)
    // If a fetch fails, the next import of the chunk fetches its messages again.
    done.catch(() => begun.delete(chunk))
    return done
  }
  for (const chunk of queue) void begin(chunk)
  const push = queue.push.bind(queue)
  queue.push = (chunk, address) => {
    if (address !== undefined && known.has(chunk) && !begun.has(chunk)) preload(address)
    return Promise.all([push(chunk, address), begin(chunk)])
  }
}

/**
 * Returns the columns of each chunk, and the namespace of each of these columns. They start at
 * index `first`, after the namespaces' own columns.
 */
export function columnsIn(chunks: PerChunkAddresses['chunks'], first: number) {
  const namespaceOf: number[] = Array(first)
  const columnsOf = new Map(
    chunks.map(([chunk, ...own]) => [chunk, own.map((namespace) => namespaceOf.push(namespace) - 1)]),
  )
  return { namespaceOf, columnsOf }
}

interface Page {
  createElement(name: 'link'): { rel: string; crossOrigin: string; href: string; nonce: string }
  querySelector(selector: string): { readonly nonce: string } | null
  readonly head: { append(element: object): void }
}

/**
 * Fetches the module without running it. If the page's Content-Security-Policy requires a nonce, the link needs the
 * nonce too.
 */
function preload(href: string): void {
  const { document } = globalThis as { document?: Page }
  if (!document) return
  const nonce = document.querySelector('script[nonce]')?.nonce ?? ''
  const link = document.createElement('link')
  document.head.append(Object.assign(link, { rel: 'modulepreload', crossOrigin: '', nonce, href }))
}
