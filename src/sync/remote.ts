/** The service as sync sees it: texts in the app's names, read whole, read since, read before they are overwritten, and set. */
import type { Client } from '../api/client.ts'
import { isApiError } from '../api/errors.ts'
import type { Reservation } from '../api/pace.ts'
import type { Translation, TranslationQuery } from '../api/schemas.ts'
import {
  appLanguage,
  appNamespace,
  nameFilter,
  relevantLanguages,
  serviceLanguage,
  serviceNamespace,
} from '../catalog/names.ts'
import { type PartRef, type TextRef, textId } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'

/** The calls sync makes; `createClient` gives them. */
export interface SyncClient {
  readonly translations: Pick<Client['translations'], 'set' | 'query' | 'queryAll'>
  readonly keys: Pick<Client['keys'], 'create'>
  readonly imports: Pick<Client['imports'], 'upload'>
  readonly conditionalWrites: boolean
  reserve(requests: number, options?: { readonly signal?: AbortSignal | undefined }): Promise<Reservation>
  close(): Promise<void>
}

export interface RemoteText {
  readonly ref: TextRef
  readonly id: string
  readonly text: string
  readonly reviewStatus: string | undefined
  readonly modifiedAt: number | undefined
}

/** How a call of a batch goes out. */
export interface BatchCall {
  /** The batch's requests, which were waited for before its first read. */
  readonly reservation?: Reservation
  readonly signal?: AbortSignal | undefined
}

export interface BatchRead {
  readonly texts: ReadonlyMap<string, RemoteText>
  /** Texts that are not in it are not on the service. False: pages may have shifted between their requests. */
  readonly isWhole: boolean
  /** Every language of each key was read. */
  readonly isByKey: boolean
}

/** How some texts of one namespace and customer are read with the fewest requests. */
export interface ReadPlan {
  readonly requests: number
  /** All requests at once where the number of pages is known. */
  read(call: BatchCall): Promise<BatchRead>
}

export interface Remote {
  /** The service compares before it writes: a write that carries what it expects needs no read before it. */
  readonly isConditional: boolean
  /** Waits until so many requests may go out at once. */
  reserve(requests: number, signal: AbortSignal): Promise<Reservation>
  /** Every text of the project that concerns the app. */
  readAll(signal: AbortSignal): Promise<{ readonly texts: readonly RemoteText[]; readonly requests: number }>
  /**
   * Only what changed since the last reading; `undefined`: the service cannot tell, or it may not be all: read everything. One request
   * a layer when nothing changed.
   */
  readChanges(signal: AbortSignal): Promise<readonly RemoteText[] | undefined>
  /** `refs` are of one namespace and customer. `byKey`: one request for each key, whose answer is whole. */
  planRead(refs: readonly TextRef[], options: { sizeOf: (part: PartRef) => number; byKey?: boolean }): ReadPlan
  /** Makes a key. False: the service has it already, or says something that may mean that. */
  createKey(ref: TextRef, call: BatchCall): Promise<boolean>
  /** Sets a text once, without any repetition. */
  set(request: SetRequest, call: BatchCall): Promise<void>
  /** Sets texts of one language, namespace and customer with an import, without any repetition. */
  upload(request: UploadRequest, call: BatchCall): Promise<void>
}

export interface SetRequest {
  readonly ref: TextRef
  readonly text: string
  readonly reviewStatus: 'REVIEWED' | 'NOT_REVIEWED' | undefined
  /** Where the service is conditional: what it must have; `null`: nothing. */
  readonly expected?: string | null
}

export interface UploadRequest {
  readonly part: PartRef
  readonly texts: ReadonlyMap<string, string>
  /** Texts that the service has are replaced; otherwise only those it does not have are taken. */
  readonly replace: boolean
  /** Where the service is conditional: the texts that it must have, no more and no fewer of these keys. */
  readonly expected?: ReadonlyMap<string, string> | undefined
}

const PAGE = 500
/** A page of the newest changes: enough for most edits, cheap when there are none. */
const NEWEST_PAGE = 50

/** What is known of one layer (all texts of no customer, or of one customer) since it was last read. */
interface Layer {
  /** The newest modification seen. */
  newest: number
  /** The first page of the newest texts, as it came. */
  firstPage: string | undefined
  total: number | undefined
}

export function createRemote(client: SyncClient, config: ResolvedConfig): Remote {
  const isWanted = nameFilter(config.namespaces)
  const isRelevant = relevantLanguages(config)
  const layers: readonly (string | undefined)[] = [undefined, ...config.customers]
  const known = new Map<string | undefined, Layer>()
  let sorts: boolean | undefined

  /** In the app's names; `undefined`: it does not concern the app, or another text of the service has that name. */
  const toApp = (row: Translation, customer: string | undefined): RemoteText | undefined => {
    if ((row.customerId ?? customer) !== customer) return undefined
    const language = appLanguage(row.language, config)
    const namespace = appNamespace(row.namespace, config)
    if (serviceLanguage(language, config) !== row.language || serviceNamespace(namespace, config) !== row.namespace) {
      return undefined
    }
    if (!isRelevant(language) || !isWanted(namespace)) return undefined
    const ref = { language, namespace, key: row.key, ...(customer !== undefined && { customer }) }
    const modifiedAt = row.lastModifiedAt === undefined ? Number.NaN : Date.parse(row.lastModifiedAt)
    return {
      ref,
      id: textId(ref),
      text: row.text,
      reviewStatus: row.reviewStatus,
      modifiedAt: Number.isNaN(modifiedAt) ? undefined : modifiedAt,
    }
  }

  const filterOf = (customer: string | undefined): TranslationQuery =>
    customer === undefined ? {} : { customerId: customer }

  const readLayer = async (customer: string | undefined, signal: AbortSignal) => {
    const texts: RemoteText[] = []
    let newest = Number.NEGATIVE_INFINITY
    let rows = 0
    for await (const row of client.translations.queryAll({ ...filterOf(customer), size: PAGE }, { signal })) {
      rows++
      const modified = Date.parse(row.lastModifiedAt ?? '')
      if (modified > newest) newest = modified
      const text = toApp(row, customer)
      if (text) texts.push(text)
    }
    known.set(customer, { newest, firstPage: undefined, total: undefined })
    return { texts, requests: Math.max(1, Math.ceil(rows / PAGE)) }
  }

  const newestPage = (customer: string | undefined, page: number, sortOrder: 'asc' | 'desc', signal: AbortSignal) =>
    client.translations.query(
      { ...filterOf(customer), sortBy: 'lastModifiedAt', sortOrder, page, size: NEWEST_PAGE },
      { signal },
    )

  /** Sorting is beyond the contract: believed only when both orders come back as asked and differ. */
  const probeSorting = async (signal: AbortSignal): Promise<boolean> => {
    const [newest, oldest] = [
      times((await newestPage(undefined, 0, 'desc', signal)).translations),
      times((await newestPage(undefined, 0, 'asc', signal)).translations),
    ]
    const [first] = newest
    const [last] = oldest
    if (first === undefined || last === undefined || !(first > last)) return false
    return (
      newest.every((time, i) => i === 0 || time <= (newest[i - 1] as number)) &&
      oldest.every((time, i) => i === 0 || time >= (oldest[i - 1] as number))
    )
  }

  const readLayerChanges = async (customer: string | undefined, layer: Layer, signal: AbortSignal) => {
    const found: RemoteText[] = []
    let newest = layer.newest
    let firstPage: string | undefined
    let total: number | undefined
    for (let page = 0; ; page++) {
      const { translations, pageDetails } = await newestPage(customer, page, 'desc', signal)
      if (page === 0) {
        firstPage = JSON.stringify(translations)
        total = pageDetails?.totalElements
        // Fewer texts than before: some were deleted, and only reading everything tells which.
        if (layer.total !== undefined && total !== undefined && total < layer.total) return undefined
        if (firstPage === layer.firstPage && total === layer.total) return []
      }
      let reachedKnown = translations.length < NEWEST_PAGE
      for (const row of translations) {
        const modified = Date.parse(row.lastModifiedAt ?? '')
        if (Number.isNaN(modified)) return undefined
        if (modified < layer.newest) {
          reachedKnown = true
          break
        }
        if (modified > newest) newest = modified
        const text = toApp(row, customer)
        if (text) found.push(text)
      }
      if (reachedKnown) break
    }
    known.set(customer, { newest, firstPage, total })
    return found
  }

  /** All pages at once, as many as there probably are, then one after another as long as they are full. */
  const readPages = async (filter: TranslationQuery, pages: number, call: BatchCall) => {
    const read = (page: number) => client.translations.query({ ...filter, page, size: PAGE }, { ...call, retries: 0 })
    const answers = await Promise.all(Array.from({ length: pages }, (_, page) => read(page)))
    const isFull = (answer: (typeof answers)[number] | undefined) =>
      answer !== undefined && (answer.pageDetails?.hasNext ?? answer.translations.length >= PAGE)
    while (isFull(answers.at(-1))) answers.push(await read(answers.length))
    const rows = answers.flatMap(({ translations }) => translations)
    const totals = new Set(answers.map(({ pageDetails }) => pageDetails?.totalElements))
    const isSteady = totals.size === 1 && totals.has(new Set(rows.map(identityOf)).size)
    return { rows, isWhole: answers.length === 1 || isSteady }
  }

  return {
    async readAll(signal) {
      const texts: RemoteText[] = []
      let requests = 0
      for (const customer of layers) {
        const layer = await readLayer(customer, signal)
        // Not spread: so many arguments are more than a stack holds.
        for (const text of layer.texts) texts.push(text)
        requests += layer.requests
      }
      return { texts, requests }
    },

    async readChanges(signal) {
      if (layers.some((customer) => !known.has(customer))) return undefined
      if (sorts !== true) sorts = await probeSorting(signal)
      if (!sorts) return undefined
      const texts: RemoteText[] = []
      for (const customer of layers) {
        const changes = await readLayerChanges(customer, known.get(customer) as Layer, signal)
        if (!changes) return undefined
        for (const text of changes) texts.push(text)
      }
      return texts
    },

    get isConditional() {
      return client.conditionalWrites
    },

    reserve: (requests, signal) => client.reserve(requests, { signal }),

    planRead(refs, { sizeOf, byKey = false }) {
      const { namespace = '', customer } = refs[0] ?? {}
      const filter = { ...filterOf(customer), namespace: serviceNamespace(namespace, config) }
      const keys = [...new Set(refs.map(({ key }) => key))]
      const languages = [...new Set(refs.map(({ language }) => language))].map((language) => {
        const part = { language, namespace, ...(customer !== undefined && { customer }) }
        return { language, pages: Math.max(1, Math.ceil(sizeOf(part) / PAGE)) }
      })
      const pages = languages.reduce((sum, one) => sum + one.pages, 0)
      const isByKey = byKey || keys.length <= pages
      const reads = isByKey
        ? keys.map((key) => ({ query: { ...filter, key }, pages: 1 }))
        : languages.map(({ language, pages }) => ({
            query: { ...filter, language: serviceLanguage(language, config) },
            pages,
          }))
      return {
        requests: reads.reduce((sum, one) => sum + one.pages, 0),
        async read(call) {
          const texts = new Map<string, RemoteText>()
          const answers = await Promise.all(reads.map(({ query, pages }) => readPages(query, pages, call)))
          for (const { rows } of answers)
            for (const row of rows) {
              const text = toApp(row, customer)
              if (text && text.ref.namespace === namespace) texts.set(text.id, text)
            }
          return { texts, isByKey, isWhole: answers.every(({ isWhole }) => isWhole) }
        },
      }
    },

    async createKey({ namespace, key }, call) {
      try {
        await client.keys.create({ key, namespace: serviceNamespace(namespace, config) }, { ...call, retries: 0 })
        return true
      } catch (error) {
        // Services say in different ways that a key exists; a request that is wrong in another way fails again when the text is set.
        if (isApiError(error, 'API_CONFLICT', 'API_VALIDATION')) return false
        throw error
      }
    },

    async set({ ref, text, reviewStatus, expected }, call) {
      const request = {
        key: ref.key,
        namespace: serviceNamespace(ref.namespace, config),
        language: serviceLanguage(ref.language, config),
        text,
        ...(ref.customer !== undefined && { customerId: ref.customer }),
        ...(reviewStatus && { reviewStatus }),
      }
      // A repetition would come long after the text was read.
      await client.translations.set(request, { ...call, retries: 0, ...(expected !== undefined && { expected }) })
    },

    async upload({ part, texts, replace, expected }, call) {
      const members = Array.from(texts, ([key, text]) => `${JSON.stringify(key)}:${JSON.stringify(text)}`)
      await client.imports.upload(
        {
          file: `{${members.join(',')}}`,
          fileName: 'texts.json',
          uploadFormat: 'single-language-json',
          languageKey: serviceLanguage(part.language, config),
          namespace: serviceNamespace(part.namespace, config),
          ...(part.customer !== undefined && { customerId: part.customer }),
          importOptions: replace ? ['REPLACE_TRANSLATION_IF_FOUND'] : [],
        },
        { ...call, retries: 0, ...(expected && { expected }) },
      )
    },
  }
}

function identityOf({ language, namespace, key, customerId }: Translation): string {
  return JSON.stringify([language, namespace, key, customerId ?? null])
}

function times(rows: readonly Translation[]): readonly number[] {
  return rows.map(({ lastModifiedAt }) => Date.parse(lastModifiedAt ?? ''))
}
