import * as z from 'zod'
import { parseEnvelope } from './answer.ts'
import type { Caller, CallOptions } from './call.ts'
import { type CreateProjectRequest, type Project, projectSchema } from './schemas.ts'

/** Contract: Projects. Personal token. */
export interface ProjectsApi {
  /**
   * Creates a project; it has one language. Never repeated after an answer that did not come, because names need not be unique:
   * the error then says `uncertain`, and `list()` shows whether the project is there.
   */
  create(request: CreateProjectRequest, options?: CallOptions): Promise<Project>
  /** Every project of the token's account, customers included. The answer holds API keys: do not print it. */
  list(options?: CallOptions): Promise<Project[]>
}

export function createProjects(caller: Caller): ProjectsApi {
  const path = 'api/v2/projects'
  return {
    async create(json, options) {
      const request = { method: 'POST', path, json, credential: 'personal', idempotent: false } as const
      return caller.api({ ...request, lookAt: '`projects.list()`', ...options }, (answer) =>
        parseEnvelope(answer, projectSchema),
      )
    },
    async list(options) {
      const request = { method: 'GET', path, credential: 'personal', idempotent: true } as const
      return await caller.api({ ...request, ...options }, (answer) => parseEnvelope(answer, z.array(projectSchema)))
    },
  }
}
