/** Machine translation and publishing for the page: each is started, and then followed as long as it runs. */

import type { Client } from '../api/client.ts'
import { isApiError } from '../api/errors.ts'
import { providerCode } from '../api/provider-codes.ts'
import { publishChecked, statusOf } from '../api/publish-checked.ts'
import type { Job } from '../api/schemas.ts'
import { appLanguage, serviceLanguage } from '../catalog/names.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import { grouped } from '../shared/figures.ts'
import type { Activity } from './activity.ts'
import type { ServiceDesk, Snapshot } from './port.ts'
import type { JobItem } from './wire.ts'

export type DeskSettings = Pick<ResolvedConfig, 'languageMap' | 'environment'> & {
  readonly service: Pick<ResolvedConfig['service'], 'timeoutMs'>
}

export interface ServiceDeskInput {
  readonly client: Client
  readonly activity: Activity
  readonly config: () => Promise<DeskSettings>
  readonly snapshot: () => Promise<Snapshot>
  /** A job or a publish changed what the service has. */
  readonly onServiceChanged?: () => void
}

const WATCH_MS = 500
const PUBLISH_WAIT_MS = 5 * 60_000
const KNOWN_ENVIRONMENTS = ['_latest', '_production']
const FAILED = /^(?:fail|error|cancel|abort)/i

export function createServiceDesk({
  client,
  activity,
  config,
  snapshot,
  onServiceChanged = () => {},
}: ServiceDeskInput): ServiceDesk {
  const publishing = new Set<string>()
  const closing = new AbortController()

  /** Tells the page how far a job is, until it has ended. */
  const follow = async (jobId: string, language: string) => {
    try {
      await client.jobs.wait(jobId, { intervalMs: WATCH_MS, onProgress: () => activity.tell('jobs') })
      activity.note('info', `machine translation into ${language} is done`)
      onServiceChanged()
    } catch (error) {
      if (!isApiError(error, 'API_ABORTED'))
        activity.note('error', `machine translation into ${language}: ${messageOf(error)}`)
    }
    activity.tell('jobs')
  }

  const publish = async (environment: string, timeoutMs: number) => {
    try {
      const status = await publishChecked(client.environments, environment, {
        waitMs: PUBLISH_WAIT_MS,
        timeoutMs,
        signal: closing.signal,
        onWait: () => activity.note('info', `${environment}: another publish is running, waiting for it`),
      })
      activity.note('info', `published ${environment}: ${grouped(status.numberOfNonEmptyTranslations)} texts`)
    } catch (error) {
      if (!isApiError(error, 'API_ABORTED'))
        activity.note('error', `${environment} is not published: ${messageOf(error)}`)
    } finally {
      publishing.delete(environment)
      activity.tell('environments')
    }
  }

  return {
    async jobs() {
      const settings = await config()
      const jobs = await client.jobs.list()
      return jobs
        .map((job) => jobItem(job, settings))
        .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
        .slice(0, 100)
    },
    async translate({ languages, provider, replace }) {
      const settings = await config()
      const { defaultLanguage } = await snapshot()
      const problems: string[] = []
      let done = 0
      for (const language of languages) {
        try {
          const job = await client.jobs.startAutoTranslate({
            translationProvider: provider,
            sourceProjectLanguage: serviceLanguage(defaultLanguage, settings),
            sourceLanguage: providerCode(defaultLanguage, provider),
            targetProjectLanguage: serviceLanguage(language, settings),
            targetLanguage: providerCode(language, provider),
            options: replace ? ['FORCE_REPLACE'] : [],
          })
          done++
          void follow(job.jobId, language)
        } catch (error) {
          problems.push(`${language}: ${messageOf(error)}`)
        }
      }
      activity.tell('jobs')
      return { done, problems }
    },
    async environments() {
      const { environment } = await config()
      // Beyond the contract: a service that does not tell its environments has the two that every one has.
      const info = await client.project.info().catch(() => undefined)
      const keys = [...new Set([...(info?.environments ?? KNOWN_ENVIRONMENTS), environment])]
      return Promise.all(
        keys.map(async (key) => {
          const status = await statusOf(client.environments, key)
          return {
            key,
            publishedAt: status?.createdAt ?? null,
            keys: status?.numberOfKeys ?? 0,
            languages: status?.numberOfLanguages ?? 0,
            texts: status?.numberOfNonEmptyTranslations ?? 0,
            isPublishing: publishing.has(key),
          }
        }),
      )
    },
    async publish(environment) {
      if (publishing.has(environment)) return { done: 0, problems: [`${environment} is being published already`] }
      const { service } = await config()
      publishing.add(environment)
      activity.tell('environments')
      void publish(environment, service.timeoutMs)
      return { done: 1, problems: [] }
    },
    close() {
      closing.abort(new Error('the inspector is closed'))
    },
  }
}

function jobItem(job: Job, settings: Pick<ResolvedConfig, 'languageMap'>): JobItem {
  const { jobId, progress, state, started, message, metadata } = job
  const isFailed = FAILED.test(state)
  return {
    id: jobId,
    language: appLanguage(metadata?.targetProjectLanguage ?? '', settings),
    progress,
    state,
    isRunning: !isFailed && state.toUpperCase() !== 'SUCCESS',
    isFailed,
    startedAt: started,
    message: message ?? null,
  }
}
