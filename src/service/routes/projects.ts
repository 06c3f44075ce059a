/** Contract: Projects. */
import * as z from 'zod'
import { createProjectRequestSchema, projectSchema } from '../../api/schemas.ts'
import type { ServiceContext } from '../context.ts'
import { endpoint } from '../endpoint.ts'
import { LATEST, type ProjectRecord } from '../store/projects.ts'
import type { Store } from '../store/store.ts'

export function projectEndpoints({ store, createProject }: ServiceContext) {
  return [
    endpoint('POST /api/v2/projects', 'Create project', {
      token: 'personal',
      body: createProjectRequestSchema,
      data: projectSchema,
      handle: async ({ body }) => describe(store, await createProject(body.name)),
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
