/** What people look at: the overview page, and the description for machines. */
import type { ServiceApp, ServiceContext } from '../context.ts'

export function addPageRoutes(app: ServiceApp, _context: ServiceContext): void {
  app.get('/', (c) => c.html('<!doctype html><title>Localization service</title><h1>Localization service</h1>'))
}
