import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { routePath } from 'hono/route'
import { messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { ServiceApp, ServiceContext, ServiceEnv, ServiceRequest } from './context.ts'
import { addEndpoint, CONDITIONAL_WRITES, hasPersonalToken, type NamedEndpoint } from './endpoint.ts'
import { errorBody, HttpError, storageFull } from './http-error.ts'
import { noteRequest } from './metrics.ts'
import { describeApi } from './openapi.ts'
import type { RateLimiter } from './rate-limit.ts'
import { credentialEndpoints } from './routes/credentials.ts'
import { addHostingRoutes, createFileApp } from './routes/hosting.ts'
import { jobEndpoints } from './routes/jobs.ts'
import { addOperationRoutes } from './routes/operations.ts'
import { environmentEndpoints, projectEndpoints } from './routes/projects.ts'
import { transferEndpoints } from './routes/transfer.ts'
import { keyEndpoints, translationEndpoints } from './routes/translations.ts'
import { isDiskFull } from './store/open.ts'

const ENDPOINTS: Readonly<Record<string, (context: ServiceContext) => readonly NamedEndpoint[]>> = {
  Projects: projectEndpoints,
  'Auto-translate jobs': jobEndpoints,
  'Publishing and environments': environmentEndpoints,
  'Translation keys': keyEndpoints,
  Translations: translationEndpoints,
  'Import and export': transferEndpoints,
}

/** `dataFolder` is `undefined` if the data is not in a folder. */
export function createApp(
  context: ServiceContext,
  limit: RateLimiter | undefined,
  logger: Logger,
  dataFolder: string | undefined,
): ServiceApp {
  const { features, tokenHeader } = context
  const app = new Hono<ServiceEnv>()
  answerErrors(app, logger, dataFolder)
  // Runs before the rate limit, so that 429 responses also announce conditional writes.
  app.use('/api/*', (c, next) => {
    if (features.conditionalWrites) c.env.outgoing.setHeader(...CONDITIONAL_WRITES)
    return next()
  })
  if (limit) {
    app.use('/api/*', async (c, next) => {
      await limit(await limitSubject(context, c))
      await next()
    })
  }
  addOperationRoutes(app, context)

  const endpoints = new Map<string, readonly NamedEndpoint[]>()
  for (const [tag, create] of Object.entries(ENDPOINTS)) {
    const available = create(context).filter(({ feature }) => feature === undefined || features[feature])
    for (const endpoint of available) addEndpoint(app, context, endpoint)
    endpoints.set(tag, available)
  }
  for (const endpoint of credentialEndpoints(context)) addEndpoint(app, context, endpoint)
  // Generated on first use, because generating it at startup makes startup about a quarter slower.
  let description: string | undefined
  app.get('/openapi.json', (c) => {
    description ??= JSON.stringify(describeApi(endpoints, features, tokenHeader))
    return c.body(description, 200, { 'content-type': 'application/json' })
  })
  // For users who open the service's URL in a browser.
  app.get('/', (c) => c.redirect('/__localization/'))
  addHostingRoutes(app, context)
  app.route('/', createFileApp(context.store))
  return app
}

/** Turns every thrown error and every unknown path into an error response. */
export function answerErrors(app: Hono<ServiceEnv>, logger: Logger, dataFolder?: string): void {
  app.use('*', async (c, next) => {
    noteRequest(c)
    await next()
  })
  app.notFound((c) => {
    const traceId = randomUUID()
    noteRequest(c, { traceId })
    const error = new HttpError(404, 'NOT_FOUND', `There is no endpoint ${c.req.method} ${c.req.path}.`)
    return c.json(errorBody(error, traceId), 404)
  })
  app.onError((thrown, c) => {
    const traceId = randomUUID()
    noteRequest(c, { traceId })
    const known = thrown instanceof HttpError ? thrown : isDiskFull(thrown, dataFolder) ? storageFull() : undefined
    const failed = `${c.req.method} ${routePath(c, -1)} failed (${traceId})`
    if (!known) logger.error(`${failed}: ${thrown.stack ?? thrown.message}`)
    else if (known.cause) logger.error(`${failed}: ${messageOf(known.cause)}`)
    const error = known ?? new HttpError(500, 'INTERNAL', 'The service failed. See its log.')
    return new Response(JSON.stringify(errorBody(error, traceId)), {
      status: error.status,
      headers: { 'content-type': 'application/json', ...error.details.headers },
    })
  })
}

/** Determines whose rate limit applies: a project's, the one for personal tokens, or a client address's. */
async function limitSubject(context: ServiceContext, c: ServiceRequest): Promise<string> {
  const key = c.req.header(context.tokenHeader)
  const project = key ? await context.projectOf(key) : undefined
  if (project) return `project ${project.id}`
  if (await hasPersonalToken(context.store, context.ownToken, c)) return 'account'
  return `address ${c.env.incoming.socket.remoteAddress ?? ''}`
}
