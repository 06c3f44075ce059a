/**
 * The calls of the contract that sync makes, in memory: with faults, with answers that take their time, with
 * translators who edit in between, and with a record of what each client was told before each of its writes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallOptions } from '../../../src/api/call.ts'
import type { Client } from '../../../src/api/client.ts'
import { ApiError, type ApiErrorCode } from '../../../src/api/errors.ts'
import type { Translation, TranslationQuery } from '../../../src/api/schemas.ts'
import type { SyncClient } from '../../../src/sync/remote.ts'
import { IDS, type Key, keyOf, LANGUAGES, nameOf, type Settings, type TextPlace } from './steps.ts'

/** Nothing is done. */
const REFUSALS = { network: 'API_NETWORK', server: 'API_SERVER', 'rate-limit': 'API_RATE_LIMIT' } as const

export type FakeFault =
  | keyof typeof REFUSALS
  /** It is done, and the answer never comes. */
  | 'lost-answer'
  /** Done at once; the answer takes its time. */
  | 'late'
  /** No answer before the caller gives up. `hang`: nothing is done. `hang-after`: it is done. */
  | 'hang'
  | 'hang-after'

type FakeClient = SyncClient &
  Pick<Client, 'project'> & { readonly keys: Pick<Client['keys'], 'create' | 'deleteMany'> }

export interface FakeWrite {
  readonly id: TextPlace
  readonly text: string
  /** What it replaced. */
  readonly before: string | undefined
  /** What the last answer about this text, before this write was sent, told this client. */
  readonly read: string | undefined
  /** Such an answer came, and no other request was sent and answered between it and this write. */
  readonly isFresh: boolean
}

/** What one client was told, in its order. */
interface Told {
  turn: number
  readonly reads: Map<string, { readonly text: string | undefined; readonly at: number }>
  readonly answered: { readonly sentAt: number; readonly at: number }[]
  /** When the answer came that this client's request had made the key. */
  readonly made: Map<string, number>
}

export class FakeService {
  /** Faults of the next calls, in order. */
  faults: (FakeFault | undefined)[] = []
  /** Called before a request is carried out, and before its answer is given: translators edit then. */
  onTurn = () => {}
  onWrite: (write: FakeWrite) => void = () => {}
  /** A text that went with its key. */
  onDelete: (deletion: Omit<FakeWrite, 'text'>) => void = () => {}
  onCreateKey: (key: Key) => void = () => {}
  requests = 0
  /** Resolves when a call has met a `hang`. */
  hanging: Promise<void>
  #noteHang = () => {}
  readonly #rows = new Map<string, Map<string, Translation>>()
  readonly #settings: Settings
  #time = 0

  constructor(settings: Settings) {
    this.#settings = settings
    this.hanging = this.#nextHang()
  }

  /** As a translator: makes the key; `undefined` deletes the text with its key in all languages. */
  edit(id: TextPlace, text: string | undefined): void {
    if (text === undefined) this.#rows.delete(keyOf(id))
    else this.#store(id, text, 'REVIEWED')
  }

  text(id: TextPlace): string | undefined {
    return this.#rows.get(keyOf(id))?.get(id.language)?.text
  }

  open(): FakeClient {
    const told: Told = { turn: 0, reads: new Map(), answered: [], made: new Map() }
    return {
      conditionalWrites: this.#settings.conditional,
      reserve: async (size) => ({ size, release: () => {} }),
      project: { info: () => Promise.reject(failed('API_NOT_FOUND', 'GET')) },
      translations: {
        query: (query = {}, options) => this.#query(told, query, options),
        set: ({ key, namespace = '', language, text }, { expected, signal } = {}) =>
          this.#call(told, 'PATCH', signal, (sentAt) => {
            const id = { namespace, key, language }
            if (!this.#rows.has(keyOf(id)) || !LANGUAGES.includes(language)) throw failed('API_NOT_FOUND', 'PATCH')
            this.#expect(id, expected)
            this.#write(id, text, this.#readOf(told, id, sentAt))
          }),
      },
      keys: {
        create: ({ key, namespace = '' }, options) => this.#createKey(told, { key, namespace }, options),
        deleteMany: (keys, options) =>
          this.#call(told, 'DELETE', options?.signal, (sentAt) => {
            for (const { key, namespace = '' } of keys) {
              for (const [language, { text: before }] of this.#rows.get(keyOf({ key, namespace })) ?? []) {
                const id = { namespace, key, language }
                this.onDelete({ id, before, ...this.#readOf(told, id, sentAt) })
              }
              this.#rows.delete(keyOf({ key, namespace }))
            }
            return { failures: [] }
          }),
      },
      imports: {
        upload: ({ file, languageKey: language = '', namespace = '', importOptions = [] }, { expected, signal } = {}) =>
          this.#call(told, 'POST', signal, (sentAt) => {
            const texts = Object.entries(JSON.parse(String(file)) as Record<string, string>)
            const known = new Map(expected)
            if (expected) for (const [key] of texts) this.#expect({ namespace, key, language }, known.get(key) ?? null)
            for (const [key, text] of texts) {
              const id = { namespace, key, language }
              const before = this.text(id)
              if (before === text || (before && !importOptions.includes('REPLACE_TRANSLATION_IF_FOUND'))) continue
              if (!this.#rows.has(keyOf(id))) this.#addKey(id)
              const latest = this.#readOf(told, id, sentAt)
              // An import that replaces nothing needs no reading; one that does was sent right behind it.
              this.#write(id, text, before ? latest : { read: latest.isFresh ? latest.read : undefined, isFresh: true })
            }
            return { numberOfKeysFound: texts.length, numberOfUniqueKeysFound: texts.length, foundLanguages: [] }
          }),
      },
      close: async () => {},
    }
  }

  /** Carries out one request: `work` changes the rows, `onAnswer` notes what the answer told. */
  async #call<T>(
    told: Told,
    method: string,
    signal: AbortSignal | undefined,
    work: (sentAt: number) => T,
    onAnswer: (result: T, at: number) => void = () => {},
  ): Promise<T> {
    const sentAt = ++told.turn
    this.requests++
    await Promise.resolve()
    if (signal?.aborted) throw failed('API_ABORTED', method)
    const fault = this.faults.shift()
    try {
      if (fault === 'network' || fault === 'server' || fault === 'rate-limit') throw failed(REFUSALS[fault], method)
      this.onTurn()
      if (fault === 'hang' || fault === 'hang-after') return await this.#hang(method, signal, fault, () => work(sentAt))
      const result = work(sentAt)
      this.onTurn()
      if (fault === 'late') await sleep(4)
      if (fault === 'lost-answer') throw failed('API_NETWORK', method)
      told.answered.push({ sentAt, at: ++told.turn })
      onAnswer(result, told.turn)
      return result
    } catch (error) {
      // An error is an answer too; one who gave up was told nothing.
      if (fault !== 'hang' && fault !== 'hang-after') told.answered.push({ sentAt, at: ++told.turn })
      throw error
    }
  }

  async #hang(method: string, signal: AbortSignal | undefined, fault: FakeFault, work: () => void): Promise<never> {
    try {
      if (fault === 'hang-after') work()
    } catch {
      // What the answer would have said is not heard either.
    }
    this.#noteHang()
    this.hanging = this.#nextHang()
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(failed('API_ABORTED', method)), { once: true })
    })
  }

  #nextHang(): Promise<void> {
    return new Promise((resolve) => {
      this.#noteHang = resolve
    })
  }

  #query(told: Told, query: TranslationQuery, options: CallOptions | undefined) {
    // The reader looks for changes beside a sending: what the client read before is not any older for it.
    const noted = query.sortBy === undefined ? told : { ...told, answered: [] }
    const { page = 0, size = 100, namespace } = query
    let begin = 0
    return this.#call(
      noted,
      'GET',
      options?.signal,
      (sentAt) => {
        begin = sentAt
        const all = this.#find(query)
        const translations = all.slice(page * size, (page + 1) * size)
        const pageDetails = { totalElements: all.length, hasNext: (page + 1) * size < all.length }
        return { translations, pageDetails: this.#settings.sorts ? pageDetails : undefined }
      },
      ({ translations }, at) =>
        noteRead(noted, query, translations, at, (id) => {
          // A reading of everything says nothing about a key that was made meanwhile.
          return namespace !== undefined || (told.made.get(keyOf(id)) ?? 0) < begin
        }),
    )
  }

  #find({ customerId, sortBy, sortOrder, ...query }: TranslationQuery): Translation[] {
    if (customerId !== undefined) return []
    const found = [...this.#rows.values()]
      .flatMap((texts) => [...texts.values()])
      .filter((row) => isAskedFor(query, row))
      .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    if (this.#settings.sorts && sortBy !== undefined) {
      const order = sortOrder === 'desc' ? -1 : 1
      found.sort((a, b) => ((a.lastModifiedAt ?? '') < (b.lastModifiedAt ?? '') ? -order : order))
    }
    return found.map((row) => ({ ...row }))
  }

  async #createKey(told: Told, key: Key, options: CallOptions | undefined): Promise<void> {
    const create = () => {
      if (this.#rows.has(keyOf(key))) throw failed('API_CONFLICT', 'POST')
      this.#addKey(key)
    }
    // A key that was made just now has no texts: that is an answer about all of them.
    await this.#call(told, 'POST', options?.signal, create, (_, at) => {
      told.made.set(keyOf(key), at)
      for (const language of LANGUAGES) told.reads.set(nameOf({ ...key, language }), { text: undefined, at })
    })
  }

  #addKey(key: Key): void {
    this.onCreateKey(key)
    this.#rows.set(keyOf(key), new Map())
  }

  #expect(id: TextPlace, expected: string | null | undefined): void {
    if (!this.#settings.conditional || expected === undefined) return
    if ((this.text(id) ?? '') !== (expected ?? '')) throw failed('API_PRECONDITION_FAILED', 'PATCH')
  }

  #write(id: TextPlace, text: string, told: Pick<FakeWrite, 'read' | 'isFresh'>): void {
    this.onWrite({ id, text, before: this.text(id), ...told })
    this.#store(id, text, 'NOT_REVIEWED')
  }

  #store(id: TextPlace, text: string, reviewStatus: string): void {
    const texts = this.#rows.get(keyOf(id)) ?? new Map<string, Translation>()
    this.#rows.set(keyOf(id), texts)
    const lastModifiedAt = new Date(Date.UTC(2026, 0, 1) + ++this.#time).toISOString()
    texts.set(id.language, { ...id, text, reviewStatus, ...(this.#settings.times && { lastModifiedAt }) })
  }

  #readOf(told: Told, id: TextPlace, sentAt: number): Pick<FakeWrite, 'read' | 'isFresh'> {
    const read = told.reads.get(nameOf(id))
    const isFresh = read !== undefined && !told.answered.some((other) => other.sentAt > read.at && other.at < sentAt)
    return { read: read?.text, isFresh }
  }
}

function failed(code: ApiErrorCode, method: string): ApiError {
  return new ApiError('a fault on purpose', { code, method, address: 'fake', attempts: 1 })
}

function isAskedFor(query: TranslationQuery, id: TextPlace): boolean {
  return (['key', 'namespace', 'language'] as const).every((name) => (query[name] ?? id[name]) === id[name])
}

/** Notes what an answer tells of every text that the query asks for: one that is not in it is not there. */
function noteRead(
  told: Told,
  query: TranslationQuery,
  found: readonly Translation[],
  at: number,
  isTold: (id: TextPlace) => boolean = () => true,
): void {
  if (query.sortBy !== undefined) return
  const texts = new Map(found.map((row) => [nameOf(row), row.text]))
  for (const id of IDS) {
    if (isAskedFor(query, id) && isTold(id)) told.reads.set(nameOf(id), { text: texts.get(nameOf(id)), at })
  }
}
