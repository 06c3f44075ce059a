/** Pages that other code serves on the service's port. The service does not depend on the client or the inspector. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Repeated, repeat } from './scheduling.ts'

const MOUNTED_PATH = '/__localization'

interface MountedPages {
  /** Resolves to false if the request is not for one of the pages. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** Called when the data may have changed. */
  changed(): void
  close(): Promise<void>
}

export interface MountInput {
  readonly baseUrl: string
  readonly personalToken: string
  /** The host that the service listens on. `loopbackOnly` is true if only this machine can reach it. */
  readonly host: string
  readonly loopbackOnly: boolean
}

/** Called on the first request for a page. */
export type MountPages = (service: MountInput) => Promise<MountedPages>

export interface PagesSlot {
  /** Returns true if the request is for a page. The page then sends the response. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  close(): Promise<void>
}

/** The interval between checks for writes by other processes, once a page has been opened. */
const LOOK_MS = 2000

/**
 * Returns the slot through which the listener serves pages. `version` reads a number that changes with each write. It
 * is needed only if other processes also write.
 */
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
      // If the database does not respond, the pages are not updated.
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
      // Some of these requests change nothing, but an unnecessary update of the pages is harmless.
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
