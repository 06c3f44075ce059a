import * as z from 'zod'
import type { Caller, CallOptions } from './call.ts'
import { ifFound } from './errors.ts'
import {
  type CreateProjectRequest,
  type Project,
  type ProjectInfo,
  projectInfoSchema,
  projectSchema,
} from './schemas.ts'

/** Contract: Projects. Personal token. */
export interface ProjectsApi {
  /**
   * Creates a project; it has one language. Never repeated after an answer that did not come, because names need not be
   * unique: the error then says `uncertain`, and `list()` shows whether the project is there.
   */
  create(request: CreateProjectRequest, options?: CallOptions): Promise<Project>
  /** Every project of the token's account, customers included. The answer holds API keys: do not print it. */
  list(options?: CallOptions): Promise<Project[]>
}

export function createProjects(caller: Caller): ProjectsApi {
  const request = { path: 'api/v2/projects', credential: 'personal' } as const
  return {
    create: (json, options) =>
      caller.data({ method: 'POST', ...request, json, lookAt: '`projects.list()`', ...options }, projectSchema),
    list: (options) => caller.data({ method: 'GET', ...request, ...options }, z.array(projectSchema)),
  }
}

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
