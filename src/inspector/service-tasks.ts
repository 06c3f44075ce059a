/** Machine translation and publishing: starts a task and follows it until it has finished. */
import type { Client } from '../api/client.ts'
import { publishChecked, statusOf } from '../api/environments.ts'
import { isApiError } from '../api/errors.ts'
import { providerCode } from '../api/jobs.ts'
import type { Job } from '../api/resources.ts'
import { appLanguage, serviceLanguage } from '../catalog/names.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import { count } from '../shared/figures.ts'
import type { Activity } from './activity.ts'
import { type ActionAnswer, refused } from './protocol.ts'

interface TaskSettings extends Pick<ResolvedConfig, 'languageMap' | 'environment'> {
  readonly defaultLanguage: string
  readonly timeoutMs: number
}

interface Translation {
  readonly languages: readonly string[]
  readonly provider: 'PROVIDER_A' | 'PROVIDER_B'
  /** True to replace existing texts. */
  readonly replace: boolean
}

export interface ServiceTasksOptions {
  readonly client: Client
  readonly activity: Activity
  readonly settings: () => Promise<TaskSettings>
  /** Called when a job has changed texts on the service. */
  readonly onTranslated: () => void
}

const POLL_MS = 500
const PUBLISH_WAIT_MS = 5 * 60_000
const MOST_JOBS = 100
/** Used if a service does not list its environments: every service has these. */
const COMMON_ENVIRONMENTS = ['_latest', '_production']
const FAILED = /^(?:fail|error|cancel|abort)/i

export type EnvironmentItem = Awaited<ReturnType<ServiceTasks['environments']>>[number]

export class ServiceTasks {
  readonly #options: ServiceTasksOptions
  readonly #publishing = new Set<string>()
  readonly #closing = new AbortController()

  constructor(options: ServiceTasksOptions) {
    this.#options = options
  }

  async jobs() {
    const { client, settings } = this.#options
    const [jobs, known] = [await client.jobs.list(), await settings()]
    return jobs
      .map((job) => jobItem(job, known))
      .sort((a, b) => (a.started < b.started ? 1 : -1))
      .slice(0, MOST_JOBS)
  }

  async translate({ languages, provider, replace }: Translation): Promise<ActionAnswer> {
    const { client, activity } = this.#options
    const settings = await this.#options.settings()
    const { defaultLanguage } = settings
    const problems: string[] = []
    for (const language of languages) {
      try {
        const { jobId } = await client.jobs.startAutoTranslate({
          translationProvider: provider,
          sourceProjectLanguage: serviceLanguage(defaultLanguage, settings),
          sourceLanguage: providerCode(defaultLanguage, provider),
          targetProjectLanguage: serviceLanguage(language, settings),
          targetLanguage: providerCode(language, provider),
          options: replace ? ['FORCE_REPLACE'] : [],
        })
        void this.#follow(jobId, language)
      } catch (error) {
        problems.push(`${language}: ${messageOf(error)}`)
      }
    }
    activity.notify('jobs')
    return { done: languages.length - problems.length, problems }
  }

  async environments() {
    const { client, settings } = this.#options
    const { environment } = await settings()
    const info = await client.project.info().catch(() => undefined)
    const keys = new Set([...(info?.environments ?? COMMON_ENVIRONMENTS), environment])
    return Promise.all(
      Array.from(keys, async (key) => {
        return { key, status: await statusOf(client.environments, key), isPublishing: this.#publishing.has(key) }
      }),
    )
  }

  /** Resolves once publishing has started. The log shows the result. */
  async publish(environment: string): Promise<ActionAnswer> {
    if (this.#publishing.has(environment)) {
      return refused(`${environment} is already being published`)
    }
    const { timeoutMs } = await this.#options.settings()
    this.#publishing.add(environment)
    this.#options.activity.notify('environments')
    void this.#publish(environment, timeoutMs)
    return { done: 1, problems: [] }
  }

  close(): void {
    this.#closing.abort(new Error('the inspector is closed'))
  }

  async #follow(jobId: string, language: string): Promise<void> {
    const { client, activity, onTranslated } = this.#options
    const onProgress = () => activity.notify('jobs')
    await this.#log(`machine translation into ${language}`, async () => {
      await client.jobs.wait(jobId, { intervalMs: POLL_MS, onProgress })
      activity.log('info', `machine translation into ${language}: done`)
      onTranslated()
    })
    activity.notify('jobs')
  }

  async #publish(environment: string, timeoutMs: number): Promise<void> {
    const { client, activity } = this.#options
    await this.#log(`cannot publish ${environment}`, async () => {
      const status = await publishChecked(client.environments, environment, {
        waitMs: PUBLISH_WAIT_MS,
        timeoutMs,
        signal: this.#closing.signal,
        onWait: () => activity.log('info', `${environment}: another publish is running, waiting for it to finish`),
      })
      activity.log('info', `published ${environment}: ${count(status.numberOfNonEmptyTranslations, 'text')}`)
    })
    this.#publishing.delete(environment)
    activity.notify('environments')
  }

  /** Runs a task whose failure is only logged. */
  async #log(failure: string, task: () => Promise<void>): Promise<void> {
    try {
      await task()
    } catch (error) {
      if (!isApiError(error, 'API_ABORTED')) this.#options.activity.log('error', `${failure}: ${messageOf(error)}`)
    }
  }
}

function jobItem(job: Job, settings: TaskSettings) {
  const isFailed = FAILED.test(job.state)
  const isRunning = !isFailed && job.state.toUpperCase() !== 'SUCCESS'
  return { ...job, language: appLanguage(job.metadata?.targetProjectLanguage ?? '', settings), isFailed, isRunning }
}
