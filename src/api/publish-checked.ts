/** Publishing until it is seen to be so: waits for another publish, and looks at the result. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LocalizationError } from '../errors.ts'
import type { EnvironmentsApi } from './environments.ts'
import { ifFound, isApiError } from './errors.ts'
import type { EnvironmentStatus } from './schemas.ts'

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
