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
      const refuse = (status: number, text: string) => {
        if (response.headersSent) response.destroy()
        else response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
      }
      pages.then(
        async (opened) => {
          // One request that fails takes the pages from nobody.
          const isDone = await opened.handle(request, response).catch(() => refuse(500, 'the page cannot be shown'))
          if (isDone === false) refuse(404, 'there is no such page')
        },
        () => {
          mounted = undefined
          refuse(500, 'the pages cannot be shown')
        },
      )
      return true
    },
    async close() {
      await (await mounted?.catch(() => undefined))?.close()
    },
  }
}
