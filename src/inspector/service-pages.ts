/** The inspector of a local service: all its projects, for every user with the personal token. */
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

/** Treats many consecutive writes as one change. */
const COALESCE_MS = 300

export async function createServicePages({ baseUrl, personalToken, host, loopbackOnly }: ServicePagesOptions) {
  const account = createClient({ baseUrl, personalToken, proxy: false })
  const opened = new Map<string, ServiceProject>()
  let timer: NodeJS.Timeout | undefined

  const find = async (token: string | undefined) => {
    const projects = await account.projects.list()
    return token === undefined ? projects[0] : projects.find(({ projectToken }) => projectToken === token)
  }

  const open = async (id: string | undefined): Promise<ServiceProject | undefined> => {
    const found = await find(id)
    if (!found) return undefined
    const { projectToken, name, apiKey } = found
    const project =
      opened.get(projectToken) ??
      new ServiceProject({
        id: projectToken,
        name,
        client: createClient({ baseUrl, apiKey, proxy: false }),
        activity: createActivity(Date.now),
        describe: async () => (await find(projectToken)) ?? found,
      })
    opened.set(projectToken, project)
    return project
  }

  const inspector = createInspector({
    projects: async () => (await account.projects.list()).map(({ projectToken: id, name }) => ({ id, name })),
    open,
    access: { token: personalToken, hosts: [host], network: !loopbackOnly },
  })
  return {
    handle: inspector.handle,
    /** Must be called after requests that may have written. */
    changed(): void {
      timer ??= setTimeout(() => {
        timer = undefined
        for (const project of opened.values()) project.changed()
      }, COALESCE_MS)
    },
    async close(): Promise<void> {
      clearTimeout(timer)
      inspector.close()
      for (const project of opened.values()) await project.close()
      await account.close()
    },
  }
}
