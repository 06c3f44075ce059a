/** Who may: a personal token for projects, a project's API key for all else (contract: Authentication). */
import { createMiddleware } from 'hono/factory'
import type { ServiceContext, ServiceEnv } from './context.ts'
import { HttpError } from './http-error.ts'

export function requirePersonalToken({ store }: ServiceContext) {
  return createMiddleware<ServiceEnv>(async (c, next) => {
    const token = c.req.header('authorization')
    if (!token) throw refused('Send the personal token in the header Authorization.')
    if (!store.projects.hasPersonalToken(token)) throw refused('The personal token is not valid.')
    await next()
  })
}

export function requireApiKey({ store, tokenHeader }: ServiceContext) {
  return createMiddleware<ServiceEnv>(async (c, next) => {
    const key = c.req.header(tokenHeader)
    if (!key) throw refused(`Send the project API key in the header ${tokenHeader}.`)
    const project = store.projects.byApiKey(key)
    if (!project) throw refused('The project API key is not valid.')
    c.set('project', project)
    await next()
  })
}

function refused(message: string): HttpError {
  return new HttpError(403, 'CREDENTIALS', message)
}
