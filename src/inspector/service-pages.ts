/** The inspector of a local service: all its projects, for whoever has its personal token. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createClient } from '../api/client.ts'
import { createActivity } from './activity.ts'
import { createInspector } from './handler.ts'
import type { InspectorPort } from './port.ts'
import { createServicePort } from './service-port.ts'

export interface ServicePagesInput {
  readonly baseUrl: string
  readonly personalToken: string
  readonly host: string
  readonly loopbackOnly: boolean
}

export interface ServicePages {
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** Something may have been written. */
  changed(): void
  close(): Promise<void>
}

/** Many writes in a row are told once. */
const GATHER_MS = 300

export async function createServicePages({
  baseUrl,
  personalToken,
  host,
  loopbackOnly,
}: ServicePagesInput): Promise<ServicePages> {
  const account = createClient({ baseUrl, personalToken, proxy: false })
  const ports = new Map<string, InspectorPort>()
  const listeners = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined

  const projects = () => account.projects.list()

  const open = async (id: string | undefined): Promise<InspectorPort | undefined> => {
    const all = await projects()
    const project = id === undefined ? all[0] : all.find(({ projectToken }) => projectToken === id)
    if (!project) return undefined
    const known = ports.get(project.projectToken)
    if (known) return known
    const port = createServicePort({
      name: project.name,
      client: createClient({ baseUrl, apiKey: project.apiKey, proxy: false }),
      activity: createActivity(Date.now),
      async about() {
        const now = (await projects()).find(({ projectToken }) => projectToken === project.projectToken) ?? project
        return {
          languages: now.languages.map(({ key, name, isDefault }) => ({ key, name, isDefault })),
          customers: (now.customers ?? []).map(({ key }) => key),
        }
      },
      onChange(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    })
    ports.set(project.projectToken, port)
    return port
  }

  const inspector = createInspector({
    projects: async () => (await projects()).map(({ projectToken, name }) => ({ id: projectToken, name })),
    open,
    access: { token: personalToken, hosts: [host], network: !loopbackOnly },
  })
  return {
    handle: inspector.handle,
    changed() {
      timer ??= setTimeout(() => {
        timer = undefined
        for (const listener of listeners) listener()
      }, GATHER_MS)
    },
    async close() {
      clearTimeout(timer)
      inspector.close()
      for (const port of ports.values()) await port.close()
      await account.close()
    },
  }
}
