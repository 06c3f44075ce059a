/**
 * The inspector's work on a project's service: machine translation, publishing, and changes of keys and texts.
 */
import type { Client } from '../api/client.ts'
import { publishChecked, statusOf } from '../api/environments.ts'
import { isApiError } from '../api/errors.ts'
import { providerCode } from '../api/jobs.ts'
import type { CreateKeyRequest, KeyInfo, SetTranslationRequest, Translation } from '../api/schemas.ts'
import { appLanguage, serviceLanguage, serviceNamespace } from '../catalog/names.ts'
import { keyId, type TextRef, textRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import { count } from '../shared/figures.ts'
import type { Activity } from './activity.ts'
import { type ActionAnswer, type KeyName, type Reasons, refused } from './protocol.ts'

export interface SeenText {
  readonly ref: TextRef
  readonly text: string
}

type ReviewStatus = SetTranslationRequest['reviewStatus']

/** Information for translators about a key. */
export type KeyDetails = Pick<CreateKeyRequest, 'description' | 'tags' | 'charactersLimit'>

/** The part of the configuration that requests to the service depend on. */
type ServiceConfig = Pick<ResolvedConfig, 'languageMap' | 'defaultNamespace' | 'environment'> & {
  readonly service: Pick<ResolvedConfig['service'], 'timeoutMs'>
}

const CHANGED = 'someone changed it on the service in the meantime. Reload and try again'
/** The maximum time that the key panel waits for a key's details. */
const INFO_MS = 5_000
const AT_ONCE = 8
/** For more keys than this, whole namespaces are read. */
const MOST_BY_KEY = 20
const POLL_MS = 500
const PUBLISH_WAIT_MS = 5 * 60_000
const MOST_JOBS = 100
/** Used if a service does not list its environments: every service has these. */
const COMMON_ENVIRONMENTS = ['_latest', '_production']
const FAILED = /^(?:fail|error|cancel|abort)/i

export type EnvironmentItem = Awaited<ReturnType<ServiceWork['environments']>>[number]

export class ServiceWork {
  readonly #client: Client
  readonly #activity: Activity
  readonly #config: () => Promise<ServiceConfig>
  readonly #onTranslated: () => void
  readonly #publishing = new Set<string>()
  readonly #closing = new AbortController()
  #infos = new Map<string, Promise<KeyInfo | undefined>>()

  /** `onTranslated` is called when a job has changed texts on the service. */
  constructor(client: Client, activity: Activity, config: () => Promise<ServiceConfig>, onTranslated: () => void) {
    this.#client = client
    this.#activity = activity
    this.#config = config
    this.#onTranslated = onTranslated
  }

  async jobs() {
    const [jobs, config] = [await this.#client.jobs.list(), await this.#config()]
    return jobs
      .map((job) => {
        const isFailed = FAILED.test(job.state)
        const isRunning = !isFailed && job.state.toUpperCase() !== 'SUCCESS'
        const language = appLanguage(job.metadata?.targetProjectLanguage ?? '', config)
        return { ...job, language, isFailed, isRunning }
      })
      .sort((a, b) => (a.started < b.started ? 1 : -1))
      .slice(0, MOST_JOBS)
  }

  /** Starts a job for each language. `replace` also translates texts that exist. */
  async translate(
    source: string,
    languages: readonly string[],
    provider: 'PROVIDER_A' | 'PROVIDER_B',
    replace: boolean,
  ): Promise<ActionAnswer> {
    const config = await this.#config()
    const problems: string[] = []
    for (const language of languages) {
      try {
        const { jobId } = await this.#client.jobs.startAutoTranslate({
          translationProvider: provider,
          sourceProjectLanguage: serviceLanguage(source, config),
          sourceLanguage: providerCode(source, provider),
          targetProjectLanguage: serviceLanguage(language, config),
          targetLanguage: providerCode(language, provider),
          options: replace ? ['FORCE_REPLACE'] : [],
        })
        void this.#follow(jobId, language)
      } catch (error) {
        problems.push(`${language}: ${messageOf(error)}`)
      }
    }
    this.#activity.notify('jobs')
    return { done: languages.length - problems.length, problems }
  }

  async environments() {
    const { environment } = await this.#config()
    const { environments, project } = this.#client
    const info = await project.info().catch(() => undefined)
    const keys = new Set([...(info?.environments ?? COMMON_ENVIRONMENTS), environment])
    return Promise.all(
      Array.from(keys, async (key) => {
        return { key, status: await statusOf(environments, key), isPublishing: this.#publishing.has(key) }
      }),
    )
  }

  /** Resolves once publishing has started. The log shows the result. */
  async publish(environment: string): Promise<ActionAnswer> {
    if (this.#publishing.has(environment)) {
      return refused(`${environment} is already being published`)
    }
    const { timeoutMs } = (await this.#config()).service
    this.#publishing.add(environment)
    this.#activity.notify('environments')
    void this.#publish(environment, timeoutMs)
    return { done: 1, problems: [] }
  }

  close(): void {
    this.#closing.abort(new Error('the inspector is closed'))
  }

  async #follow(jobId: string, language: string): Promise<void> {
    const onProgress = () => this.#activity.notify('jobs')
    await this.#log(`machine translation into ${language}`, async () => {
      await this.#client.jobs.wait(jobId, { intervalMs: POLL_MS, onProgress })
      this.#activity.log('info', `machine translation into ${language}: done`)
      this.#onTranslated()
    })
    onProgress()
  }

  async #publish(environment: string, timeoutMs: number): Promise<void> {
    const { log, notify } = this.#activity
    await this.#log(`cannot publish ${environment}`, async () => {
      const status = await publishChecked(this.#client.environments, environment, {
        waitMs: PUBLISH_WAIT_MS,
        timeoutMs,
        signal: this.#closing.signal,
        onWait: () => log('info', `${environment}: another publish is running, waiting for it to finish`),
      })
      log('info', `published ${environment}: ${count(status.numberOfNonEmptyTranslations, 'text')}`)
    })
    this.#publishing.delete(environment)
    notify('environments')
  }

  /** Runs a task whose failure is only logged. */
  async #log(failure: string, task: () => Promise<void>): Promise<void> {
    try {
      await task()
    } catch (error) {
      if (!isApiError(error, 'API_ABORTED')) this.#activity.log('error', `${failure}: ${messageOf(error)}`)
    }
  }

  /** `undefined` if the service does not support this request, which is not part of the contract. */
  info({ namespace, key }: KeyName): Promise<KeyInfo | undefined> {
    const id = keyId({ namespace, key })
    const known = this.#infos.get(id)
    if (known) return known
    const asked = this.#config()
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
    const name = { key, namespace: serviceNamespace(namespace, await this.#config()) }
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
  async review(texts: readonly SeenText[], isReviewed: boolean): Promise<Reasons> {
    const status = isReviewed ? 'REVIEWED' : 'NOT_REVIEWED'
    const reasons: (string | undefined)[] = []
    for (let at = 0; at < texts.length; at += AT_ONCE) {
      const some = texts.slice(at, at + AT_ONCE)
      const answers = some.map(async (seen) => ((await this.setText(seen, seen.text, status)) ? undefined : CHANGED))
      reasons.push(...(await Promise.all(answers)))
    }
    return reasons
  }

  /**
   * Sets a text. Returns false, without writing, if the service no longer has the text that the user saw, or if someone
   * deleted its key.
   */
  async setText({ ref, text: expected }: SeenText, text: string, reviewStatus?: ReviewStatus): Promise<boolean> {
    const { translations } = this.#client
    const { key, customer } = ref
    const names = await this.#config()
    const namespace = serviceNamespace(ref.namespace, names)
    const name = { key, namespace, language: serviceLanguage(ref.language, names), customerId: customer }
    if (!this.#client.conditionalWrites) {
      const { translations: rows } = await translations.query(name)
      const now = rows.find((row) => (row.customerId ?? undefined) === customer)
      if ((now?.text ?? '') !== expected) return false
    }
    const seen = this.#client.conditionalWrites ? { expected } : {}
    try {
      await translations.set({ ...name, text, reviewStatus }, { ...seen, retries: 0 })
      return true
    } catch (error) {
      if (!isApiError(error, 'API_PRECONDITION_FAILED', 'API_NOT_FOUND')) throw error
      return false
    }
  }

  /** All texts that the service currently has for these keys. */
  async textsOf(keys: readonly KeyName[], customers: readonly string[]): Promise<readonly SeenText[]> {
    const names = await this.#config()
    const wanted = new Set(keys.map(keyId))
    const byKey = keys.map(({ namespace, key }) => ({ namespace, query: { key } }))
    const whole = [...new Set(keys.map(({ namespace }) => namespace))].map((namespace) => ({ namespace, query: {} }))
    const found: SeenText[] = []
    for (const { namespace, query } of keys.length > MOST_BY_KEY ? whole : byKey) {
      for (const customer of [undefined, ...customers]) {
        const filter = { ...query, namespace: serviceNamespace(namespace, names), customerId: customer }
        for await (const row of this.#client.translations.queryAll(filter)) {
          const isWanted = wanted.has(keyId({ namespace, key: row.key })) && isOf(row, filter.namespace, customer)
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
    const names = await this.#config()
    const references = keys.map(({ namespace, key }) => ({ key, namespace: serviceNamespace(namespace, names) }))
    this.forget()
    const { failures } = await this.#client.keys.deleteMany(references)
    return failures.map(({ message }) => message)
  }
}

function isOf(row: Translation, namespace: string, customer: string | undefined): boolean {
  return row.namespace === namespace && (row.customerId ?? undefined) === customer
}
