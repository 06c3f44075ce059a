/** The translation calls of the contract in memory, with faults, for tests that run many thousand steps. */
import { ApiError, type ApiErrorCode } from '../../src/api/errors.ts'
import type { Translation, TranslationQuery } from '../../src/api/schemas.ts'
import type { SyncClient } from '../../src/sync/remote.ts'

export type FakeFault =
  /** Nothing was done. */
  | 'network'
  | 'server'
  /** It was done, and the answer never came. */
  | 'lost-answer'
  /** Done at once; the answer takes its time. */
  | 'late'
  /** Never answers before the caller gives up; nothing was done. */
  | 'hang'
  /** Likewise, and it was done. */
  | 'hang-after'

export interface FakeService {
  open(): SyncClient
  /** As a translator: makes the key; `undefined` deletes the text with its key in all languages. */
  edit(id: FakeId, text: string | undefined): void
  text(id: FakeId): string | undefined
  /** Faults of the next calls, in order. */
  faults: (FakeFault | undefined)[]
  /** Resolves when a call has met a `hang`. */
  hanging: Promise<void>
  readonly patches: { id: FakeId; text: string; before: string | undefined }[]
  onPatch: (id: FakeId, text: string, before: string | undefined) => void
}

export interface FakeId {
  readonly namespace: string
  readonly key: string
  readonly language: string
}

export function createFakeService(languages: readonly string[], sorts: boolean): FakeService {
  const rows = new Map<string, Map<string, Translation>>()
  let time = 0
  let hung = () => {}
  const keyOf = ({ namespace, key }: { namespace: string; key: string }) => JSON.stringify([namespace, key])
  const failed = (code: ApiErrorCode, method: string) =>
    new ApiError('a fault on purpose', { code, method, address: 'fake', attempts: 1 })
  const stamp = () => new Date(Date.UTC(2026, 0, 1) + ++time).toISOString()

  const service: FakeService = {
    faults: [],
    hanging: Promise.resolve(),
    patches: [],
    onPatch: () => {},
    open,
    edit(id, text) {
      if (text === undefined) {
        rows.delete(keyOf(id))
        return
      }
      const texts = rows.get(keyOf(id)) ?? new Map<string, Translation>()
      rows.set(keyOf(id), texts)
      texts.set(id.language, { ...id, text, reviewStatus: 'REVIEWED', lastModifiedAt: stamp() })
    },
    text: (id) => rows.get(keyOf(id))?.get(id.language)?.text,
  }
  const armHang = () => {
    service.hanging = new Promise((resolve) => {
      hung = resolve
    })
  }
  armHang()

  async function call<T>(method: string, signal: AbortSignal | undefined, work: () => T): Promise<T> {
    await Promise.resolve()
    if (signal?.aborted) throw failed('API_ABORTED', method)
    const fault = service.faults.shift()
    if (fault === 'network') throw failed('API_NETWORK', method)
    if (fault === 'server') throw failed('API_SERVER', method)
    if (fault === 'hang' || fault === 'hang-after') {
      if (fault === 'hang-after') {
        try {
          work()
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
    const result = work()
    if (fault === 'late') await new Promise((resolve) => setTimeout(resolve, 4))
    if (fault === 'lost-answer') throw failed('API_NETWORK', method)
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
    const named = (row: Translation) => JSON.stringify([row.namespace, row.key, row.language])
    found.sort((a, b) => (named(a) < named(b) ? -1 : 1))
    if (sorts && sortBy !== undefined) {
      const order = sortOrder === 'desc' ? -1 : 1
      found.sort((a, b) => ((a.lastModifiedAt ?? '') < (b.lastModifiedAt ?? '') ? -order : order))
    }
    return found.map((row) => ({ ...row }))
  }

  function open(): SyncClient {
    return {
      translations: {
        query: (query = {}, options) =>
          call('GET', options?.signal, () => {
            const { page = 0, size = 100 } = query
            const all = find(query)
            const translations = all.slice(page * size, (page + 1) * size)
            const pageDetails = sorts
              ? { totalElements: all.length, hasNext: (page + 1) * size < all.length }
              : undefined
            return { translations, pageDetails }
          }),
        async *queryAll(query = {}, options) {
          yield* await call('GET', options?.signal, () => find(query))
        },
        set: ({ key, namespace = '', language, text }, options) =>
          call('PATCH', options?.signal, () => {
            const id = { namespace, key, language }
            const texts = rows.get(keyOf(id))
            if (!texts || !languages.includes(language)) throw failed('API_NOT_FOUND', 'PATCH')
            const before = texts.get(language)?.text
            service.patches.push({ id, text, before })
            service.onPatch(id, text, before)
            texts.set(language, { ...id, text, reviewStatus: 'NOT_REVIEWED', lastModifiedAt: stamp() })
          }),
      },
      keys: {
        create: ({ key, namespace = '' }, options) =>
          call('POST', options?.signal, () => {
            const id = keyOf({ key, namespace })
            if (rows.has(id)) throw failed('API_CONFLICT', 'POST')
            rows.set(id, new Map())
          }),
      },
      close: async () => {},
    }
  }
  return service
}
