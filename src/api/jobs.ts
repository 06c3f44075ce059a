import * as z from 'zod'
import { createDeadline } from '../shared/clock.ts'
import { grouped } from '../shared/figures.ts'
import { fromServiceNames, toServiceNames } from '../shared/service-names.ts'
import { pathSegment } from './address.ts'
import type { Caller, CallOptions } from './call.ts'
import type { CheckedClient } from './client-options.ts'
import { ApiError, type ApiErrorCode, type ApiErrorOptions, isApiError } from './errors.ts'
import { excerpt } from './redact.ts'
import { type Job, jobSchema, type StartJobRequest } from './schemas.ts'

export interface WaitOptions extends CallOptions {
  /** Called when the job's state or progress has changed. */
  readonly onProgress?: ((job: Job) => void) | undefined
  /** The total time to wait, in milliseconds. Default 30 minutes. */
  readonly timeoutMs?: number | undefined
  /** The maximum time in an unknown state without progress, in milliseconds. Default 60,000. */
  readonly stallMs?: number | undefined
  /** The time between two checks, in milliseconds. Default 1,000. */
  readonly intervalMs?: number | undefined
}

/** The contract's "Auto-translate jobs" section. Requires the project API key. */
export interface JobsApi {
  /**
   * Starts a job (state `STARTED`). A glossary requires `providerBApiKey` and `sourceLanguage`, and its languages must
   * match the request; otherwise the error is `API_VALIDATION`. The request is not retried if its response is lost:
   * `list()` then shows whether the job is running. `providerBApiKey` never appears in errors.
   */
  startAutoTranslate(request: StartJobRequest, options?: CallOptions): Promise<Job>
  /** All of the project's jobs, with their metadata. */
  list(options?: CallOptions): Promise<Job[]>
  /** A job's state, progress and metadata. @throws ApiError `API_NOT_FOUND` for an unknown ID. */
  get(jobId: string, options?: CallOptions): Promise<Job>
  /**
   * Polls a job until it has ended. Returns the job if it succeeded.
   * @throws JobError `API_JOB_FAILED` if the job failed; `API_TIMEOUT` if the time is up or the job stays in an unknown
   * state.
   */
  wait(jobId: string, options?: WaitOptions): Promise<Job>
}

/** The error for a job that did not succeed, with its last known state. */
export class JobError extends ApiError {
  override readonly name = 'JobError'
  /** The job. Not enumerable, so that printing the error does not print arbitrary data from the service. */
  declare readonly job: Job | undefined
  constructor(message: string, options: ApiErrorOptions & { job: Job | undefined }) {
    super(message, options)
    Object.defineProperty(this, 'job', { value: options.job, enumerable: false })
  }
}

const RUNNING: ReadonlySet<string> = new Set(['STARTED', 'RUNNING'])
const FAILED: ReadonlySet<string> = new Set(['FAILED', 'FAILURE', 'ERROR', 'CANCELLED', 'CANCELED', 'ABORTED'])

export function createJobs(caller: Caller): JobsApi {
  const { names } = caller.options
  const inContract = (job: Job): Job => ({
    ...job,
    ...(job.metadata && { metadata: fromServiceNames(job.metadata, names) }),
  })
  const get: JobsApi['get'] = async (jobId, options) => {
    const path = `api/v1/jobs/${pathSegment(jobId, 'a job ID')}`
    return inContract(await caller.data({ method: 'GET', path, ...options }, jobSchema))
  }
  return {
    get,
    startAutoTranslate: async (json, options) => {
      const job = await caller.data(
        {
          method: 'POST',
          path: 'api/v1/jobs/auto-translate',
          json: toServiceNames(json, names),
          lookAt: '`jobs.list()`',
          secrets: json.providerBApiKey === undefined ? [] : [json.providerBApiKey],
          ...options,
        },
        jobSchema,
      )
      return inContract(job)
    },
    list: async (options) =>
      (await caller.data({ method: 'GET', path: 'api/v1/jobs', ...options }, z.array(jobSchema))).map(inContract),
    wait: (jobId, options = {}) => waitForJob(caller.options, get, jobId, options),
  }
}

async function waitForJob(
  { clock, signals, timeoutMs: callMs, secrets }: CheckedClient,
  get: JobsApi['get'],
  jobId: string,
  { onProgress, timeoutMs = 30 * 60_000, stallMs = 60_000, intervalMs = 1000, signal }: WaitOptions,
): Promise<Job> {
  const endsAt = clock.now() + timeoutMs
  const ending = createDeadline([...signals, signal])
  let job: Job | undefined
  let seen: string | undefined
  let changedAt = clock.now()
  const fail = (code: ApiErrorCode, message: string) => jobError(code, message, jobId, job)
  const timeout = () => fail('API_TIMEOUT', `did not finish within ${grouped(timeoutMs)} ms`)
  try {
    for (;;) {
      const remainingMs = endsAt - clock.now()
      if (remainingMs <= 0) throw timeout()
      job = await get(jobId, { signal, timeoutMs: Math.min(callMs, remainingMs) })
      const found = JSON.stringify([job.state, job.progress])
      if (found !== seen) {
        seen = found
        changedAt = clock.now()
        onProgress?.(job)
      }
      const state = job.state.toUpperCase()
      if (state === 'SUCCESS') return job
      if (FAILED.has(state)) {
        throw fail('API_JOB_FAILED', `failed: ${excerpt(job.message ?? '', secrets) || 'no reason given'}`)
      }
      if (!RUNNING.has(state) && clock.now() - changedAt >= stallMs)
        throw fail('API_TIMEOUT', 'is stuck in an unknown state')
      await clock.sleep(Math.min(intervalMs, Math.max(0, endsAt - clock.now())), ending.signal)
    }
  } catch (thrown) {
    if (isApiError(thrown, 'API_TIMEOUT') && clock.now() >= endsAt && !(thrown instanceof JobError)) throw timeout()
    if (thrown instanceof ApiError || !ending.signal.aborted) throw thrown
    throw fail('API_ABORTED', 'may still be running: the wait was aborted')
  } finally {
    ending.clear()
  }
}

function jobError(code: ApiErrorCode, message: string, jobId: string, job: Job | undefined): JobError {
  const at = job === undefined ? '' : ` (state ${excerpt(job.state, [])}, ${Math.round(job.progress * 100)}%)`
  return new JobError(`job ${jobId} ${message}${at}`, {
    code,
    method: 'GET',
    address: `api/v1/jobs/${jobId}`,
    hint: code === 'API_TIMEOUT' ? 'It may still be running. Check it with `jobs.get()`, or wait longer.' : undefined,
    job,
  })
}

/** The provider's code for a language: `pt-BR` for provider A, `PT-BR` for provider B. */
export function providerCode(language: string, provider: 'PROVIDER_A' | 'PROVIDER_B'): string {
  const code = language.replaceAll('_', '-')
  return provider === 'PROVIDER_B' ? code.toUpperCase() : code
}
