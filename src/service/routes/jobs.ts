/** Contract: Auto-translate jobs. */
import { startJobRequestSchema } from '../../api/schemas.ts'
import { requireApiKey } from '../auth.ts'
import { envelope, type ServiceApp, type ServiceContext } from '../context.ts'
import { HttpError } from '../http-error.ts'
import { readJson } from '../request.ts'
import type { JobRecord } from '../store/jobs.ts'

export function addJobRoutes(app: ServiceApp, context: ServiceContext): void {
  const { store, jobs, maxBodyBytes } = context
  const apiKey = requireApiKey(context)

  app.post('/api/v1/jobs/auto-translate', apiKey, async (c) => {
    const request = await readJson(c.env.incoming, startJobRequestSchema, maxBodyBytes)
    const job = await jobs.start(c.get('project'), request)
    return c.json(envelope(describe(job, {})))
  })

  app.get('/api/v1/jobs', apiKey, (c) => {
    const list = store.jobs.list(c.get('project').id)
    return c.json(envelope(list.map((job) => describe(job, metadataOf(job)))))
  })

  app.get('/api/v1/jobs/:jobId', apiKey, (c) => {
    const job = store.jobs.get(c.get('project').id, c.req.param('jobId'))
    if (!job) throw new HttpError(404, 'JOB_NOT_FOUND', 'The project has no job of this id.')
    return c.json(envelope(describe(job, metadataOf(job))))
  })
}

function describe({ id, progress, state, started, message }: JobRecord, metadata: object): object {
  return { jobId: id, progress, state, started, message, metadata }
}

/** Seven fields of the contract, and nothing else of the request. */
function metadataOf({ request }: JobRecord): object {
  return {
    targetProjectLanguage: request.targetProjectLanguage,
    targetLanguage: request.targetLanguage,
    sourceType: 'API',
    options: request.options.join(','),
    translationProvider: request.translationProvider,
    sourceProjectLanguage: request.sourceProjectLanguage,
    sourceLanguage: request.sourceLanguage ?? '',
  }
}
