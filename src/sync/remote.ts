/** Sync's access to the service. Translates between the service's names and the app's. */
import { modifiedAt, ServiceChanges } from '../api/changes.ts'
import type { Client } from '../api/client.ts'
import { type ApiError, isApiError } from '../api/errors.ts'
import type { Reservation } from '../api/pace.ts'
import { identityOf, queryPages } from '../api/pages.ts'
import type { Translation, TranslationQuery } from '../api/schemas.ts'
import {
  appLanguage,
  appNamespace,
  nameFilter,
  relevantLanguages,
  serviceLanguage,
  serviceNamespace,
} from '../catalog/names.ts'
import { type PartRef, partId, type TextRef, textId, textRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { LocalizationError } from '../errors.ts'

export interface SyncClient extends Pick<Client, 'conditionalWrites' | 'reserve' | 'close'> {
  readonly translations: Pick<Client['translations'], 'set' | 'query'>
  readonly keys: Pick<Client['keys'], 'create'>
  readonly imports: Pick<Client['imports'], 'upload'>
}

export interface RemoteText {
  readonly ref: TextRef
  readonly id: string
  readonly text: string
  readonly reviewStatus: string | undefined
  readonly modifiedAt: number | undefined
}

/**
 * Receives the texts of a page. `share` is the part of all texts that has been read, from 0 to 1; `undefined` if the
 * service does not report the total.
 */
export type TakePage = (texts: readonly RemoteText[], share: number | undefined) => void

export interface BatchCall {
  /** The requests that were reserved for the batch before its first reading. */
  readonly reservation?: Reservation | undefined
  readonly signal?: AbortSignal | undefined
}

export interface BatchRead {
  readonly texts: ReadonlyMap<string, RemoteText>
  /** True if the reading is complete. False if texts may have moved between pages during the reading. */
  readonly isWhole: boolean
  readonly isByKey: boolean
}

export interface SetRequest {
  readonly ref: TextRef
  readonly text: string
  readonly reviewStatus: 'REVIEWED' | 'NOT_REVIEWED' | undefined
  /** For conditional writes: the text that the service must have now; `null` if it must have none. */
  readonly expected?: string | null | undefined
}

export interface UploadRequest {
  readonly part: PartRef
  readonly texts: readonly { readonly ref: TextRef; readonly text: string }[]
  /** True to replace texts on the service, false to add only new ones. */
  readonly replace: boolean
  /**
   * For conditional writes: the texts that the service must have now, by key. It must have no texts for the other keys.
   */
  readonly expected?: ReadonlyMap<string, string> | undefined
}

const PAGE = 500

export class Remote {
  readonly #isWanted: (namespace: string) => boolean
  readonly #isRelevant: (language: string) => boolean
  readonly #customers: readonly (string | undefined)[]
  readonly #changes: ServiceChanges

  constructor(
    private readonly client: SyncClient,
    private readonly config: ResolvedConfig,
  ) {
    this.#isWanted = nameFilter(config.namespaces)
    this.#isRelevant = relevantLanguages(config)
    this.#customers = [undefined, ...config.customers]
    this.#changes = new ServiceChanges(client, this.#customers)
  }

  /** True if the service supports conditional writes. A text need not be read before such a write. */
  get isConditional(): boolean {
    return this.client.conditionalWrites
  }

  reserve(requests: number, signal: AbortSignal): Promise<Reservation> {
    return this.client.reserve(requests, { signal })
  }

  /** Reads all texts that the app uses, page by page. Resolves to the number of requests. */
  async readAll(signal: AbortSignal, take: TakePage): Promise<number> {
    let requests = 0
    for (const [layer, customer] of this.#customers.entries()) {
      const translate = this.#translator(customer)
      let newest = Number.NEGATIVE_INFINITY
      let read = 0
      const fetchPage = (page: number, size: number) =>
        this.client.translations.query({ ...filterOf(customer), page, size }, { signal })
      for await (const { rows, total } of queryPages(fetchPage, PAGE)) {
        const texts: RemoteText[] = []
        for (const row of rows) {
          const time = modifiedAt(row)
          if (time !== undefined && time > newest) newest = time
          const text = translate(row)
          if (text) texts.push(text)
        }
        read += rows.length
        const share = total === undefined ? undefined : total > 0 ? Math.min(1, read / total) : 1
        take(texts, share === undefined ? undefined : (layer + share) / this.#customers.length)
        requests++
      }
      this.#changes.noteAllRead(customer, newest)
    }
    return requests
  }

  /** The changes since the last reading; `undefined` if the service cannot report them and everything must be read. */
  async readChanges(signal: AbortSignal): Promise<readonly RemoteText[] | undefined> {
    const changes = await this.#changes.read(signal)
    const isUsed = (text: RemoteText | undefined) => text !== undefined
    return changes && [...changes].flatMap(([customer, rows]) => rows.map(this.#translator(customer)).filter(isUsed))
  }

  /**
   * Plans a reading of `refs`, which must all have the same namespace and customer. `byKey` forces one request per key,
   * because such a response is complete.
   */
  planRead(refs: readonly TextRef[], sizeOf: (part: PartRef) => number, byKey = false) {
    const { namespace = '', customer } = refs[0] ?? {}
    const filter = { ...filterOf(customer), namespace: serviceNamespace(namespace, this.config) }
    const keys = [...new Set(refs.map(({ key }) => key))]
    const languages = [...new Set(refs.map(({ language }) => language))].map((language) => ({
      query: { ...filter, language: serviceLanguage(language, this.config) },
      pages: Math.max(1, Math.ceil(sizeOf({ language, namespace, customer }) / PAGE)),
    }))
    const pagesOf = (reads: readonly { readonly pages: number }[]) => reads.reduce((sum, { pages }) => sum + pages, 0)
    const isByKey = byKey || keys.length <= pagesOf(languages)
    const reads = isByKey ? keys.map((key) => ({ query: { ...filter, key }, pages: 1 })) : languages
    return {
      requests: pagesOf(reads),
      read: async (call: BatchCall): Promise<BatchRead> => {
        const answers = await Promise.all(reads.map(({ query, pages }) => this.#readPages(query, pages, call)))
        const texts = new Map<string, RemoteText>()
        const translate = this.#translator(customer)
        for (const row of answers.flatMap(({ rows }) => rows)) {
          const text = translate(row)
          if (text && text.ref.namespace === namespace) texts.set(text.id, text)
        }
        return { texts, isByKey, isWhole: answers.every(({ isWhole }) => isWhole) }
      },
    }
  }

  /** Creates a key. Returns the error if the service already has the key or may have it. */
  async createKey({ namespace, key }: TextRef, call: BatchCall): Promise<ApiError | undefined> {
    const request = { key, namespace: serviceNamespace(namespace, this.config) }
    try {
      await this.client.keys.create(request, { ...call, retries: 0 })
      return undefined
    } catch (error) {
      // Services report an existing key in different ways. If this was a different error, setting the text will fail
      // too.
      if (isApiError(error, 'API_CONFLICT', 'API_VALIDATION')) return error
      throw error
    }
  }

  /** Sets a text. Does not retry, because the reading that precedes the write would then be too old. */
  async set({ ref, text, reviewStatus, expected }: SetRequest, call: BatchCall): Promise<void> {
    const request = {
      key: ref.key,
      namespace: serviceNamespace(ref.namespace, this.config),
      language: serviceLanguage(ref.language, this.config),
      text,
      ...filterOf(ref.customer),
      ...(reviewStatus && { reviewStatus }),
    }
    await this.client.translations.set(request, { ...call, retries: 0, ...(expected !== undefined && { expected }) })
  }

  /** Imports texts of one language, namespace and customer. Does not retry. */
  async upload({ part, texts, replace, expected }: UploadRequest, call: BatchCall): Promise<void> {
    const members = texts.map(({ ref, text }) => `${JSON.stringify(ref.key)}:${JSON.stringify(text)}`)
    const request = {
      file: `{${members.join(',')}}`,
      fileName: 'texts.json',
      uploadFormat: 'single-language-json',
      languageKey: serviceLanguage(part.language, this.config),
      namespace: serviceNamespace(part.namespace, this.config),
      ...filterOf(part.customer),
      importOptions: replace ? (['REPLACE_TRANSLATION_IF_FOUND'] as const) : [],
    } as const
    await this.client.imports.upload(request, { ...call, retries: 0, ...(expected && { expected }) })
  }

  /**
   * Returns a function that translates a service row to the app's names. That function returns `undefined` if the app
   * does not use the text.
   */
  #translator(customer: string | undefined): (row: Translation) => RemoteText | undefined {
    const parts = new Map<string, PartRef | undefined>()
    return (row) => {
      if ((row.customerId ?? customer) !== customer) return undefined
      const { language, namespace, key, text, reviewStatus } = row
      const name = partId({ language, namespace })
      if (!parts.has(name)) parts.set(name, this.#partOf(row, customer))
      const part = parts.get(name)
      if (!part) return undefined
      const ref = textRef(part, key)
      return { ref, id: textId(ref), text, reviewStatus, modifiedAt: modifiedAt(row) }
    }
  }

  #partOf(row: Translation, customer: string | undefined): PartRef | undefined {
    const config = this.config
    const language = appLanguage(row.language, config)
    const namespace = appNamespace(row.namespace, config)
    if (!this.#isRelevant(language) || !this.#isWanted(namespace)) return undefined
    checkName('languageMap', row.language, serviceLanguage(language, config))
    checkName('defaultNamespace', row.namespace, serviceNamespace(namespace, config))
    return { language, namespace, customer }
  }

  /** Requests the expected pages concurrently, and more pages one by one while the last one is full. */
  async #readPages(filter: TranslationQuery, pages: number, call: BatchCall) {
    const read = (page: number) =>
      this.client.translations.query({ ...filter, page, size: PAGE }, { ...call, retries: 0 })
    const answers = await Promise.all(Array.from({ length: pages }, (_, page) => read(page)))
    for (let last = answers.at(-1); last; last = answers.at(-1)) {
      if (!(last.pageDetails?.hasNext ?? last.translations.length >= PAGE)) break
      answers.push(await read(answers.length))
    }
    const rows = answers.flatMap(({ translations }) => translations)
    const identities = new Set(rows.map(identityOf))
    const totals = new Set(answers.map(({ pageDetails }) => pageDetails?.totalElements))
    const isSteady = totals.size === 1 && totals.has(identities.size)
    return { rows, isWhole: answers.length === 1 || isSteady }
  }
}

/** Throws if the app would write the texts of the service's `name` to its `other`. */
function checkName(option: string, name: string, other: string): void {
  if (name === other) return
  const [own, mapped] = [name, other].map((each) => JSON.stringify(each))
  throw new LocalizationError(`the service has the name ${own}, which the option ${option} gives to ${mapped}`, {
    code: 'CATALOG_NAME',
    hint: `Change the option ${option}, so that no name on the service is the app's name for another.`,
  })
}

function filterOf(customer: string | undefined): { readonly customerId?: string } {
  return customer === undefined ? {} : { customerId: customer }
}
