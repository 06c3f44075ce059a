/** Contract: Auto-translate jobs. */
import * as z from 'zod'
import { jobSchema, type StartJobRequest, startJobRequestSchema } from '../../api/schemas.ts'
import {
  fromServiceNames,
  MEMBER_NAMES,
  PROVIDER_NAMES,
  type ServiceNames,
  toServiceNames,
} from '../../shared/service-names.ts'
import type { ServiceContext } from '../context.ts'
import { endpoint } from '../endpoint.ts'
import { HttpError } from '../http-error.ts'
import type { JobRecord } from '../store/jobs.ts'

export function jobEndpoints({ store, jobs, names }: ServiceContext) {
  const describe = (job: JobRecord, metadata: Readonly<Record<string, unknown>> = metadataOf(job)) => {
    const { id, progress, state, started, message } = job
    return { jobId: id, progress, state, started, message, metadata: toServiceNames(metadata, names) }
  }
  return [
    endpoint('POST /api/v1/jobs/auto-translate', 'Start job', {
      body: requestSchema(names),
      data: jobSchema,
      async handle({ project, body }) {
        const request = fromServiceNames(body, names) as StartJobRequest
        return describe(await jobs.start(project, request), {})
      },
    }),
    endpoint('GET /api/v1/jobs', 'List jobs', {
      data: z.array(jobSchema),
      handle: async ({ project }) => (await store.jobs.list(project.id)).map((job) => describe(job)),
    }),
    endpoint('GET /api/v1/jobs/{jobId}', 'Get job status', {
      data: jobSchema,
      async handle({ project, c }) {
        const job = await store.jobs.get(project.id, c.req.param('jobId') ?? '')
        if (!job) throw new HttpError(404, 'JOB_NOT_FOUND', 'The project has no job with this ID.')
        return describe(job)
      },
    }),
  ]
}

/** The contract's request, with this service's names for providers and fields. */
function requestSchema(names: ServiceNames) {
  const { shape } = startJobRequestSchema
  const own = MEMBER_NAMES.map((name) => [names[name] ?? name, shape[name]])
  const others = Object.entries(shape).filter(([name]) => !MEMBER_NAMES.some((member) => member === name))
  const translationProvider = z.enum(PROVIDER_NAMES.map((name) => names[name] ?? name))
  return z.looseObject({ ...Object.fromEntries([...others, ...own]), translationProvider })
}

/** Returns the seven fields that the contract defines. */
function metadataOf({ request }: JobRecord) {
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
