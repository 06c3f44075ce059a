import { setTimeout as sleep } from 'node:timers/promises'
import { LocalizationError } from '../errors.ts'
import { pathSegment } from './address.ts'
import type { Caller, CallOptions } from './call.ts'
import { ifFound, isApiError } from './errors.ts'
import type { FailureDetails } from './failure.ts'
import { type EnvironmentStatus, environmentStatusSchema } from './schemas.ts'

/** Contract: Publishing and environments. Project API key. */
export interface EnvironmentsApi {
  /**
   * Publishes to `_latest`, `_production` or a custom environment. Takes its time: raise `timeoutMs` for a large
   * project; at most once a minute is recommended. Never
   * repeated after an answer that did not come; `status()` then shows when the environment was last published.
   * @throws ApiError `API_CONFLICT` while another publish runs, `API_PLAN` on an unpaid plan.
   */
  publish(environment: string, options?: CallOptions): Promise<void>
  /** Counts, time of publishing, and the resources to download. */
  status(environment: string, options?: CallOptions): Promise<EnvironmentStatus>
}

export function createEnvironments(caller: Caller): EnvironmentsApi {
  const pathOf = (environment: string) => `api/v2/environments/${pathSegment(environment, 'the key of an environment')}`
  return {
    async publish(environment, options) {
      const path = `${pathOf(environment)}/publish`
      const lookAt = '`environments.status()`'
      await caller.send({ method: 'POST', path, lookAt, codeOf: publishCode, ...options })
    },
    async status(environment, options) {
      return caller.data({ method: 'GET', path: pathOf(environment), ...options }, environmentStatusSchema)
    },
  }
}

/** Some services answer 400 while another publish runs. */
function publishCode({ code, status, serviceMessage = '' }: FailureDetails) {
  const isRunning = /running|in progress|already|concurrent|another publish/i.test(serviceMessage)
  return status === 400 && isRunning ? 'API_CONFLICT' : code
}

export interface PublishOptions {
  /** How long another publish is waited for. */
  readonly waitMs: number
  /** Total time of one call. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called once, when another publish is in the way. */
  readonly onWait?: (() => void) | undefined
}

/** Between two attempts while another publish runs. */
const RETRY_MS = 2000
const LEAST_TIMEOUT_MS = 120_000

/** @throws `API_CONFLICT` when the other publish does not end, `API_UNEXPECTED_ANSWER` when no result shows. */
export async function publishChecked(
  environments: EnvironmentsApi,
  environment: string,
  { waitMs, timeoutMs, signal, onWait }: PublishOptions,
): Promise<EnvironmentStatus> {
  const until = performance.now() + waitMs
  const before = await statusOf(environments, environment)
  let hasReported = false
  for (;;) {
    let lost: unknown
    try {
      await environments.publish(environment, { timeoutMs: Math.max(timeoutMs, LEAST_TIMEOUT_MS), signal })
    } catch (error) {
      if (isApiError(error, 'API_CONFLICT')) {
        if (performance.now() >= until) throw error
        if (!hasReported) onWait?.()
        hasReported = true
        await sleep(RETRY_MS, undefined, { signal })
        continue
      }
      // No answer came: the status shows whether it was published all the same.
      if (signal.aborted || !isApiError(error) || !error.uncertain) throw error
      lost = error
    }
    const status = await statusOf(environments, environment)
    if (status && status.createdAt !== before?.createdAt) return status
    if (lost !== undefined) throw lost
    const found = status ? `still that of ${status.createdAt}` : 'missing'
    throw new LocalizationError(`${environment} was published, says the service, but its status is ${found}`, {
      code: 'API_UNEXPECTED_ANSWER',
      hint: `Look with \`localization environment ${environment}\`, then publish again.`,
    })
  }
}

/** `undefined`: nothing was published there yet, or there is no such environment. Publishing shows which. */
export function statusOf(environments: EnvironmentsApi, environment: string): Promise<EnvironmentStatus | undefined> {
  return ifFound(environments.status(environment))
}
