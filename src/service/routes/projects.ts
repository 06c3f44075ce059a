/** Contract: Projects. */
import { createProjectRequestSchema } from '../../api/schemas.ts'
import { requireApiKey, requirePersonalToken } from '../auth.ts'
import { toRecord } from '../compose.ts'
import { envelope, type ServiceApp, type ServiceContext } from '../context.ts'
import { readJson } from '../request.ts'
import type { ProjectRecord } from '../store/projects.ts'

export function addProjectRoutes(app: ServiceApp, context: ServiceContext): void {
  const { store, features, maxBodyBytes } = context
  const personal = requirePersonalToken(context)

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
      translatedKeysByLanguage: toRecord(translatedKeysByLanguage),
    }
  }

  app.post('/api/v2/projects', personal, async (c) => {
    const { name } = await readJson(c.env.incoming, createProjectRequestSchema, maxBodyBytes)
    return c.json(envelope(describe(context.createProject(name))))
  })

  app.get('/api/v2/projects', personal, (c) => {
    const projects = store.projects.all().map((project) => {
      const { projectToken, ...described } = describe(project)
      return { ...described, customers: store.projects.customers(project.id), projectToken }
    })
    return c.json(envelope(projects))
  })

  if (!features.projectInfo) return
  // Facts beyond the contract.
  app.get('/api/v2/project', requireApiKey(context), (c) => {
    const project = c.get('project')
    return c.json(
      envelope({
        name: project.name,
        projectToken: project.projectToken,
        languages: store.projects.languages(project.id),
        customers: store.projects.customers(project.id),
        namespaces: store.projects.namespaces(project.id).map((name) => ({ name })),
        environments: store.projects.environments(project.id).map((key) => ({ key })),
        hostingResources: store.publications
          .listed(project.id, '_latest')
          .map(({ path, ...resource }) => ({ link: `${project.projectToken}/_latest/${path}`, ...resource })),
      }),
    )
  })
}
