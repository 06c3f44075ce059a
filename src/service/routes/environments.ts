/** Contract: Publishing and environments. */
import { requireApiKey } from '../auth.ts'
import { envelope, type ServiceApp, type ServiceContext } from '../context.ts'
import { HttpError } from '../http-error.ts'
import { unknownEnvironment } from '../publishing.ts'

export function addEnvironmentRoutes(app: ServiceApp, context: ServiceContext): void {
  const { store, publisher } = context
  const apiKey = requireApiKey(context)

  app.post('/api/v2/environments/:environment/publish', apiKey, async (c) => {
    const environment = c.req.param('environment')
    await publisher.publish(c.get('project'), environment)
    return c.json(envelope({ key: environment }))
  })

  app.get('/api/v2/environments/:environment', apiKey, (c) => {
    const project = c.get('project')
    const environment = c.req.param('environment')
    const order = store.projects.environments(project.id)
    if (!order.includes(environment)) throw unknownEnvironment(environment, order)
    const publication = store.publications.get(project.id, environment)
    if (!publication) throw new HttpError(404, 'NOT_PUBLISHED', `Environment ${environment} is not published yet.`)
    const resources = store.publications
      .listed(project.id, environment)
      .map(({ path, ...resource }) => ({ link: `${project.projectToken}/${environment}/${path}`, ...resource }))
    return c.json(
      envelope({
        numberOfKeys: publication.numberOfKeys,
        numberOfLanguages: publication.numberOfLanguages,
        numberOfNonEmptyTranslations: publication.numberOfNonEmptyTranslations,
        createdAt: publication.createdAt,
        resources,
      }),
    )
  })
}
