/** The service as sync sees it: texts in the app's names, read whole, read since, looked up before they are overwritten, and set. */
import type { Client } from '../api/client.ts'
import { isApiError } from '../api/errors.ts'
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
  close(): Promise<void>
}

export interface RemoteText {
  readonly ref: TextRef
  readonly id: string
  readonly text: string
  readonly reviewStatus: string | undefined
  readonly modifiedAt: number | undefined
}

export interface Remote {
  /** Every text of the project that concerns the app. */
  readAll(signal: AbortSignal): Promise<{ readonly texts: readonly RemoteText[]; readonly requests: number }>
  /**
   * Only what changed since the last reading; `undefined`: the service cannot tell, or it may not be all: read everything. One request
   * a layer when nothing changed.
   */
  readChanges(signal: AbortSignal): Promise<readonly RemoteText[] | undefined>
  /** The present texts of some keys of one namespace, in any language, as few requests as it takes. */
  lookUp(request: LookUp, signal: AbortSignal): Promise<ReadonlyMap<string, RemoteText>>
  /** Sets a text, making its key first where it is not there. */
  send(request: SendRequest, signal: AbortSignal): Promise<void>
}

export interface LookUp {
  readonly namespace: string
  readonly customer: string | undefined
  readonly refs: readonly TextRef[]
  /** About how many texts a part has. */
  readonly sizeOf: (part: PartRef) => number
}

export interface SendRequest {
  readonly ref: TextRef
  readonly text: string
  readonly reviewStatus: 'REVIEWED' | 'NOT_REVIEWED' | undefined
  /** The service is known to have the key. */
  readonly keyExists: boolean
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
  const createdKeys = new Map<string, Promise<unknown>>()
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

  /**
   * Makes a key once for all its languages. That it is there already is fine: with no text at all no query shows it. Services say so in
   * different ways, so what may mean that comes back and is thrown only when setting the text fails too.
   */
  const createKey = async (name: string, key: { key: string; namespace: string }, signal: AbortSignal) => {
    let creating = createdKeys.get(name)
    if (!creating) {
      creating = client.keys.create(key, { signal }).then(
        () => undefined,
        (error: unknown) => {
          if (isApiError(error, 'API_CONFLICT')) return undefined
          createdKeys.delete(name)
          if (isApiError(error, 'API_VALIDATION')) return error
          throw error
        },
      )
      createdKeys.set(name, creating)
    }
    return creating
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

    async lookUp({ namespace, customer, refs, sizeOf }, signal) {
      const found = new Map<string, RemoteText>()
      const filter = { ...filterOf(customer), namespace: serviceNamespace(namespace, config), size: PAGE }
      const take = async (query: TranslationQuery) => {
        for await (const row of client.translations.queryAll({ ...filter, ...query }, { signal })) {
          const text = toApp(row, customer)
          if (text && text.ref.namespace === namespace) found.set(text.id, text)
        }
      }
      const keys = new Set(refs.map(({ key }) => key))
      const languages = new Set(refs.map(({ language }) => language))
      let pages = 0
      for (const language of languages) {
        const part = { language, namespace, ...(customer !== undefined && { customer }) }
        pages += Math.max(1, Math.ceil(sizeOf(part) / PAGE))
      }
      if (keys.size <= pages) for (const key of keys) await take({ key })
      else for (const language of languages) await take({ language: serviceLanguage(language, config) })
      return found
    },

    async send({ ref, text, reviewStatus, keyExists }, signal) {
      const namespace = serviceNamespace(ref.namespace, config)
      const name = JSON.stringify([namespace, ref.key])
      const request = {
        key: ref.key,
        namespace,
        language: serviceLanguage(ref.language, config),
        text,
        ...(ref.customer !== undefined && { customerId: ref.customer }),
        ...(reviewStatus && { reviewStatus }),
      }
      const mayCreate = config.push !== false && config.push.create
      const isKnown = keyExists || createdKeys.has(name)
      let refusal = mayCreate && !isKnown ? await createKey(name, { key: ref.key, namespace }, signal) : undefined
      try {
        await client.translations.set(request, { signal })
      } catch (error) {
        if (!isApiError(error, 'API_NOT_FOUND')) throw error
        if (!mayCreate || !isKnown) throw refusal ?? error
        // Somebody deleted the key since it was seen: the text is new, so it is made again.
        createdKeys.delete(name)
        refusal = await createKey(name, { key: ref.key, namespace }, signal)
        try {
          await client.translations.set(request, { signal })
        } catch (again) {
          throw isApiError(again, 'API_NOT_FOUND') ? (refusal ?? again) : again
        }
      }
    },
  }
}

function times(rows: readonly Translation[]): readonly number[] {
  return rows.map(({ lastModifiedAt }) => Date.parse(lastModifiedAt ?? ''))
}
