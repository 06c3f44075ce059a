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
import { defaultLanguageOf, LATEST, type ProjectRecord } from './store/projects.ts'
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
    const job = await this.toJob(project, request)
    await checkGlossary(request, job, this.providerOf(request.translationProvider), this.stop.signal)
    await this.options.store.transaction((tx) => tx.jobs.add(job))
    this.launch(job, request.providerBApiKey)
    return job
  }

  /** Continues the jobs that the last run left unfinished. */
  async resume(): Promise<void> {
    for (const job of await this.options.store.jobs.unfinished()) {
      if (job.needsKey && this.options.providers[job.request.translationProvider] !== undefined) {
        await this.fail(
          job,
          'The service was restarted, and the key that came with the job is not kept: start it again.',
        )
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
      .catch(async (error) => {
        if (this.stop.signal.aborted) return
        const isKnown = error instanceof ProviderError || error instanceof HttpError
        const message = redact(isKnown ? error.message : `The translation failed: ${messageOf(error)}`, apiKey)
        logger.warn(`auto-translate job ${job.id} failed: ${message}`)
        await this.fail(job, message)
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
    const tasks = await store.jobs.texts(projectId, filter)
    // A job that replaces everything starts over after a restart; one that fills gaps finds the gaps that are left.
    const { texts, characters } = filter.replaceAll ? { texts: 0, characters: 0 } : job
    let counts: JobCounts = { texts, characters, tooLong: 0 }
    await store.transaction((tx) => note(tx, job, counts, STARTED_PROGRESS))
    for (let i = 0; i < tasks.length; i += BATCH) {
      // A provider that gets a signal which was given already may wait for it forever.
      if (signal.aborted) return
      const batch = tasks.slice(i, i + BATCH)
      const sources = batch.map(({ source }) => source)
      const options = { sourceLanguage, targetLanguage, glossaryId, formality, apiKey, signal }
      const translations = await provider.translate(sources, options)
      if (signal.aborted) return
      if (translations.length !== batch.length) {
        throw new ProviderError(`${request.translationProvider} did not answer one text for each.`)
      }
      const before = counts
      counts = await store.transaction(async (tx) => {
        const after = { ...before }
        await tx.projects.lock(projectId)
        for (const [n, task] of batch.entries()) await keep(tx, projectId, task, translations[n] ?? '', filter, after)
        await note(tx, job, after, Math.min(0.99, (i + batch.length) / tasks.length))
        return after
      })
      await nextTurn()
    }
    if (signal.aborted) return
    const project = await store.projects.get(projectId)
    if (project && request.options.includes('AUTO_PUBLISH')) await publisher.publishWhenFree(project, LATEST, signal)
    if (signal.aborted) return
    const summary = `translated ${counts.texts} texts (chars: ${counts.characters})`
    const tooLong = counts.tooLong > 0 ? `${counts.tooLong} left out: longer than their key allows` : ''
    const message = [summary, tooLong, provider.note ?? ''].filter((part) => part !== '').join('; ')
    await store.transaction((tx) => tx.jobs.update(job.id, { state: 'SUCCESS', progress: 1, message, ...counts }))
  }

  private async fail(job: JobRecord, message: string): Promise<void> {
    await this.options.store.transaction((tx) => tx.jobs.fail(job.id, message))
  }

  private providerOf(name: ProviderName): TranslationProvider {
    const given = this.options.providers[name]
    if (!given) return pseudoProvider
    return 'translate' in given ? given : createHttpProvider(name, given)
  }

  private async toJob(project: ProjectRecord, request: StartJobRequest): Promise<JobRecord> {
    const languages = await this.options.store.projects.languages(project.id)
    for (const language of [request.targetProjectLanguage, request.sourceProjectLanguage]) {
      const isKnown = !language || languages.some(({ key }) => key === language)
      if (!isKnown) throw badRequest(languageNotFound(language).message)
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
        sourceProjectLanguage: request.sourceProjectLanguage || defaultLanguageOf(languages),
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

async function keep(
  { jobs }: Store,
  projectId: number,
  task: JobText,
  text: string,
  filter: JobTextFilter,
  counts: JobCounts,
): Promise<void> {
  if (!withinLimit(text, task.charactersLimit)) counts.tooLong++
  else if (await jobs.setText(projectId, task, text, filter)) {
    counts.texts++
    counts.characters += task.source.length
  }
}

async function note({ jobs }: Store, job: JobRecord, counts: JobCounts, progress: number): Promise<void> {
  const state = { state: 'RUNNING', message: 'OK', progress: Math.max(STARTED_PROGRESS, progress) } as const
  await jobs.update(job.id, { ...state, ...counts })
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
