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

/** The contract's "Projects" section. Requires a personal token. */
export interface ProjectsApi {
  /**
   * Creates a project with one language. The request is not retried if its response is lost, because names are not
   * unique: the error is then `uncertain`, and `list()` shows whether the project exists.
   */
  create(request: CreateProjectRequest, options?: CallOptions): Promise<Project>
  /** All of the account's projects, with their customers. The response contains API keys: do not print it. */
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

/**
 * The project that the API key belongs to. The contract does not have this endpoint, so a service may lack it: do not
 * depend on it.
 */
export interface ProjectApi {
  /** The service's information about the project; `undefined` if the service has no such endpoint. */
  info(options?: CallOptions): Promise<ProjectInfo | undefined>
}

export function createProject(caller: Caller): ProjectApi {
  return {
    info: (options) => ifFound(caller.data({ method: 'GET', path: 'api/v2/project', ...options }, projectInfoSchema)),
  }
}
