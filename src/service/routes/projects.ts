/** Contract: Projects. */
import * as z from 'zod'
import { createProjectRequestSchema, projectSchema } from '../../api/schemas.ts'
import type { ServiceContext } from '../context.ts'
import { endpoint } from '../endpoint.ts'
import { LATEST, type ProjectRecord } from '../store/projects.ts'

export function projectEndpoints({ store, createProject }: ServiceContext) {
  const describe = (project: ProjectRecord) => {
    const languages = store.projects.languages(project.id)
    const { keys, translatedKeysByLanguage } = store.projects.counts(project.id)
    let translated = 0
    for (const count of translatedKeysByLanguage.values()) translated += count
    return {
      name: project.name,
      languages,
      projectToken: project.projectToken,
      apiKey: project.apiKey,
      keys,
      unpublishedChanges: store.projects.unpublishedChanges(project.id),
      translatedPercentage: keys === 0 ? 0 : translated / (keys * languages.length),
      translatedKeysByLanguage: Object.fromEntries(translatedKeysByLanguage),
    }
  }

  return [
    endpoint('POST /api/v2/projects', 'Create project', {
      token: 'personal',
      body: createProjectRequestSchema,
      data: projectSchema,
      handle: ({ body }) => describe(createProject(body.name)),
    }),
    endpoint('GET /api/v2/projects', 'List projects', {
      token: 'personal',
      data: z.array(projectSchema),
      handle: () =>
        store.projects.all().map((project) => ({
          ...describe(project),
          customers: store.projects.customers(project.id),
        })),
    }),
    endpoint('GET /api/v2/project', 'The project of the API key', {
      feature: 'projectInfo',
      handle: ({ project }) => ({
        name: project.name,
        projectToken: project.projectToken,
        languages: store.projects.languages(project.id),
        customers: store.projects.customers(project.id),
        namespaces: store.projects.namespaces(project.id).map((name) => ({ name })),
        environments: store.projects.environments(project.id).map((key) => ({ key })),
        hostingResources: store.publications.listed(project, LATEST),
      }),
    }),
  ]
}
