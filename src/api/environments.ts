import { setTimeout as sleep } from 'node:timers/promises'
import { LocalizationError } from '../errors.ts'
import { pathSegment } from './address.ts'
import type { Caller, CallOptions } from './call.ts'
import { ifFound, isApiError } from './errors.ts'
import type { FailureDetails } from './failure.ts'
import { type EnvironmentStatus, environmentStatusSchema } from './schemas.ts'

/** The contract's "Publishing and environments" section. Requires the project API key. */
export interface EnvironmentsApi {
  /**
   * Publishes to `_latest`, `_production` or a custom environment. Publishing a large project takes long, so raise
   * `timeoutMs` for it. Publish at most once per minute. The request is not retried if its response is lost: check
   * `status()` for the time of the last publish.
   * @throws ApiError `API_CONFLICT` while another publish is running, `API_PLAN` if the plan is unpaid.
   */
  publish(environment: string, options?: CallOptions): Promise<void>
  /** An environment's counts, last publish time and resources. */
  status(environment: string, options?: CallOptions): Promise<EnvironmentStatus>
}

export function createEnvironments(caller: Caller): EnvironmentsApi {
  const pathOf = (environment: string) => `api/v2/environments/${pathSegment(environment, 'an environment key')}`
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

/** The error code of a failed publish. Some services return 400 while another publish is running. */
function publishCode({ code, status, serviceMessage = '' }: FailureDetails) {
  const isRunning = /running|in progress|already|concurrent|another publish/i.test(serviceMessage)
  return status === 400 && isRunning ? 'API_CONFLICT' : code
}

export interface PublishOptions {
  /** The maximum time to wait for another publish to finish. */
  readonly waitMs: number
  /** The time limit for each call including retries. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called once if another publish is running. */
  readonly onWait?: (() => void) | undefined
}

const RETRY_MS = 2000
const MIN_TIMEOUT_MS = 120_000

/**
 * Publishes, and confirms the result with the environment's status.
 * @throws `API_CONFLICT` if another publish is running and does not finish in time, `API_UNEXPECTED_ANSWER` if the
 * status does not change.
 */
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
      await environments.publish(environment, { timeoutMs: Math.max(timeoutMs, MIN_TIMEOUT_MS), signal })
    } catch (error) {
      if (isApiError(error, 'API_CONFLICT')) {
        if (performance.now() >= until) throw error
        if (!hasReported) onWait?.()
        hasReported = true
        await sleep(RETRY_MS, undefined, { signal })
        continue
      }
      // The response was lost, but the status tells whether the publish succeeded.
      if (signal.aborted || !isApiError(error) || !error.uncertain) throw error
      lost = error
    }
    const status = await statusOf(environments, environment)
    if (status && status.createdAt !== before?.createdAt) return status
    if (lost !== undefined) throw lost
    const found = status ? `still from ${status.createdAt}` : 'missing'
    throw new LocalizationError(`the service published ${environment}, but its status is ${found}`, {
      code: 'API_UNEXPECTED_ANSWER',
      hint: `Check it with \`localization environment ${environment}\`, then publish again.`,
    })
  }
}

/**
 * The status; `undefined` if nothing was published or if the environment does not exist. Only a publish request shows
 * which of the two is true.
 */
export function statusOf(environments: EnvironmentsApi, environment: string): Promise<EnvironmentStatus | undefined> {
  return ifFound(environments.status(environment))
}
