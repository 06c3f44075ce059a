import type { Caller, CallOptions } from './call.ts'
import { ifFound } from './errors.ts'
import { type ProjectInfo, projectInfoSchema } from './schemas.ts'

/** The project the API key belongs to. Not in the contract: probe, never depend on it. */
export interface ProjectApi {
  /** The service's description of the project; `undefined` where it has no such endpoint. */
  info(options?: CallOptions): Promise<ProjectInfo | undefined>
}

export function createProject(caller: Caller): ProjectApi {
  return {
    info: (options) => ifFound(caller.data({ method: 'GET', path: 'api/v2/project', ...options }, projectInfoSchema)),
  }
}
