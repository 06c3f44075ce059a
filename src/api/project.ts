import { parseEnvelope } from './answer.ts'
import type { Caller, CallOptions } from './call.ts'
import { isApiError } from './errors.ts'
import { type ProjectInfo, projectInfoSchema } from './schemas.ts'

/** The project the API key belongs to. Not in the contract: probe, never depend on it. */
export interface ProjectApi {
  /** What the service tells about the project; `undefined` where it has no such endpoint. */
  info(options?: CallOptions): Promise<ProjectInfo | undefined>
}

export function createProject(caller: Caller): ProjectApi {
  return {
    async info(options) {
      const request = { method: 'GET', path: 'api/v2/project', credential: 'project', idempotent: true } as const
      try {
        return await caller.api({ ...request, ...options }, (answer) => parseEnvelope(answer, projectInfoSchema))
      } catch (thrown) {
        if (isApiError(thrown, 'API_NOT_FOUND')) return undefined
        throw thrown
      }
    },
  }
}
