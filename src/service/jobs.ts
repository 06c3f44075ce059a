/** Auto-translate jobs: in the background, batch by batch, on disk after each. */
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StartJobRequest } from '../api/schemas.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { badRequest, HttpError, languageNotFound } from './http-error.ts'
import { withinLimit } from './limits.ts'
import { createHttpProvider, ProviderError } from './providers/http.ts'
import { pseudoProvider } from './providers/pseudo.ts'
import type { ProviderName, ProviderOptions, TranslationProvider } from './providers/types.ts'
import type { Publisher } from './publishing.ts'
import type { JobRecord, JobText, JobTextFilter } from './store/jobs.ts'
import { LATEST, type ProjectRecord } from './store/projects.ts'
import type { Store } from './store/store.ts'

const BATCH = 50
const STARTED_PROGRESS = 0.01

export interface JobRunnerOptions {
  readonly store: Store
  readonly publisher: Publisher
  readonly providers: ProviderOptions
  readonly now: () => string
  readonly logger: Logger
}

/** The counts of a job that runs. */
interface JobCounts {
  texts: number
  characters: number
  /** Translations that are longer than their key allows. */
  tooLong: number
}

export class JobRunner {
  private readonly stop = new AbortController()
  private readonly running = new Set<Promise<void>>()

  constructor(private readonly options: JobRunnerOptions) {}

  /** Checks the request, keeps the job and starts it. */
  async start(project: ProjectRecord, request: StartJobRequest): Promise<JobRecord> {
    const job = this.toJob(project, request)
    await checkGlossary(request, job, this.providerOf(request.translationProvider), this.stop.signal)
    this.options.store.jobs.add(job)
    this.launch(job, request.providerBApiKey)
    return job
  }

  /** Continues the jobs that the last run left unfinished. */
  resume(): void {
    for (const job of this.options.store.jobs.unfinished()) {
      if (job.needsKey && this.options.providers[job.request.translationProvider] !== undefined) {
        this.fail(job, 'The service was restarted, and the key that came with the job is not kept: start it again.')
      } else this.launch(job)
    }
  }

  /** Stops all jobs. Unfinished ones continue at the next start. */
  async close(): Promise<void> {
    this.stop.abort(new Error('the service is closing'))
    await Promise.allSettled(this.running)
  }

  /** `apiKey` lives in this call alone and goes with it. */
  private launch(job: JobRecord, apiKey?: string): void {
    const { logger } = this.options
    const work = nextTurn()
      .then(() => this.run(job, apiKey))
      .catch((error) => {
        if (this.stop.signal.aborted) return
        const isKnown = error instanceof ProviderError || error instanceof HttpError
        const message = redact(isKnown ? error.message : `The translation failed: ${messageOf(error)}`, apiKey)
        logger.warn(`auto-translate job ${job.id} failed: ${message}`)
        this.fail(job, message)
      })
      // The store takes no writes, on a full disk: the job continues at the next start.
      .catch((error) => logger.error(`auto-translate job ${job.id} cannot be kept: ${messageOf(error)}`))
      .finally(() => this.running.delete(work))
    this.running.add(work)
  }

  private async run(job: JobRecord, apiKey: string | undefined): Promise<void> {
    const { store, publisher } = this.options
    const { request, projectId } = job
    const { sourceLanguage, targetLanguage, glossaryId, formality } = request
    const { signal } = this.stop
    if (signal.aborted) return
    const provider = this.providerOf(request.translationProvider)
    const filter: JobTextFilter = {
      source: request.sourceProjectLanguage,
      target: request.targetProjectLanguage,
      useKeys: request.options.includes('USE_TRANSLATION_KEYS'),
      replaceAll: request.options.includes('FORCE_REPLACE'),
    }
    const tasks = store.jobs.texts(projectId, filter)
    // A job that replaces everything starts over after a restart; one that fills gaps finds the gaps that are left.
    const { texts, characters } = filter.replaceAll ? { texts: 0, characters: 0 } : job
    const counts: JobCounts = { texts, characters, tooLong: 0 }
    this.note(job, counts, STARTED_PROGRESS)
    for (let i = 0; i < tasks.length; i += BATCH) {
      const batch = tasks.slice(i, i + BATCH)
      const sources = batch.map(({ source }) => source)
      const options = { sourceLanguage, targetLanguage, glossaryId, formality, apiKey, signal }
      const translations = await provider.translate(sources, options)
      if (signal.aborted) return
      if (translations.length !== batch.length) {
        throw new ProviderError(`${request.translationProvider} did not answer one text for each.`)
      }
      store.database.transaction(() => {
        for (const [n, task] of batch.entries()) this.keep(projectId, task, translations[n] ?? '', filter, counts)
        this.note(job, counts, Math.min(0.99, (i + batch.length) / tasks.length))
      })
      await nextTurn()
      if (signal.aborted) return
    }
    const project = store.projects.all().find(({ id }) => id === projectId)
    if (project && request.options.includes('AUTO_PUBLISH')) await publisher.publishWhenFree(project, LATEST, signal)
    if (signal.aborted) return
    const summary = `translated ${counts.texts} texts (chars: ${counts.characters})`
    const tooLong = counts.tooLong > 0 ? `${counts.tooLong} left out: longer than their key allows` : ''
    const message = [summary, tooLong, provider.note ?? ''].filter((part) => part !== '').join('; ')
    store.jobs.update(job.id, { state: 'SUCCESS', progress: 1, message, ...counts })
  }

  private keep(projectId: number, task: JobText, text: string, filter: JobTextFilter, counts: JobCounts): void {
    if (!withinLimit(text, task.charactersLimit)) counts.tooLong++
    else if (this.options.store.jobs.setText(projectId, task.keyId, text, filter)) {
      counts.texts++
      counts.characters += task.source.length
    }
  }

  private note(job: JobRecord, counts: JobCounts, progress: number): void {
    const state = { state: 'RUNNING', message: 'OK', progress: Math.max(STARTED_PROGRESS, progress) } as const
    this.options.store.jobs.update(job.id, { ...state, ...counts })
  }

  private fail(job: JobRecord, message: string): void {
    const { jobs } = this.options.store
    const { texts, characters } = jobs.get(job.projectId, job.id) ?? job
    jobs.update(job.id, { state: 'FAILED', progress: 1, message, texts, characters })
  }

  private providerOf(name: ProviderName): TranslationProvider {
    const given = this.options.providers[name]
    if (!given) return pseudoProvider
    return 'translate' in given ? given : createHttpProvider(name, given)
  }

  private toJob(project: ProjectRecord, request: StartJobRequest): JobRecord {
    const { projects } = this.options.store
    for (const language of [request.targetProjectLanguage, request.sourceProjectLanguage]) {
      if (language && !projects.hasLanguage(project.id, language)) throw badRequest(languageNotFound(language).message)
    }
    return {
      id: randomUUID(),
      projectId: project.id,
      state: 'STARTED',
      progress: STARTED_PROGRESS,
      started: this.options.now(),
      message: 'OK',
      request: {
        translationProvider: request.translationProvider,
        targetProjectLanguage: request.targetProjectLanguage,
        targetLanguage: request.targetLanguage,
        sourceProjectLanguage: request.sourceProjectLanguage || projects.defaultLanguage(project.id),
        sourceLanguage: request.sourceLanguage || undefined,
        options: [...new Set(request.options)],
        glossaryId: request.providerBGlossaryId || undefined,
        formality: request.providerBFormality,
      },
      needsKey: Boolean(request.providerBApiKey),
      texts: 0,
      characters: 0,
    }
  }
}

/** The contract: a glossary needs a key and a source language, and its language pair must be the request's. */
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

/** Glossaries are made for languages, not for regions: `EN` is meant for `EN-GB` too. */
function isSameLanguage(glossary: string, request: string): boolean {
  const [wide, narrow] = [glossary.toLowerCase(), request.toLowerCase()]
  return wide === narrow || wide === narrow.split(/[-_]/)[0]
}

function redact(message: string, secret: string | undefined): string {
  return secret ? message.replaceAll(secret, '***') : message
}
