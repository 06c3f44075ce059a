/** The inspector of a local service: all its projects, for everybody who has the personal token. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createClient } from '../api/client.ts'
import { createActivity } from './activity.ts'
import { createInspector } from './handler.ts'
import { ServiceProject } from './service-project.ts'

export interface ServicePagesOptions {
  readonly baseUrl: string
  readonly personalToken: string
  readonly host: string
  readonly loopbackOnly: boolean
}

export interface ServicePages {
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** To be called after requests that may have written. */
  changed(): void
  close(): Promise<void>
}

/** Many writes in a row are one change. */
const COALESCE_MS = 300

export async function createServicePages(options: ServicePagesOptions): Promise<ServicePages> {
  const { baseUrl, personalToken, host, loopbackOnly } = options
  const account = createClient({ baseUrl, personalToken, proxy: false })
  const opened = new Map<string, ServiceProject>()
  let timer: NodeJS.Timeout | undefined

  const open = async (token: string | undefined): Promise<ServiceProject | undefined> => {
    const all = await account.projects.list()
    const project = token === undefined ? all[0] : all.find(({ projectToken }) => projectToken === token)
    if (!project) return undefined
    const known = opened.get(project.projectToken)
    if (known) return known
    const made = new ServiceProject({
      name: project.name,
      client: createClient({ baseUrl, apiKey: project.apiKey, proxy: false }),
      activity: createActivity(Date.now),
      async describe() {
        const { languages, customers } =
          (await account.projects.list()).find(({ projectToken }) => projectToken === project.projectToken) ?? project
        return { languages, customers: (customers ?? []).map(({ key }) => key) }
      },
    })
    opened.set(project.projectToken, made)
    return made
  }

  const inspector = createInspector({
    projects: async () => (await account.projects.list()).map(({ projectToken: id, name }) => ({ id, name })),
    open,
    access: { token: personalToken, hosts: [host], network: !loopbackOnly },
  })
  return {
    handle: inspector.handle,
    changed() {
      timer ??= setTimeout(() => {
        timer = undefined
        for (const project of opened.values()) project.changed()
      }, COALESCE_MS)
    },
    async close() {
      clearTimeout(timer)
      inspector.close()
      for (const project of opened.values()) await project.close()
      await account.close()
    },
  }
}
