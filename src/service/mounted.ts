/** Pages that somebody else serves on the service's own port: the service itself knows no client and no inspector. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Below this path requests are the mounted pages'. */
const MOUNTED_PATH = '/__localization'

export interface MountedPages {
  /** False: nothing was answered. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  /** Something may have been written. */
  changed(): void
  close(): Promise<void>
}

export interface MountInput {
  readonly baseUrl: string
  readonly personalToken: string
  /** The address it listens on, and whether only this machine reaches it. */
  readonly host: string
  readonly loopbackOnly: boolean
}

/** Called with the first request for such a page. */
export type MountPages = (service: MountInput) => Promise<MountedPages>

export interface PagesSlot {
  /** True: the request is the pages', and is being answered. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  close(): Promise<void>
}

export function mountedPages(mount: MountPages | undefined, service: () => MountInput): PagesSlot {
  let mounted: Promise<MountedPages> | undefined
  const open = () => {
    mounted ??= mount?.(service())
    return mounted
  }
  return {
    answer(request, response) {
      const { url = '', method = 'GET' } = request
      const [path] = url.split('?', 1)
      if (path !== MOUNTED_PATH && !path?.startsWith(`${MOUNTED_PATH}/`)) {
        // What reads and what sets up are no changes, but too many of them do no harm.
        if (mounted && method !== 'GET' && method !== 'HEAD') {
          response.once('finish', () => void mounted?.then((pages) => pages.changed()))
        }
        return false
      }
      const pages = open()
      if (!pages) return false
      const fail = () => {
        mounted = undefined
        response.writeHead(500, { 'content-type': 'text/plain' }).end('the pages cannot be shown')
      }
      pages.then((opened) => opened.handle(request, response)).then((isDone) => (isDone ? undefined : fail()), fail)
      return true
    },
    async close() {
      await (await mounted?.catch(() => undefined))?.close()
    },
  }
}
