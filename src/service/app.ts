/** All routes in one app, and what every answer has in common. */
import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import type { Logger } from '../logger.ts'
import { CONDITIONAL_WRITES } from './conditions.ts'
import type { ServiceApp, ServiceContext, ServiceEnv, ServiceRequest } from './context.ts'
import { errorBody, HttpError, storageFull } from './http-error.ts'
import type { RateLimiter } from './rate-limit.ts'
import { addDescriptionRoutes } from './routes/description.ts'
import { addEnvironmentRoutes } from './routes/environments.ts'
import { createFileApp } from './routes/files.ts'
import { addHostingRoutes } from './routes/hosting.ts'
import { addJobRoutes } from './routes/jobs.ts'
import { addKeyRoutes } from './routes/keys.ts'
import { addProjectRoutes } from './routes/projects.ts'
import { addTransferRoutes } from './routes/transfer.ts'
import { addTranslationRoutes } from './routes/translations.ts'
import { isDiskFull } from './store/full-disk.ts'

export interface AppOptions {
  readonly context: ServiceContext
  readonly limit: RateLimiter
  readonly logger: Logger
  /** Where the data lies, if not in memory. */
  readonly dataFolder?: string | undefined
}

export function createApp({ context, limit, logger, dataFolder }: AppOptions): ServiceApp {
  const app = new Hono<ServiceEnv>()
  answerErrors(app, logger, dataFolder)
  if (context.features.conditionalWrites) {
    app.use('/api/*', async (c, next) => {
      await next()
      c.res.headers.set(...CONDITIONAL_WRITES)
    })
  }
  app.use('/api/*', async (c, next) => {
    limit(limitSubject(context, c))
    await next()
  })
  app.get('/health', (c) =>
    c.json({ status: 'UP', ...(context.instance !== undefined && { instance: context.instance }) }),
  )
  addProjectRoutes(app, context)
  addJobRoutes(app, context)
  addEnvironmentRoutes(app, context)
  addKeyRoutes(app, context)
  addTranslationRoutes(app, context)
  addTransferRoutes(app, context)
  addHostingRoutes(app, context)
  addDescriptionRoutes(app, context)
  app.route('/', createFileApp(context.files))
  return app
}

/** The error body of the facts paper for everything that is thrown or not found. */
export function answerErrors(app: Hono<ServiceEnv>, logger: Logger, dataFolder?: string): void {
  app.notFound((c) => {
    const error = new HttpError(404, 'NOT_FOUND', `There is no ${c.req.method} ${c.req.path} here.`)
    return c.json(errorBody(error, randomUUID()), 404)
  })
  app.onError((thrown, c) => {
    const traceId = randomUUID()
    const known = thrown instanceof HttpError ? thrown : isDiskFull(thrown, dataFolder) ? storageFull() : undefined
    if (!known) logger.error(`${c.req.method} ${c.req.path} failed (${traceId}): ${thrown.stack ?? thrown.message}`)
    const error = known ?? new HttpError(500, 'INTERNAL', 'The service failed. Its log says more.')
    return new Response(JSON.stringify(errorBody(error, traceId)), {
      status: error.status,
      headers: { 'content-type': 'application/json', ...error.details.headers },
    })
  })
}

/** Whose requests are counted together: a project's, those with a personal token, else those of an address. */
function limitSubject({ store, tokenHeader }: ServiceContext, c: ServiceRequest): string {
  const key = c.req.header(tokenHeader)
  const project = key ? store.projects.byApiKey(key) : undefined
  if (project) return `project ${project.id}`
  const token = c.req.header('authorization')
  if (token && store.projects.hasPersonalToken(token)) return 'account'
  return `address ${c.env.incoming.socket.remoteAddress ?? ''}`
}
