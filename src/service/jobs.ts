/** Auto-translate jobs: in the background, batch by batch, on disk after each. */
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StartJobRequest } from '../api/schemas.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { badRequest, HttpError } from './http-error.ts'
import { withinLimit } from './limits.ts'
import { createHttpProvider, ProviderError } from './providers/http.ts'
import { pseudoProvider } from './providers/pseudo.ts'
import type { ProviderName, ProviderOptions, TranslationProvider } from './providers/types.ts'
import type { Publisher } from './publishing.ts'
import type { JobRecord } from './store/jobs.ts'
import { LATEST, type ProjectRecord } from './store/projects.ts'
import type { Store } from './store/store.ts'

const BATCH = 50
const STARTED_PROGRESS = 0.01

export interface JobRunner {
  /** Checks the request, keeps the job and starts it. */
  start(project: ProjectRecord, request: StartJobRequest): Promise<JobRecord>
  /** Goes on with what the last run left unfinished. */
  resume(): void
  /** Stops all; what is unfinished goes on at the next start. */
  close(): Promise<void>
}

export interface JobRunnerOptions {
  readonly store: Store
  readonly publisher: Publisher
  readonly providers: ProviderOptions
  readonly now: () => string
  readonly logger: Logger
}

export function createJobRunner({ store, publisher, providers, now, logger }: JobRunnerOptions): JobRunner {
  const stop = new AbortController()
  const running = new Set<Promise<void>>()

  const providerOf = (name: ProviderName): TranslationProvider => {
    const given = providers[name]
    if (!given) return pseudoProvider
    return 'translate' in given ? given : createHttpProvider(name, given)
  }

  /** `apiKey` lives in this call alone and goes with it. */
  const run = async (job: JobRecord, apiKey: string | undefined): Promise<void> => {
    const { request, projectId } = job
    const provider = providerOf(request.translationProvider)
    const replaceAll = request.options.includes('FORCE_REPLACE')
    const tasks = store.jobTexts(projectId, {
      source: request.sourceProjectLanguage,
      target: request.targetProjectLanguage,
      useKeys: request.options.includes('USE_TRANSLATION_KEYS'),
      replaceAll,
    })
    // What replaces everything starts over after a restart; what fills gaps finds those that are left.
    const state = { texts: replaceAll ? 0 : job.texts, characters: replaceAll ? 0 : job.characters }
    let tooLong = 0
    store.jobs.update(job.id, { state: 'RUNNING', progress: STARTED_PROGRESS, message: 'OK', ...state })
    for (let i = 0; i < tasks.length; i += BATCH) {
      const batch = tasks.slice(i, i + BATCH)
      const texts = await provider.translate(
        batch.map(({ source }) => source),
        {
          sourceLanguage: request.sourceLanguage,
          targetLanguage: request.targetLanguage,
          glossaryId: request.glossaryId,
          formality: request.formality,
          apiKey,
          signal: stop.signal,
        },
      )
      if (stop.signal.aborted) return
      if (texts.length !== batch.length) throw new ProviderError('The provider did not answer one text for each.')
      store.database.transaction(() => {
        for (const [n, task] of batch.entries()) {
          const text = texts[n] ?? ''
          if (!withinLimit(text, task.charactersLimit)) {
            tooLong++
            continue
          }
          if (!store.setJobText(projectId, task.keyId, request.targetProjectLanguage, text, replaceAll)) continue
          state.texts++
          state.characters += task.source.length
        }
        const progress = Math.max(STARTED_PROGRESS, Math.min(0.99, (i + batch.length) / tasks.length))
        store.jobs.update(job.id, { state: 'RUNNING', progress, message: 'OK', ...state })
      })
      await nextTurn()
      if (stop.signal.aborted) return
    }
    if (request.options.includes('AUTO_PUBLISH')) await publishLatest(projectId)
    if (stop.signal.aborted) return
    const notes = [tooLong > 0 ? `${tooLong} left out: longer than their key allows` : undefined, provider.note].filter(
      (note) => note !== undefined,
    )
    const summary = `translated ${state.texts} texts (chars: ${state.characters})`
    store.jobs.update(job.id, {
      state: 'SUCCESS',
      progress: 1,
      message: [summary, ...notes].join('; '),
      ...state,
    })
  }

  const publishLatest = async (projectId: number): Promise<void> => {
    const project = store.projects.all().find(({ id }) => id === projectId)
    while (project && !stop.signal.aborted) {
      await publisher.settled(projectId)
      try {
        return await publisher.publish(project, LATEST)
      } catch (error) {
        if (!(error instanceof HttpError && error.code === 'PUBLISH_RUNNING')) throw error
      }
    }
  }

  const launch = (job: JobRecord, apiKey?: string) => {
    const work = nextTurn()
      .then(() => (stop.signal.aborted ? undefined : run(job, apiKey)))
      .catch((error) => {
        if (stop.signal.aborted) return
        const said = error instanceof ProviderError || error instanceof HttpError ? error.message : undefined
        const message = redact(said ?? `The translation failed: ${messageOf(error)}`, apiKey)
        logger.warn(`auto-translate job ${job.id} failed: ${message}`)
        const { texts, characters } = store.jobs.get(job.projectId, job.id) ?? job
        store.jobs.update(job.id, { state: 'FAILED', progress: 1, message, texts, characters })
      })
      // The store takes no writes, on a full disk: the job goes on at the next start.
      .catch((error) => logger.error(`auto-translate job ${job.id} cannot be kept: ${messageOf(error)}`))
      .finally(() => running.delete(work))
    running.add(work)
  }

  return {
    async start(project, request) {
      const job = toJob(store, project, request, now)
      await checkGlossary(request, job, providerOf(request.translationProvider), stop.signal)
      store.jobs.add(job)
      launch(job, request.providerBApiKey)
      return job
    },

    resume() {
      for (const job of store.jobs.unfinished()) {
        const real = providers[job.request.translationProvider] !== undefined
        if (job.needsKey && real) {
          const { texts, characters } = job
          const message = 'The service was restarted, and the key that came with the job is not kept: start it again.'
          store.jobs.update(job.id, { state: 'FAILED', progress: 1, message, texts, characters })
        } else launch(job)
      }
    },

    async close() {
      stop.abort(new Error('the service is closing'))
      await Promise.allSettled(running)
    },
  }
}

function toJob(store: Store, project: ProjectRecord, request: StartJobRequest, now: () => string): JobRecord {
  for (const language of [request.targetProjectLanguage, request.sourceProjectLanguage]) {
    if (language && !store.projects.hasLanguage(project.id, language)) {
      throw badRequest(`Language ${JSON.stringify(language)} does not exist in the project.`)
    }
  }
  return {
    id: randomUUID(),
    projectId: project.id,
    state: 'STARTED',
    progress: STARTED_PROGRESS,
    started: now(),
    message: 'OK',
    request: {
      translationProvider: request.translationProvider,
      targetProjectLanguage: request.targetProjectLanguage,
      targetLanguage: request.targetLanguage,
      sourceProjectLanguage: request.sourceProjectLanguage || store.projects.defaultLanguage(project.id),
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

/** The contract: a glossary needs a key and a source language, and its language pair must be the request's. */
async function checkGlossary(
  { providerBGlossaryId: id, providerBApiKey: apiKey, translationProvider }: StartJobRequest,
  { request }: JobRecord,
  provider: TranslationProvider,
  signal: AbortSignal,
): Promise<void> {
  if (!id) return
  if (translationProvider !== 'PROVIDER_B') throw badRequest('providerBGlossaryId works with PROVIDER_B only.')
  if (!apiKey) throw badRequest('providerBGlossaryId requires providerBApiKey.')
  if (!request.sourceLanguage) throw badRequest('providerBGlossaryId requires sourceLanguage.')
  if (!provider.glossary) return
  let pair: { sourceLanguage: string; targetLanguage: string }
  try {
    pair = await provider.glossary(id, { apiKey, signal })
  } catch (error) {
    throw badRequest(redact(`The glossary cannot be read: ${messageOf(error)}`, apiKey))
  }
  if (
    !sameLanguage(pair.sourceLanguage, request.sourceLanguage) ||
    !sameLanguage(pair.targetLanguage, request.targetLanguage)
  ) {
    throw badRequest(
      `The glossary translates ${pair.sourceLanguage} to ${pair.targetLanguage}, not ${request.sourceLanguage} to ${request.targetLanguage}.`,
    )
  }
}

/** Glossaries are made for languages, not for regions: `EN` is meant for `EN-GB` too. */
function sameLanguage(glossary: string, request: string): boolean {
  const [wide, narrow] = [glossary.toLowerCase(), request.toLowerCase()]
  return wide === narrow || wide === narrow.split(/[-_]/)[0]
}

function redact(message: string, secret: string | undefined): string {
  return secret ? message.replaceAll(secret, '***') : message
}
