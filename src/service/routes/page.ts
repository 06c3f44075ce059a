/** What people look at: the overview page, and the description for machines. */
import type { ServiceApp, ServiceContext, ServiceRequest } from '../context.ts'
import { HttpError } from '../http-error.ts'
import { describeApi } from '../openapi.ts'
import { overviewPage, PAGE_POLICY } from '../page.ts'

export function addPageRoutes(app: ServiceApp, context: ServiceContext): void {
  const { store, features, tokenHeader } = context
  const description = JSON.stringify(describeApi(features, tokenHeader))

  app.get('/openapi.json', (c) => c.body(description, 200, { 'content-type': 'application/json' }))

  const page = overviewPage(context.hasPages)
  // The page itself holds no data: it asks for it, and asks for the token where the data is not given freely.
  app.get('/', (c) => c.html(page, 200, { 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-cache' }))

  app.get('/overview', (c) => {
    const token = c.req.header('authorization')
    if (!(token && store.projects.hasPersonalToken(token)) && !isOwnBrowser(c, context)) {
      throw new HttpError(403, 'CREDENTIALS', 'Send the personal token in the header Authorization.')
    }
    const projects = store.projects.all().map(({ id, name }) => {
      const { keys, translatedKeysByLanguage } = store.projects.counts(id)
      return {
        name,
        keys,
        namespaces: store.projects.namespaces(id).length,
        unpublishedChanges: store.projects.unpublishedChanges(id),
        languages: store.projects.languages(id).map(({ key, name, isDefault }) => ({
          key,
          name,
          isDefault,
          translated: translatedKeysByLanguage.get(key) ?? 0,
        })),
        customers: store.projects.customers(id).map(({ key }) => key),
        environments: store.projects.environments(id).map((key) => {
          const publication = store.publications.get(id, key)
          return { key, publishedAt: publication?.createdAt, texts: publication?.numberOfNonEmptyTranslations }
        }),
      }
    })
    return c.json({ projects }, 200, { 'cache-control': 'no-store' })
  })
}

/**
 * Names and counts (no texts, no keys) are shown without a token to a browser on this machine, when the service listens to this
 * machine only. The Host header must name loopback, so that a foreign name that resolves to it (DNS rebinding) is refused; a
 * proxy's headers and requests that another site's page makes are refused too.
 */
function isOwnBrowser(c: ServiceRequest, { loopbackOnly }: ServiceContext): boolean {
  const host = (c.req.header('host') ?? '').replace(/:\d+$/, '').toLowerCase()
  const site = c.req.header('sec-fetch-site') ?? 'none'
  return (
    loopbackOnly &&
    (host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)) &&
    (site === 'none' || site === 'same-origin') &&
    c.req.header('forwarded') === undefined &&
    c.req.header('x-forwarded-for') === undefined
  )
}
