/** The inspector's changes to keys and texts on the service: reviews, descriptions, deletions. */
import type { Client } from '../api/client.ts'
import { isApiError } from '../api/errors.ts'
import type { CreateKeyRequest, KeyInfo, Translation } from '../api/schemas.ts'
import { appLanguage, serviceLanguage, serviceNamespace } from '../catalog/names.ts'
import { type TextRef, textRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { type ActionAnswer, actionAnswer, type KeyName } from './protocol.ts'

type NameSettings = Pick<ResolvedConfig, 'languageMap' | 'defaultNamespace'>

export interface SeenText {
  readonly ref: TextRef
  readonly text: string
}

/** Information for translators about a key. */
export type KeyDetails = Pick<CreateKeyRequest, 'description' | 'tags' | 'charactersLimit'>

const CHANGED = 'someone changed it on the service in the meantime. Reload and try again'
/** The maximum time that the key panel waits for a key's details. */
const INFO_MS = 5_000
const AT_ONCE = 8
/** For more keys than this, whole namespaces are read. */
const MOST_BY_KEY = 20

export class ServiceTexts {
  readonly #client: Client
  readonly #settings: () => Promise<NameSettings>
  #infos = new Map<string, Promise<KeyInfo | undefined>>()

  constructor(client: Client, settings: () => Promise<NameSettings>) {
    this.#client = client
    this.#settings = settings
  }

  /** `undefined` if the service does not support this request, which is not part of the contract. */
  info({ namespace, key }: KeyName): Promise<KeyInfo | undefined> {
    const id = JSON.stringify([namespace, key])
    const known = this.#infos.get(id)
    if (known) return known
    const asked = this.#settings()
      .then((names) =>
        this.#client.keys.info(
          { key, namespace: serviceNamespace(namespace, names) },
          { timeoutMs: INFO_MS, retries: 0 },
        ),
      )
      .catch(() => undefined)
    this.#infos.set(id, asked)
    return asked
  }

  /** Makes the next request read the keys' details again. */
  forget(): void {
    this.#infos = new Map()
  }

  /** Returns false if the key already exists. */
  async createKey({ namespace, key }: KeyName, details: KeyDetails = {}): Promise<boolean> {
    const name = { key, namespace: serviceNamespace(namespace, await this.#settings()) }
    this.forget()
    try {
      await this.#client.keys.create({ ...name, ...details })
      return true
    } catch (error) {
      if (!isApiError(error, 'API_CONFLICT')) throw error
      return false
    }
  }

  /** Marks texts as reviewed or not reviewed, unless the service's texts have changed since the user saw them. */
  async review(texts: readonly SeenText[], isReviewed: boolean): Promise<ActionAnswer & { refused: TextRef[] }> {
    const names = await this.#settings()
    const reasons: (string | undefined)[] = []
    for (let at = 0; at < texts.length; at += AT_ONCE) {
      const some = texts.slice(at, at + AT_ONCE)
      reasons.push(...(await Promise.all(some.map((text) => this.#reviewOne(text, isReviewed, names)))))
    }
    const refused = texts.filter((_, at) => reasons[at] !== undefined).map(({ ref }) => ref)
    return { ...actionAnswer(texts, reasons), refused }
  }

  async #reviewOne({ ref, text }: SeenText, isReviewed: boolean, names: NameSettings): Promise<string | undefined> {
    const { translations } = this.#client
    const { key, language, customer } = ref
    const name = {
      key,
      namespace: serviceNamespace(ref.namespace, names),
      language: serviceLanguage(language, names),
      customerId: customer,
    }
    if (!this.#client.conditionalWrites) {
      const { translations: rows } = await translations.query(name)
      const now = rows.find((row) => (row.customerId ?? undefined) === customer)
      if (now?.text !== text) return CHANGED
    }
    const seen = this.#client.conditionalWrites ? { expected: text } : {}
    try {
      const reviewStatus = isReviewed ? 'REVIEWED' : 'NOT_REVIEWED'
      await translations.set({ ...name, text, reviewStatus }, { ...seen, retries: 0 })
      return undefined
    } catch (error) {
      if (!isApiError(error, 'API_PRECONDITION_FAILED')) throw error
      return CHANGED
    }
  }

  /** All texts that the service currently has for these keys. */
  async textsOf(keys: readonly KeyName[], customers: readonly string[]): Promise<readonly SeenText[]> {
    const names = await this.#settings()
    const wanted = new Set(keys.map(({ namespace, key }) => JSON.stringify([namespace, key])))
    const byKey = keys.map(({ namespace, key }) => ({ namespace, query: { key } }))
    const whole = [...new Set(keys.map(({ namespace }) => namespace))].map((namespace) => ({ namespace, query: {} }))
    const found: SeenText[] = []
    for (const { namespace, query } of keys.length > MOST_BY_KEY ? whole : byKey) {
      for (const customer of [undefined, ...customers]) {
        const filter = { ...query, namespace: serviceNamespace(namespace, names), customerId: customer }
        for await (const row of this.#client.translations.queryAll(filter)) {
          const isWanted = wanted.has(JSON.stringify([namespace, row.key])) && isOf(row, filter.namespace, customer)
          if (!isWanted) continue
          const ref = textRef({ language: appLanguage(row.language, names), namespace, customer }, row.key)
          found.push({ ref, text: row.text })
        }
      }
    }
    return found
  }

  /** Returns the service's reasons for the keys that it did not delete. */
  async deleteKeys(keys: readonly KeyName[]): Promise<readonly string[]> {
    const names = await this.#settings()
    const references = keys.map(({ namespace, key }) => ({ key, namespace: serviceNamespace(namespace, names) }))
    this.forget()
    const { failures } = await this.#client.keys.deleteMany(references)
    return failures.map(({ message }) => message)
  }
}

function isOf(row: Translation, namespace: string, customer: string | undefined): boolean {
  return row.namespace === namespace && (row.customerId ?? undefined) === customer
}
