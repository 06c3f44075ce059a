/**
 * The exports of a production build with `delivery: 'live'`. The table, a small file that each release replaces,
 * contains the hashes of the message files. The code contains the build's own table, which is used if the file cannot
 * be used.
 */

import { type Refresh, refreshRegularly } from './live-refresh.ts'
import {
  type Disk,
  type LiveAddresses,
  openDisk,
  parseTable,
  renderedVersion,
  requestTable,
  requestVersion,
  type Table,
} from './live-table.ts'
import { loadEach } from './manifest.ts'
import { addMessages, placeIn, replaceMessages } from './messages.ts'
import { type ChunkId, columnsIn, followQueue } from './per-chunk-messages.ts'
import { messagesInCode, readChunk, type Speller } from './prebuilt-chunks.ts'
import type { LiveManifest, Manifest, Messages, UpdateListener } from './types.ts'

/** The longest time that a page waits for the table. After that, it starts with the build's texts. */
const FIRST_WAIT_MS = 3000

type Exports = Pick<LiveManifest, 'load' | 'onUpdate' | 'version'> & {
  snapshot<T extends object>(manifest: T): T & Omit<LiveManifest, 'snapshot'>
}

export function createLive(
  languages: readonly string[],
  namespaces: readonly string[],
  defaultNamespace: string,
  addresses: () => LiveAddresses,
  spell: Speller = (name) => name,
  refresh?: Refresh,
): Exports {
  const given = addresses()
  const texts = new LiveTexts(languages, namespaces, spell, given)
  const { disk, listeners } = texts
  // There is no table if the output is a single file.
  const hasTable = given.live[0] !== ''
  const ready =
    disk || !hasTable
      ? undefined
      : Promise.race([texts.start().catch(() => {}), new Promise((done) => setTimeout(done, FIRST_WAIT_MS))])
  if (refresh && hasTable) refreshRegularly(refresh, () => texts.check())
  texts.followChunks()
  return {
    async load(language, namespace = defaultNamespace) {
      const place = texts.placeOf(language, namespace)
      await ready
      return disk ? texts.readCurrent(place) : texts.complete(place)
    },
    onUpdate(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    version: () => texts.now().version,
    snapshot(manifest) {
      const table = texts.now()
      const load: Manifest['load'] = async (language, namespace = defaultNamespace) =>
        texts.read(table, texts.placeOf(language, namespace))
      return Object.assign({}, manifest, {
        load,
        loadLanguage: (language: string) => loadEach(namespaces, (namespace) => load(language, namespace)),
        onUpdate: () => () => {},
        version: () => table.version,
      }) as never
    },
  }
}

/** The messages of one language and namespace in the page. */
interface Place {
  readonly row: number
  readonly namespace: number
  /** The object that `load` returned. Updates change it in place. */
  shown?: Messages | undefined
  /** The hashes of the shown messages. */
  id?: string
}

/** Messages that have been fetched but are not shown yet. */
interface Prepared {
  readonly place: Place
  readonly columns: readonly number[]
  readonly id: string
  readonly messages: Messages
}

class LiveTexts {
  readonly disk: Disk | undefined
  readonly listeners: Set<UpdateListener> = new Set()
  private readonly places: Map<number, Place> = new Map()
  private readonly begun: Map<ChunkId, Promise<unknown>> = new Map()
  private readonly columns: ReturnType<typeof columnsIn>
  private readonly built: Table
  private current: Table

  constructor(
    private readonly languages: readonly string[],
    private readonly namespaces: readonly string[],
    private readonly spell: Speller,
    private readonly given: LiveAddresses,
  ) {
    const { hashes, chunks = [], live } = given
    this.columns = columnsIn(chunks, namespaces.length)
    this.built = { release: 0, version: live[2], hashes }
    this.current = this.built
    this.disk = openDisk(given)
  }

  /** Chooses the page's first table. Rejects if the fetched table cannot be used. */
  async start(): Promise<void> {
    // If the app sets `__webpack_public_path__`, the URL is known only after the entry's modules have run.
    await Promise.resolve()
    const version = renderedVersion()
    if (version === this.built.version) return
    const table = version === undefined ? undefined : this.parse(await requestVersion(this.given, version))
    if (table) this.current = table
    else await this.check()
  }

  /** Fetches the table and shows its texts if it is newer. Rejects if the table or its texts cannot be used. */
  async check(): Promise<void> {
    if (this.disk) return this.followDisk()
    const table = this.parse(await requestTable(this.given))
    if (!table) throw new Error('the table is damaged or from another build')
    return this.adopt(table, () => table.release > this.current.release)
  }

  /** Returns the current table. On a server, first looks for a newer one on disk. */
  now(): Table {
    if (this.disk) this.followDisk().catch(() => {})
    return this.current
  }

  placeOf(language: string, namespace: string): Place {
    const { languages, namespaces } = this
    const row = placeIn(languages, 'language', language)
    const column = placeIn(namespaces, 'namespace', namespace)
    const at = row + languages.length * column
    const place = this.places.get(at) ?? { row, namespace: column }
    this.places.set(at, place)
    return place
  }

  /** Returns the messages of a place. Fetches them again if a newer table or another chunk arrives in the meantime. */
  async complete(place: Place): Promise<Messages> {
    const inCode = this.inCode(place)
    if (!place.shown && inCode) {
      place.id = await this.idOf(this.built, place, this.columnsFor(place))
      place.shown ??= inCode
    }
    for (;;) {
      const table = this.current
      try {
        const prepared = await this.prepare(table, place)
        if (table !== this.current || !this.isWhole(prepared)) continue
        if (place.shown) this.show(prepared)
        else Object.assign(place, { shown: prepared.messages, id: prepared.id })
        return place.shown as Messages
      } catch (error) {
        // If a file is missing, the table cannot be trusted, so the page returns to the build's table. If that fails
        // too, for example offline, nothing changes.
        if (table === this.built) throw error
        const toBuilt = async () => {
          await this.messagesOf(this.built, place, this.columnsFor(place))
          await this.adopt(this.built, () => this.current === table)
        }
        await toBuilt().catch(() => Promise.reject(error))
      }
    }
  }

  /** Returns the current messages on a server. Message objects never change there; a newer table has new objects. */
  async readCurrent(place: Place): Promise<Messages> {
    const table = this.now()
    const messages = await this.read(table, place)
    Object.assign(place, { shown: messages, id: await this.idOf(table, place, this.columnsFor(place)) })
    return messages
  }

  async read(table: Table, place: Place): Promise<Messages> {
    const columns = this.columnsFor(place)
    const inCode = this.inCode(place)
    const isBuilt = async () =>
      (await this.idOf(table, place, columns)) === (await this.idOf(this.built, place, columns))
    return inCode && (await isBuilt()) ? inCode : this.messagesOf(table, place, columns)
  }

  /** If `prune.perChunk` is on, makes the code of each chunk wait for its texts. */
  followChunks(): void {
    const { queue } = this.given
    if (!queue) return
    const shown = () => [...this.places.values()].filter((place) => place.shown)
    followQueue(queue, this.columns.columnsOf, this.begun, () =>
      Promise.all(shown().map((place) => this.complete(place))),
    )
  }

  private parse(text: string | undefined): Table | undefined {
    return text === undefined ? undefined : parseTable(text, this.given.live[1], this.built.hashes.length)
  }

  /**
   * Switches to a table and shows all of its loaded messages at the same time. Rejects if any of them cannot be
   * fetched.
   */
  private async adopt(table: Table, isWanted: () => boolean): Promise<void> {
    while (isWanted()) {
      const prepared = await Promise.all([...this.places.values()].map((place) => this.prepare(table, place)))
      // If a namespace or chunk has started loading in the meantime, the update must include it.
      if (prepared.length !== this.places.size || !prepared.every((each) => this.isWhole(each))) continue
      if (!isWanted()) return
      this.current = table
      for (const each of prepared) if (each.place.shown) this.show(each)
      return
    }
  }

  private async followDisk(): Promise<void> {
    const table = this.parse(this.disk?.readTable())
    if (!table || table.release <= this.current.release || !this.disk?.hasFiles(this.namesIn(table))) return
    this.current = table
    if (this.listeners.size === 0) return
    const shown = [...this.places.values()].filter((place) => place.shown)
    for (const each of await Promise.all(shown.map((place) => this.prepare(table, place)))) this.show(each)
  }

  private async prepare(table: Table, place: Place): Promise<Prepared> {
    const columns = this.columnsFor(place)
    const id = await this.idOf(table, place, columns)
    const messages = place.shown && id === place.id ? place.shown : await this.messagesOf(table, place, columns)
    return { place, columns, id, messages }
  }

  private isWhole({ place, columns }: Prepared): boolean {
    return this.columnsFor(place).length === columns.length
  }

  private show({ place, id, messages }: Prepared): void {
    if (!place.shown || id === place.id) return
    place.id = id
    if (this.disk) place.shown = messages
    else replaceMessages(place.shown, messages)
    const { languages, namespaces } = this
    const language = languages[place.row] as string
    const namespace = namespaces[place.namespace] as string
    const update = { type: 'messages' as const, language, namespace, messages: place.shown }
    queueMicrotask(() => {
      for (const listener of [...this.listeners]) listener(update)
    })
  }

  /**
   * Returns new message objects. On a server, returns those of the modules if possible, because they are never changed.
   */
  private async messagesOf(table: Table, place: Place, columns: readonly number[]): Promise<Messages> {
    const { given } = this
    const [hashes, at] = await this.hashesIn(table, place)
    const read = (column: number) => readChunk(given, this.pathOf(place, column), at(column), hashes)
    const [first, ...rest] = await Promise.all(columns.map(read))
    if (this.disk && rest.length === 0) return first as Messages
    const messages = copyOf(first as Messages)
    for (const each of rest) addMessages(messages, copyOf(each))
    return messages
  }

  private async idOf(table: Table, place: Place, columns: readonly number[]): Promise<string> {
    const [hashes, at] = await this.hashesIn(table, place)
    return columns.map((column) => hashes.slice(at(column) * 8, at(column) * 8 + 8)).join()
  }

  /** Returns the hashes that apply to the language, and a function that returns a column's index in them. */
  private async hashesIn(table: Table, { row }: Place): Promise<readonly [string, (column: number) => number]> {
    const { given, languages, spell } = this
    if (!given.isIndexed) return [table.hashes, (column) => row + languages.length * column]
    return [await readChunk<string>(given, spell(languages[row] as string), row, table.hashes), (column) => column]
  }

  /**
   * Returns the namespace's own column, and its columns for chunks that have started loading. For messages in the
   * page's code, returns the columns for all chunks.
   */
  private columnsFor(place: Place): number[] {
    const { columnsOf, namespaceOf } = this.columns
    const chunks = this.inCode(place) ? columnsOf.keys() : this.begun.keys()
    const all = [...chunks].flatMap((chunk) => columnsOf.get(chunk) ?? [])
    return [place.namespace, ...all.filter((column) => namespaceOf[column] === place.namespace)]
  }

  private inCode(place: Place): Messages | undefined {
    return messagesInCode(this.pathOf(place, place.namespace))
  }

  private pathOf({ row, namespace }: Pick<Place, 'row' | 'namespace'>, column: number): string {
    const { languages, namespaces, spell } = this
    const mark = column < namespaces.length ? '' : '.chunk'
    return `${spell(languages[row] as string)}/${spell(namespaces[namespace] as string)}${mark}`
  }

  /** Returns the names of the files whose hashes are in the table. If there are indices, these are the index files. */
  private namesIn({ hashes }: Table): string[] {
    const { given, languages, spell } = this
    const names: string[] = []
    for (let at = 0; at * 8 < hashes.length; at++) {
      const hash = hashes.slice(at * 8, at * 8 + 8)
      const column = Math.floor(at / languages.length)
      const place = { row: at % languages.length, namespace: this.columns.namespaceOf[column] ?? column }
      const path = given.isIndexed ? spell(languages[at] as string) : this.pathOf(place, column)
      if (hash > '!') names.push(`${path}.${hash}${given.extension}`)
    }
    return names
  }
}

/**
 * Copies messages because updates change them in place. The module's own object must stay the same, because a later
 * release with `--previous` may show its texts again.
 */
function copyOf(messages: Messages): Messages {
  return JSON.parse(JSON.stringify(messages)) as Messages
}
