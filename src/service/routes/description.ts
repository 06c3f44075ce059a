/** The OpenAPI description. A browser that opens the service's address is led to the pages. */
import type { ServiceApp, ServiceContext } from '../context.ts'
import { describeApi } from '../openapi.ts'

export function addDescriptionRoutes(app: ServiceApp, { features, tokenHeader }: ServiceContext): void {
  const description = JSON.stringify(describeApi(features, tokenHeader))
  app.get('/openapi.json', (c) => c.body(description, 200, { 'content-type': 'application/json' }))
  app.get('/', (c) => c.redirect('/__localization/'))
}
