/** Credentials: a personal token for projects, a project's API key for everything else (contract: Authentication). */
import type { ServiceContext, ServiceRequest } from './context.ts'
import { HttpError } from './http-error.ts'
import type { ProjectRecord } from './store/projects.ts'

export async function checkPersonalToken({ store }: ServiceContext, c: ServiceRequest): Promise<void> {
  const token = c.req.header('authorization')
  if (!token) throw refused('Send the personal token in the header Authorization.')
  if (!(await store.projects.hasPersonalToken(token))) throw refused('The personal token is not valid.')
}

/** The project of the request's API key. */
export async function authorizedProject(
  { store, tokenHeader }: ServiceContext,
  c: ServiceRequest,
): Promise<ProjectRecord> {
  const key = c.req.header(tokenHeader)
  if (!key) throw refused(`Send the project API key in the header ${tokenHeader}.`)
  const project = await store.projects.byApiKey(key)
  if (!project) throw refused('The project API key is not valid.')
  return project
}

function refused(message: string): HttpError {
  return new HttpError(403, 'CREDENTIALS', message)
}
