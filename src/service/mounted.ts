/** Pages that other code serves on the service's port. The service does not depend on the client or the inspector. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Repeated, repeat } from './scheduling.ts'

/** Requests below this path belong to the mounted pages. */
const MOUNTED_PATH = '/__localization'

interface MountedPages {
  /** Resolves to false if the pages did not respond. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** Called when the data may have changed. */
  changed(): void
  close(): Promise<void>
}

export interface MountInput {
  readonly baseUrl: string
  readonly personalToken: string
  /** The address of the listener. The next property says whether only this machine can reach it. */
  readonly host: string
  readonly loopbackOnly: boolean
}

/** Called with the first request for a page. */
export type MountPages = (service: MountInput) => Promise<MountedPages>

export interface PagesSlot {
  /** Returns true if the request is for a page, which then responds to it. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  close(): Promise<void>
}

/** The interval between checks for writes of other processes, while there are pages. */
const LOOK_MS = 2000

/** Mounts the pages. `version` reads a number that changes with each write, if other processes write too. */
export function mountedPages(
  mount: MountPages | undefined,
  service: () => MountInput,
  version?: () => Promise<number>,
): PagesSlot {
  let mounted: Promise<MountedPages> | undefined
  let watching: Repeated | undefined
  let shown: number | undefined
  const watch = (look: () => Promise<number>) =>
    repeat(LOOK_MS, async () => {
      // While the database does not respond, nothing counts as new.
      const found = await look().catch(() => shown)
      const isNew = found !== shown
      shown = found
      if (isNew) (await mounted?.catch(() => undefined))?.changed()
    })
  const open = async (request: IncomingMessage, response: ServerResponse) => {
    mounted ??= mount?.(service())
    if (version) watching ??= watch(version)
    const pages = await mounted?.catch(() => {
      mounted = undefined
    })
    const isAnswered = await pages?.handle(request, response).catch(() => undefined)
    if (isAnswered) return
    const isMissing = isAnswered === false
    if (response.headersSent) response.destroy()
    else {
      response.writeHead(isMissing ? 404 : 500, { 'content-type': 'text/plain' })
      response.end(isMissing ? 'page not found' : 'the page cannot be shown')
    }
  }
  return {
    answer(request, response) {
      const { url = '', method = 'GET' } = request
      const [path = ''] = url.split('?', 1)
      const isPage = mount !== undefined && (path === MOUNTED_PATH || path.startsWith(`${MOUNTED_PATH}/`))
      if (isPage) void open(request, response)
      // Some of these requests change nothing. An unnecessary update of the pages is harmless.
      else if (mounted && method !== 'GET' && method !== 'HEAD') {
        response.once('finish', () => void mounted?.then((pages) => pages.changed()))
      }
      return isPage
    },
    async close() {
      await watching?.close()
      await (await mounted?.catch(() => undefined))?.close()
    },
  }
}
