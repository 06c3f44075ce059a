import { pathSegment } from './address.ts'
import type { Caller, CallOptions } from './call.ts'
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
