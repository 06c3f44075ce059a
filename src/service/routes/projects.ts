/** Contract: Projects, Publishing and environments. */
import * as z from 'zod'
import { createProjectRequestSchema, environmentStatusSchema, projectSchema } from '../../api/schemas.ts'
import type { ServiceContext, ServiceRequest } from '../context.ts'
import { endpoint, inEnvelope, sendJson } from '../endpoint.ts'
import { HttpError } from '../http-error.ts'
import { unknownEnvironment } from '../publish.ts'
import { LATEST, type ProjectRecord } from '../store/projects.ts'
import type { Store } from '../store/store.ts'

export function projectEndpoints({ store, createProject }: ServiceContext) {
  return [
    endpoint('POST /api/v2/projects', 'Create project', {
      token: 'personal',
      body: createProjectRequestSchema,
      data: projectSchema,
      // Outside the contract: with `ifMissing`, an existing project with this name is returned.
      handle: async ({ body }) => describe(store, await createProject(body.name, body.ifMissing === true)),
    }),
    endpoint('GET /api/v2/projects', 'List projects', {
      token: 'personal',
      data: z.array(projectSchema),
      handle: () =>
        store.snapshot(async (read) => {
          const described: object[] = []
          for (const project of await read.projects.all()) {
            const customers = await read.projects.customers(project.id)
            described.push({ ...(await describe(read, project)), customers })
          }
          return described
        }),
    }),
    endpoint('GET /api/v2/project', "Get the API key's project", {
      feature: 'projectInfo',
      handle: ({ project }) =>
        store.snapshot(async ({ projects, publications }) => ({
          name: project.name,
          projectToken: project.projectToken,
          languages: await projects.languages(project.id),
          customers: await projects.customers(project.id),
          namespaces: (await projects.namespaces(project.id)).map((name) => ({ name })),
          environments: (await projects.environments(project.id)).map((key) => ({ key })),
          hostingResources: await publications.listed(project, LATEST),
        })),
    }),
  ]
}

async function describe({ projects }: Store, project: ProjectRecord): Promise<object> {
  const languages = await projects.languages(project.id)
  const { keys, translatedKeysByLanguage } = await projects.counts(project)
  let translated = 0
  for (const count of translatedKeysByLanguage.values()) translated += count
  return {
    name: project.name,
    languages,
    projectToken: project.projectToken,
    apiKey: project.apiKey,
    keys,
    unpublishedChanges: project.unpublishedChanges,
    translatedPercentage: keys === 0 ? 0 : translated / (keys * languages.length),
    translatedKeysByLanguage: Object.fromEntries(translatedKeysByLanguage),
  }
}

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
