/** Contract: Publishing and environments. */
import { environmentStatusSchema } from '../../api/schemas.ts'
import type { ServiceContext, ServiceRequest } from '../context.ts'
import { endpoint } from '../endpoint.ts'
import { HttpError } from '../http-error.ts'
import { unknownEnvironment } from '../publish.ts'
import { inEnvelope, sendJson } from '../response.ts'

const PATH = '/api/v2/environments/{environmentKey}'

/** Outside the contract. The digest changes only when the published content changes. */
const DIGEST_HEADER = 'Published-Digest'

export function environmentEndpoints({ store, publisher, features }: ServiceContext) {
  const nameIn = (c: ServiceRequest) => c.req.param('environmentKey') ?? ''
  return [
    endpoint(`POST ${PATH}/publish`, 'Publish', {
      async handle({ project, c }) {
        await publisher.publish(project, nameIn(c))
        return { key: nameIn(c) }
      },
    }),
    endpoint(`GET ${PATH}`, 'Get environment status', {
      data: environmentStatusSchema,
      async handle({ project, c }) {
        const environment = nameIn(c)
        const readStatus = () =>
          store.snapshot(async ({ projects, publications }) => {
            const order = await projects.environments(project.id)
            if (!order.includes(environment)) throw unknownEnvironment(environment, order)
            return publications.status(project, environment)
          })
        // If the status is cached, the environment exists, because environments are never removed.
        const status = store.publications.knownStatus(project, environment) ?? (await readStatus())
        if (!status) throw new HttpError(404, 'NOT_PUBLISHED', `Environment ${environment} is not published yet.`)
        if (features.publishedDigest) c.env.outgoing.setHeader(DIGEST_HEADER, status.digest)
        return sendJson(c, inEnvelope(status.json))
      },
    }),
  ]
}
