/**
 * The calls of the contract that sync makes, in memory, for tests that run many thousand steps: with faults, with
 * answers that take their
 * time, with translators who edit in between, and with a record of what each client was told before each of its writes.
 */

import type { CallOptions } from '../../src/api/call.ts'
import type { Client } from '../../src/api/client.ts'
import { ApiError, type ApiErrorCode } from '../../src/api/errors.ts'
import type { Translation, TranslationQuery } from '../../src/api/schemas.ts'
import type { SyncClient } from '../../src/sync/remote.ts'

export type FakeFault =
  /** Nothing was done. */
  | 'network'
  | 'server'
  | 'rate-limit'
  /** It was done, and the answer never came. */
  | 'lost-answer'
  /** Done at once; the answer takes its time. */
  | 'late'
  /** Never answers before the caller gives up; nothing was done. */
  | 'hang'
  /** Likewise, and it was done. */
  | 'hang-after'

export interface FakeId {
  readonly namespace: string
  readonly key: string
  readonly language: string
}

export interface FakeOptions {
  readonly languages: readonly string[]
  /** Every text that there may be: an answer without one of them says that it is not there. */
  readonly ids: readonly FakeId[]
  /** Tells what changed last, and totals. */
  readonly sorts: boolean
  /** Compares before it writes, and says so. */
  readonly conditional?: boolean
  /** Tells when texts were modified. */
  readonly times?: boolean
}

/** A client whose calls are watched. `projectsApi` and the like are not there. */
type FakeClient = SyncClient &
  Pick<Client, 'project'> & { readonly keys: Pick<Client['keys'], 'create' | 'deleteMany'> }

export interface FakeWrite {
  readonly id: FakeId
  readonly text: string
  /** What it replaced. */
  readonly before: string | undefined
  /** What the last answer about this text, before this write was sent, told this client. */
  readonly read: string | undefined
  /** Such an answer came, and no other request was sent and answered between it and this write. */
  readonly isFresh: boolean
}

export interface FakeService {
  open(): FakeClient
  /** As a translator: makes the key; `undefined` deletes the text with its key in all languages. */
  edit(id: FakeId, text: string | undefined): void
  text(id: FakeId): string | undefined
  /** Faults of the next calls, in order. */
  faults: (FakeFault | undefined)[]
  /** Called before a request is carried out, and before its answer is given: translators edit then. */
  onTurn: (() => void) | undefined
  /** Resolves when a call has met a `hang`. */
  hanging: Promise<void>
  onWrite: (write: FakeWrite) => void
  /** A text that went with its key. */
  onDelete: (deletion: Omit<FakeWrite, 'text'>) => void
  onCreateKey: (key: { readonly namespace: string; readonly key: string }) => void
  readonly requests: number
}

/** What one client was told, in its order. */
interface Told {
  turn: number
  readonly reads: Map<string, { readonly text: string | undefined; readonly at: number }>
  readonly answered: { readonly sentAt: number; readonly at: number }[]
}

export function createFakeService({
  languages,
  ids,
  sorts,
  conditional = false,
  times = true,
}: FakeOptions): FakeService {
  const rows = new Map<string, Map<string, Translation>>()
  let time = 0
  let hung = () => {}
  let requests = 0
  const keyOf = ({ namespace, key }: { namespace: string; key: string }) => JSON.stringify([namespace, key])
  const nameOf = ({ namespace, key, language }: FakeId) => JSON.stringify([namespace, key, language])
  const failed = (code: ApiErrorCode, method: string) =>
    new ApiError('a fault on purpose', { code, method, address: 'fake', attempts: 1 })
  const rowOf = (id: FakeId, text: string, reviewStatus: string): Translation => ({
    ...id,
    text,
    reviewStatus,
    ...(times && { lastModifiedAt: new Date(Date.UTC(2026, 0, 1) + ++time).toISOString() }),
  })

  const service: FakeService = {
    faults: [],
    onTurn: undefined,
    hanging: Promise.resolve(),
    onWrite: () => {},
    onDelete: () => {},
    onCreateKey: () => {},
    open,
    get requests() {
      return requests
    },
    edit(id, text) {
      if (text === undefined) {
        rows.delete(keyOf(id))
        return
      }
      const texts = rows.get(keyOf(id)) ?? new Map<string, Translation>()
      rows.set(keyOf(id), texts)
      texts.set(id.language, rowOf(id, text, 'REVIEWED'))
    },
    text: (id) => rows.get(keyOf(id))?.get(id.language)?.text,
  }
  const armHang = () => {
    service.hanging = new Promise((resolve) => {
      hung = resolve
    })
  }
  armHang()

  async function call<T>(
    told: Told,
    method: string,
    signal: AbortSignal | undefined,
    work: (sentAt: number) => T,
    onAnswer: (result: T, at: number) => void = () => {},
  ): Promise<T> {
    const sentAt = ++told.turn
    requests++
    await Promise.resolve()
    if (signal?.aborted) throw failed('API_ABORTED', method)
    const fault = service.faults.shift()
    const answer = <R>(value: R): R => {
      told.answered.push({ sentAt, at: ++told.turn })
      return value
    }
    if (fault === 'network') throw answer(failed('API_NETWORK', method))
    if (fault === 'server') throw answer(failed('API_SERVER', method))
    if (fault === 'rate-limit') throw answer(failed('API_RATE_LIMIT', method))
    service.onTurn?.()
    if (fault === 'hang' || fault === 'hang-after') {
      if (fault === 'hang-after') {
        try {
          work(sentAt)
        } catch {
          // What it would have said is not heard either.
        }
      }
      hung()
      armHang()
      await new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(failed('API_ABORTED', method)), { once: true })
      })
    }
    let result: T
    try {
      result = work(sentAt)
    } catch (error) {
      throw answer(error)
    }
    service.onTurn?.()
    if (fault === 'late') await new Promise((resolve) => setTimeout(resolve, 4))
    if (fault === 'lost-answer') throw answer(failed('API_NETWORK', method))
    answer(undefined)
    onAnswer(result, told.turn)
    return result
  }

  const find = ({ key, namespace, language, customerId, sortBy, sortOrder }: TranslationQuery): Translation[] => {
    if (customerId !== undefined) return []
    const found = [...rows.values()]
      .flatMap((texts) => [...texts.values()])
      .filter(
        (row) =>
          (key === undefined || row.key === key) &&
          (namespace === undefined || row.namespace === namespace) &&
          (language === undefined || row.language === language),
      )
    found.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    if (sorts && sortBy !== undefined) {
      const order = sortOrder === 'desc' ? -1 : 1
      found.sort((a, b) => ((a.lastModifiedAt ?? '') < (b.lastModifiedAt ?? '') ? -order : order))
    }
    return found.map((row) => ({ ...row }))
  }

  /** Notes what an answer tells of every text that the query asks for. */
  const noteRead = (told: Told, query: TranslationQuery, found: readonly Translation[], at: number) => {
    if (query.sortBy !== undefined) return
    const texts = new Map(found.map((row) => [nameOf(row), row.text]))
    for (const id of ids) {
      const isAsked = (['key', 'namespace', 'language'] as const).every(
        (name) => (query[name] ?? id[name]) === id[name],
      )
      if (isAsked) told.reads.set(nameOf(id), { text: texts.get(nameOf(id)), at })
    }
  }

  const readOf = (told: Told, id: FakeId, sentAt: number) => {
    const read = told.reads.get(nameOf(id))
    const isFresh = read !== undefined && !told.answered.some((other) => other.sentAt > read.at && other.at < sentAt)
    return { read: read?.text, isFresh }
  }

  const write = (told: Told, id: FakeId, text: string, sentAt: number, check: (before: string | undefined) => void) => {
    const texts = rows.get(keyOf(id))
    if (!texts || !languages.includes(id.language)) throw failed('API_NOT_FOUND', 'PATCH')
    const before = texts.get(id.language)?.text
    check(before)
    service.onWrite({ id, text, before, ...readOf(told, id, sentAt) })
    texts.set(id.language, rowOf(id, text, 'NOT_REVIEWED'))
  }

  const expectText = (expected: string | null | undefined) => (before: string | undefined) => {
    if (conditional && expected !== undefined && (before ?? '') !== (expected ?? ''))
      throw failed('API_PRECONDITION_FAILED', 'PATCH')
  }

  function open(): FakeClient {
    const told: Told = { turn: 0, reads: new Map(), answered: [] }
    const create = ({ key, namespace = '' }: { key: string; namespace?: string | undefined }, options?: CallOptions) =>
      call(
        told,
        'POST',
        options?.signal,
        () => {
          const id = keyOf({ key, namespace })
          if (rows.has(id)) throw failed('API_CONFLICT', 'POST')
          service.onCreateKey({ key, namespace })
          rows.set(id, new Map())
        },
        // A key that was made just now has no texts: that is an answer about all of them.
        (_, at) => {
          for (const language of languages)
            told.reads.set(nameOf({ namespace, key, language }), { text: undefined, at })
        },
      )
    return {
      conditionalWrites: conditional,
      reserve: async (size) => ({ size, release: () => {} }),
      project: { info: () => Promise.reject(failed('API_NOT_FOUND', 'GET')) },
      translations: {
        query: (query = {}, options) =>
          call(
            // The reader looks for changes beside a sending, and makes nothing of it any older.
            query.sortBy === undefined ? told : { ...told, answered: [] },
            'GET',
            options?.signal,
            () => {
              const { page = 0, size = 100 } = query
              const all = find(query)
              const translations = all.slice(page * size, (page + 1) * size)
              const hasNext = (page + 1) * size < all.length
              return { translations, pageDetails: sorts ? { totalElements: all.length, hasNext } : undefined }
            },
            ({ translations }, at) => noteRead(told, query, translations, at),
          ),
        async *queryAll(query = {}, options) {
          yield* await call(
            told,
            'GET',
            options?.signal,
            () => find(query),
            (found, at) => noteRead(told, query, found, at),
          )
        },
        set: ({ key, namespace = '', language, text }, { expected, signal } = {}) =>
          call(told, 'PATCH', signal, (sentAt) =>
            write(told, { namespace, key, language }, text, sentAt, expectText(expected)),
          ),
      },
      keys: {
        create,
        deleteMany: (keys, options) =>
          call(told, 'DELETE', options?.signal, (sentAt) => {
            for (const { key, namespace = '' } of keys) {
              for (const [language, { text: before }] of rows.get(keyOf({ key, namespace })) ?? []) {
                const id = { namespace, key, language }
                service.onDelete({ id, before, ...readOf(told, id, sentAt) })
              }
              rows.delete(keyOf({ key, namespace }))
            }
            return { failures: [] }
          }),
      },
      imports: {
        upload: ({ file, languageKey: language = '', namespace = '', importOptions = [] }, { expected, signal } = {}) =>
          call(told, 'POST', signal, (sentAt) => {
            const texts = Object.entries(JSON.parse(String(file)) as Record<string, string>)
            if (conditional && expected) {
              const known = new Map(expected)
              for (const [key] of texts)
                expectText(known.get(key) ?? null)(rows.get(keyOf({ namespace, key }))?.get(language)?.text)
            }
            for (const [key, text] of texts) {
              const id = { namespace, key, language }
              const before = rows.get(keyOf(id))?.get(language)?.text
              const isTaken = !importOptions.includes('REPLACE_TRANSLATION_IF_FOUND') && before
              if (isTaken || before === text) continue
              if (!rows.has(keyOf(id))) {
                service.onCreateKey(id)
                rows.set(keyOf(id), new Map())
              }
              if (before) write(told, id, text, sentAt, () => {})
              else {
                // An import that replaces nothing needs no reading; one that does was sent right behind it.
                const { read, isFresh } = readOf(told, id, sentAt)
                service.onWrite({ id, text, before, read: isFresh ? read : undefined, isFresh: true })
                rows.get(keyOf(id))?.set(language, rowOf(id, text, 'NOT_REVIEWED'))
              }
            }
            return { numberOfKeysFound: texts.length, numberOfUniqueKeysFound: texts.length, foundLanguages: [] }
          }),
      },
      close: async () => {},
    }
  }
  return service
}
