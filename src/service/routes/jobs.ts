/** Contract: Auto-translate jobs. */
import * as z from 'zod'
import { jobSchema, startJobRequestSchema } from '../../api/schemas.ts'
import type { ServiceContext } from '../context.ts'
import { endpoint } from '../endpoint.ts'
import { HttpError } from '../http-error.ts'
import type { JobRecord } from '../store/jobs.ts'

export function jobEndpoints({ store, jobs }: ServiceContext) {
  return [
    endpoint('POST /api/v1/jobs/auto-translate', 'Start job', {
      body: startJobRequestSchema,
      data: jobSchema,
      handle: async ({ project, body }) => describe(await jobs.start(project, body), {}),
    }),
    endpoint('GET /api/v1/jobs', 'List jobs', {
      data: z.array(jobSchema),
      handle: async ({ project }) => (await store.jobs.list(project.id)).map((job) => describe(job)),
    }),
    endpoint('GET /api/v1/jobs/{jobId}', 'Get job status', {
      data: jobSchema,
      async handle({ project, c }) {
        const job = await store.jobs.get(project.id, c.req.param('jobId') ?? '')
        if (!job) throw new HttpError(404, 'JOB_NOT_FOUND', 'The project has no job of this id.')
        return describe(job)
      },
    }),
  ]
}

function describe(job: JobRecord, metadata: object = metadataOf(job)) {
  const { id, progress, state, started, message } = job
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
