/**
 * Runs auto-translate jobs in the background, and stores each batch of translations. If several processes share the
 * data, the process running a job keeps renewing a lease on it. Another process takes over when the lease has expired.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StartJobRequest } from '../api/schemas.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { badRequest, HttpError, languageNotFound } from './http-error.ts'
import { withinLimit } from './limits.ts'
import {
  createHttpProvider,
  ProviderError,
  type ProviderName,
  type ProviderOptions,
  pseudoProvider,
  type TranslationProvider,
} from './providers.ts'
import type { Publisher } from './publish.ts'
import { type Repeated, repeat } from './scheduling.ts'
import type { JobLease, JobProgress, JobRecord, JobText, JobTextFilter } from './store/jobs.ts'
import { defaultLanguageOf, LATEST, type ProjectRecord } from './store/projects.ts'
import type { ServiceStore, Store } from './store/store.ts'

const BATCH = 50
/** The interval for renewing leases and looking for jobs without an owner. */
const LOOK_MS = 2000
/** Long enough that a few renewals may fail. */
const LEASE_MS = 15_000
const MAX_TAKEOVERS = 5

const KEY_IS_GONE =
  "The service was restarted, or another process took over the job. The job's provider key is not stored, so start " +
  'the job again.'
const TOO_MANY_TAKEOVERS = `${MAX_TAKEOVERS} processes exited while translating the same texts. See their logs.`

export interface JobRunnerOptions {
  readonly store: ServiceStore
  readonly publisher: Publisher
  readonly providers: ProviderOptions
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly logger: Logger
  /** True if several processes share the data. */
  readonly isShared: boolean
}

interface RunningJob {
  readonly stop: AbortController
  readonly work: Promise<void>
}

type JobCounts = Omit<JobProgress, 'state' | 'progress' | 'message'>

/** Thrown if another process has taken over the job. */
class JobLost extends Error {}

export class JobRunner {
  private readonly owner: string
  private readonly closing = new AbortController()
  private readonly running = new Map<string, RunningJob>()
  private looking: Repeated | undefined

  constructor(private readonly options: JobRunnerOptions) {
    this.owner = options.isShared ? randomUUID() : ''
  }

  async start(project: ProjectRecord, request: StartJobRequest): Promise<JobRecord> {
    const { store } = this.options
    const job = await toJob(store, project, request, this.timeAfter(0))
    await checkGlossary(request, job, this.providerOf(request.translationProvider), this.closing.signal)
    await store.transaction((tx) => tx.jobs.add(job, this.lease()))
    this.launch(job, request.providerBApiKey)
    return job
  }

  /** Resumes jobs that no process is running: once now, and at intervals if several processes share the data. */
  async resume(): Promise<void> {
    await this.look()
    if (this.options.isShared) this.looking = repeat(LOOK_MS, () => this.look())
  }

  /** Stops all jobs. Another process or the next start continues them. */
  async close(): Promise<void> {
    const reason = new Error('the service is closing')
    this.closing.abort(reason)
    for (const { stop } of this.running.values()) stop.abort(reason)
    await this.looking?.close()
    await Promise.allSettled([...this.running.values()].map(({ work }) => work))
    if (!this.options.isShared) return
    // If this fails, another process continues the jobs when their leases expire.
    await this.options.store.transaction((tx) => tx.jobs.release(this.owner)).catch(() => {})
  }

  private async look(): Promise<void> {
    const { store, logger } = this.options
    try {
      await this.renewLeases()
      for (const { id } of await store.jobs.free(this.timeAfter(0))) {
        if (this.running.has(id) || this.closing.signal.aborted) continue
        const taken = await store.transaction((tx) => tx.jobs.take(id, this.lease(), this.timeAfter(0)))
        if (taken) await this.continue(taken)
      }
    } catch (error) {
      logger.debug(`cannot look for auto-translate jobs: ${messageOf(error)}`)
    }
  }

  private async renewLeases(): Promise<void> {
    if (this.running.size === 0) return
    const lease = this.lease()
    const lost = await this.options.store.transaction(async ({ jobs }) => {
      const ids: string[] = []
      for (const id of this.running.keys()) if (!(await jobs.renew(id, lease))) ids.push(id)
      return ids
    })
    for (const id of lost) this.running.get(id)?.stop.abort(new JobLost())
  }

  private async continue(job: JobRecord): Promise<void> {
    const { providers, logger } = this.options
    const isKeyGone = job.needsKey && providers[job.request.translationProvider] !== undefined
    const reason = isKeyGone ? KEY_IS_GONE : job.takeovers >= MAX_TAKEOVERS ? TOO_MANY_TAKEOVERS : undefined
    if (reason === undefined) return this.launch(job)
    logger.warn(`auto-translate job ${job.id} failed: ${reason}`)
    await this.fail(job, reason)
  }

  /** `apiKey` is used only for this run and is never stored. */
  private launch(job: JobRecord, apiKey?: string): void {
    const { logger } = this.options
    const stop = new AbortController()
    if (this.closing.signal.aborted) stop.abort(this.closing.signal.reason)
    const work = nextTurn()
      .then(() => this.run(job, apiKey, stop.signal))
      .catch(async (error) => {
        if (stop.signal.aborted || error instanceof JobLost) return
        const isKnown = error instanceof ProviderError || error instanceof HttpError
        const message = redact(isKnown ? error.message : `The translation failed: ${messageOf(error)}`, apiKey)
        // The data is currently not writable. The job continues later.
        if (error instanceof HttpError && error.status >= 500) {
          logger.warn(`auto-translate job ${job.id} was interrupted: ${message}`)
          return
        }
        logger.warn(`auto-translate job ${job.id} failed: ${message}`)
        await this.fail(job, message)
      })
      // The data is not writable, for example because the disk is full. The job continues at the next start.
      .catch((error) => logger.error(`auto-translate job ${job.id} cannot be saved: ${messageOf(error)}`))
      .finally(() => this.running.delete(job.id))
    this.running.set(job.id, { stop, work })
  }

  private async run(job: JobRecord, apiKey: string | undefined, signal: AbortSignal): Promise<void> {
    const { store, publisher } = this.options
    const { request, projectId } = job
    const { sourceLanguage, targetLanguage, glossaryId, formality } = request
    if (signal.aborted) return
    const provider = this.providerOf(request.translationProvider)
    const filter: JobTextFilter = {
      source: request.sourceProjectLanguage,
      target: request.targetProjectLanguage,
      useKeys: request.options.includes('USE_TRANSLATION_KEYS'),
      replaceAll: request.options.includes('FORCE_REPLACE'),
    }
    const tasks = await store.jobs.texts(projectId, filter, job.last)
    const { texts, characters, tooLong, last } = job
    let counts: JobCounts = { texts, characters, tooLong, last }
    await this.write(({ jobs }) => jobs.begin(job.id, this.owner))
    for (let i = 0; i < tasks.length; i += BATCH) {
      // A provider that gets an aborted signal might never return.
      if (signal.aborted) return
      const batch = tasks.slice(i, i + BATCH)
      const sources = batch.map(({ source }) => source)
      const options = { sourceLanguage, targetLanguage, glossaryId, formality, apiKey, signal }
      const translations = await provider.translate(sources, options)
      if (signal.aborted) return
      if (translations.length !== batch.length) {
        throw new ProviderError(`${request.translationProvider} did not return one translation per text.`)
      }
      const before = counts
      const progress = progressOf(job, (i + batch.length) / tasks.length)
      await this.write(async (tx) => {
        await tx.projects.lock(
          projectId,
          batch.map(({ namespace }) => namespace),
        )
        counts = await keepAll(tx, projectId, batch, translations, filter, before)
        return tx.jobs.update(job.id, this.owner, { state: 'RUNNING', message: 'OK', progress, ...counts })
      })
      await nextTurn()
    }
    if (signal.aborted) return
    const project = await store.projects.get(projectId)
    if (project && request.options.includes('AUTO_PUBLISH')) await publisher.publishWhenFree(project, LATEST, signal)
    if (signal.aborted) return
    const message = summaryOf(counts, provider)
    const end = { state: 'SUCCESS', progress: 1, message, ...counts } as const
    await this.write(({ jobs }) => jobs.update(job.id, this.owner, end))
  }

  /** Runs `work` in a transaction. Rolls back if another process has taken over the job. */
  private write(work: (tx: Store) => Promise<boolean>): Promise<void> {
    return this.options.store.transaction(async (tx) => {
      if (!(await work(tx))) throw new JobLost()
    })
  }

  private async fail(job: JobRecord, message: string): Promise<void> {
    await this.options.store.transaction((tx) => tx.jobs.fail(job.id, this.owner, message))
  }

  private lease(): JobLease {
    return { owner: this.owner, until: this.options.isShared ? this.timeAfter(LEASE_MS) : '' }
  }

  private timeAfter(ms: number): string {
    return new Date(this.options.clock() + ms).toISOString()
  }

  private providerOf(name: ProviderName): TranslationProvider {
    const given = this.options.providers[name]
    if (!given) return pseudoProvider
    return 'translate' in given ? given : createHttpProvider(name, given)
  }
}

/** `share` is the completed fraction of the texts that remained when this process started the job. */
function progressOf({ last, progress }: JobRecord, share: number): number {
  const done = last === undefined ? 0 : progress
  return Math.max(STARTED_PROGRESS, Math.min(0.99, done + (1 - done) * share))
}

function summaryOf({ texts, characters, tooLong }: JobCounts, { note = '' }: TranslationProvider): string {
  const summary = `translated ${texts} texts (chars: ${characters})`
  const leftOut = tooLong > 0 ? `${tooLong} left out: longer than their key allows` : ''
  return [summary, leftOut, note].filter((part) => part !== '').join('; ')
}

async function keepAll(
  { jobs }: Store,
  projectId: number,
  batch: readonly JobText[],
  translations: readonly string[],
  filter: JobTextFilter,
  before: JobCounts,
): Promise<JobCounts> {
  let { texts, characters, tooLong, last } = before
  for (const [i, task] of batch.entries()) {
    const text = translations[i] ?? ''
    if (!withinLimit(text, task.charactersLimit)) tooLong++
    else if (await jobs.setText(projectId, task, text, filter)) {
      texts++
      characters += task.source.length
    }
    last = task
  }
  return { texts, characters, tooLong, last }
}

const STARTED_PROGRESS = 0.01

async function toJob(
  { projects }: Store,
  { id: projectId }: ProjectRecord,
  request: StartJobRequest,
  now: string,
): Promise<JobRecord> {
  const languages = await projects.languages(projectId)
  for (const language of [request.targetProjectLanguage, request.sourceProjectLanguage]) {
    const isKnown = !language || languages.some(({ key }) => key === language)
    if (!isKnown) throw badRequest(languageNotFound(language).message)
  }
  return {
    id: randomUUID(),
    projectId,
    state: 'STARTED',
    progress: STARTED_PROGRESS,
    started: now,
    message: 'OK',
    request: {
      translationProvider: request.translationProvider,
      targetProjectLanguage: request.targetProjectLanguage,
      targetLanguage: request.targetLanguage,
      sourceProjectLanguage: request.sourceProjectLanguage || defaultLanguageOf(languages),
      sourceLanguage: request.sourceLanguage || undefined,
      options: [...new Set(request.options)],
      glossaryId: request.providerBGlossaryId || undefined,
      formality: request.providerBFormality,
    },
    needsKey: Boolean(request.providerBApiKey),
    texts: 0,
    characters: 0,
    tooLong: 0,
    last: undefined,
    takeovers: 0,
  }
}

/** Contract: a glossary needs a key and a source language, and its language pair must match the request. */
async function checkGlossary(
  { providerBGlossaryId: id, providerBApiKey: apiKey, translationProvider }: StartJobRequest,
  { request: { sourceLanguage, targetLanguage } }: JobRecord,
  provider: TranslationProvider,
  signal: AbortSignal,
): Promise<void> {
  if (!id) return
  if (translationProvider !== 'PROVIDER_B') throw badRequest('providerBGlossaryId works with PROVIDER_B only.')
  if (!apiKey) throw badRequest('providerBGlossaryId requires providerBApiKey.')
  if (!sourceLanguage) throw badRequest('providerBGlossaryId requires sourceLanguage.')
  const pair = await provider.glossary?.(id, { apiKey, signal }).catch((error) => {
    throw badRequest(redact(`The glossary cannot be read: ${messageOf(error)}`, apiKey))
  })
  if (!pair) return
  if (isSameLanguage(pair.sourceLanguage, sourceLanguage) && isSameLanguage(pair.targetLanguage, targetLanguage)) return
  const translates = `${pair.sourceLanguage} to ${pair.targetLanguage}`
  throw badRequest(`The glossary translates ${translates}, not ${sourceLanguage} to ${targetLanguage}.`)
}

/** A glossary for `EN` also applies to `EN-GB`. */
function isSameLanguage(glossary: string, request: string): boolean {
  const [wide, narrow] = [glossary.toLowerCase(), request.toLowerCase()]
  return wide === narrow || wide === narrow.split(/[-_]/)[0]
}

function redact(message: string, secret: string | undefined): string {
  return secret ? message.replaceAll(secret, '***') : message
}
