/** Contract: Authentication. The project endpoints require a personal token, and all others a project's API key. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ServiceContext, ServiceRequest } from './context.ts'
import { HttpError } from './http-error.ts'
import { isSameToken } from './store/credentials.ts'
import type { ProjectRecord } from './store/projects.ts'
import type { Store } from './store/store.ts'

/** `store` and `projectOf` belong to the service or to a transaction. */
export interface AuthContext extends Pick<ServiceContext, 'projectOf' | 'ownToken' | 'tokenHeader'> {
  readonly store: Store
}

export async function checkPersonalToken(context: AuthContext, c: ServiceRequest): Promise<void> {
  if (!c.req.header('authorization')) throw refused('Send the personal token in the Authorization header.')
  if (!(await hasPersonalToken(context, c))) throw refused('The personal token is not valid.')
}

export async function hasPersonalToken({ store, ownToken }: AuthContext, c: ServiceRequest): Promise<boolean> {
  const token = c.req.header('authorization')
  if (!token) return false
  return (ownToken !== undefined && isSameToken(ownToken, token)) || store.projects.hasPersonalToken(token)
}

export async function authorizedProject(
  { projectOf, tokenHeader }: AuthContext,
  c: ServiceRequest,
): Promise<ProjectRecord> {
  const key = c.req.header(tokenHeader)
  if (!key) throw refused(`Send the project API key in the ${tokenHeader} header.`)
  const project = await projectOf(key)
  if (!project) throw refused('The project API key is not valid.')
  return project
}

/**
 * Wraps `read`: all calls with the same `id` in one turn of the event loop share a read that begins after the last of
 * these calls.
 */
export function sharedRead<T>(read: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const next = new Map<string, Promise<T>>()
  const readNext = async (id: string) => {
    await nextTurn()
    next.delete(id)
    return read(id)
  }
  return (id) => {
    const found = next.get(id) ?? readNext(id)
    next.set(id, found)
    return found
  }
}

function refused(message: string): HttpError {
  return new HttpError(403, 'CREDENTIALS', message)
}
