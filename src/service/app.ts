/** All routes in one app, and the behaviour that all answers share. */
import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import type { Logger } from '../logger.ts'
import { CONDITIONAL_WRITES } from './conditions.ts'
import type { ServiceApp, ServiceContext, ServiceEnv, ServiceRequest } from './context.ts'
import { addEndpoint, type NamedEndpoint } from './endpoint.ts'
import { errorBody, HttpError, storageFull } from './http-error.ts'
import { describeApi } from './openapi.ts'
import type { RateLimiter } from './rate-limit.ts'
import { environmentEndpoints } from './routes/environments.ts'
import { createFileApp } from './routes/files.ts'
import { addHostingRoutes } from './routes/hosting.ts'
import { jobEndpoints } from './routes/jobs.ts'
import { keyEndpoints } from './routes/keys.ts'
import { projectEndpoints } from './routes/projects.ts'
import { transferEndpoints } from './routes/transfer.ts'
import { translationEndpoints } from './routes/translations.ts'
import { isDiskFull } from './store/full-disk.ts'

/** Every endpoint of the API, by its tag. */
const ENDPOINTS: Readonly<Record<string, (context: ServiceContext) => readonly NamedEndpoint[]>> = {
  Projects: projectEndpoints,
  'Auto-translate jobs': jobEndpoints,
  'Publishing and environments': environmentEndpoints,
  'Translation keys': keyEndpoints,
  Translations: translationEndpoints,
  'Import and export': transferEndpoints,
}

export interface AppOptions {
  readonly context: ServiceContext
  readonly limit?: RateLimiter | undefined
  readonly logger: Logger
  /** Where the data lies, if not in memory. */
  readonly dataFolder?: string | undefined
}

export function createApp({ context, limit, logger, dataFolder }: AppOptions): ServiceApp {
  const { features, instance, tokenHeader } = context
  const app = new Hono<ServiceEnv>()
  answerErrors(app, logger, dataFolder)
  // Outside the limit: a refusal announces conditional writes too.
  app.use('/api/*', async (c, next) => {
    await next()
    if (features.conditionalWrites) c.res.headers.set(...CONDITIONAL_WRITES)
  })
  // No name has NUL, and not every database takes it.
  app.use('*', async (c, next) => (c.req.path.includes('%00') ? c.notFound() : next()))
  if (limit) {
    app.use('/api/*', async (c, next) => {
      limit(await limitSubject(context, c))
      await next()
    })
  }
  app.get('/health', (c) => c.json({ status: 'UP', instance }))

  const endpoints = new Map<string, readonly NamedEndpoint[]>()
  for (const [tag, create] of Object.entries(ENDPOINTS)) {
    const available = create(context).filter(({ feature }) => feature === undefined || features[feature])
    for (const endpoint of available) addEndpoint(app, context, endpoint)
    endpoints.set(tag, available)
  }
  const description = JSON.stringify(describeApi(endpoints, features, tokenHeader))
  app.get('/openapi.json', (c) => c.body(description, 200, { 'content-type': 'application/json' }))
  // A browser that opens the service's address is led to the pages.
  app.get('/', (c) => c.redirect('/__localization/'))
  addHostingRoutes(app, context)
  app.route('/', createFileApp(context.files))
  return app
}

/** Answers everything that is thrown or not found with the error body. */
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
async function limitSubject({ store, tokenHeader }: ServiceContext, c: ServiceRequest): Promise<string> {
  const key = c.req.header(tokenHeader)
  const project = key ? await store.projects.byApiKey(key) : undefined
  if (project) return `project ${project.id}`
  const token = c.req.header('authorization')
  if (token && (await store.projects.hasPersonalToken(token))) return 'account'
  return `address ${c.env.incoming.socket.remoteAddress ?? ''}`
}
