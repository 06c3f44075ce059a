/** The inspector of dev servers. Its code is imported at the first request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { basename } from 'node:path'
import { styleText } from 'node:util'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import type { Activity } from '../inspector/activity.ts'
import type { Inspector } from '../inspector/handler.ts'
import type { Session } from './session.ts'

export type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void

export interface InspectorMiddleware {
  /**
   * Creates the middleware. It must come before those that serve the app.
   *
   * @param hosts host names from the server's configuration (`host`, `allowedHosts`); values that are not strings are
   * ignored
   * @param base the server's base path; default: `/`
   */
  (hosts?: unknown, base?: string): Middleware
  /**
   * Must be called when the server starts listening.
   *
   * @param server the server's URL, such as `http://localhost:5173/`
   * @param print prints the inspector's URL in the server's own style
   * @param path the path of the inspector's page; default: `/__localization/`
   */
  announce(server: string, print: (address: string) => void, path?: string): void
}

/**
 * Styles a text for standard output. Leaves it unchanged if the output does not support colors, or if `NO_COLOR` or
 * `TERM` turns them off.
 */
export function tone(style: 'bold' | 'cyan' | 'dim' | 'green', text: string): string {
  return process.stdout.hasColors?.() ? styleText(style, text, { validateStream: false }) : text
}

/** Every URL of the inspector contains this, whatever the base is. */
const MARK = '/__localization'

export function createInspectorMiddleware(session: Session, activity: Activity): InspectorMiddleware {
  const open = async (hosts: unknown, base: string | undefined): Promise<Inspector> => {
    const [{ createInspector }, { DevProject }, { createClient }, { config }] = await Promise.all([
      import('../inspector/handler.ts'),
      import('../inspector/dev-project.ts'),
      import('../api/client.ts'),
      session.ready(),
    ])
    const project = new DevProject({
      root: config.root,
      name: basename(config.root) || 'project',
      activity,
      state: () => session.ready(),
      engine: () => session.dev.engine,
      onChange: (listener) => session.dev.onStatus(listener),
      client: hasService(config) ? createClient(config.service) : undefined,
    })
    const inspector = createInspector({
      projects: async () => [{ id: '', name: project.name }],
      open: async () => project,
      access: { hosts: namesIn(hosts), network: config.inspector === 'network' },
      base,
      secrets: () => session.secrets(),
    })
    session.onClose(async () => {
      inspector.close()
      await project.close()
    })
    return inspector
  }

  const mount = (hosts?: unknown, base?: string): Middleware => {
    let inspector: Promise<Inspector | undefined> | undefined
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
      inspector ??= session.ready().then(({ config }) => (config.inspector === false ? undefined : open(hosts, base)))
      const opened = await inspector.catch((error: unknown) => {
        // Makes the next request try again.
        inspector = undefined
        throw error
      })
      return (await opened?.handle(request, response)) ?? false
    }
    return (request, response, next) => {
      if (!request.url?.includes(MARK)) return next()
      answer(request, response).then(
        (isAnswered) => {
          if (!isAnswered) next()
        },
        (error: unknown) => {
          if (response.headersSent) return void response.destroy()
          response.statusCode = 500
          response.setHeader('content-type', 'text/plain; charset=utf-8')
          response.end(messageOf(error))
        },
      )
    }
  }

  const announce: InspectorMiddleware['announce'] = (server, print, path = `${MARK}/`) => {
    const announcing = session.ready().then(async ({ config }) => {
      if (config.inspector === false) return
      const address = new URL(`.${path}`, server).href
      print(address)
      const { announceInspector } = await import('../inspector/running.ts')
      session.onClose(await announceInspector(config.root, address))
    })
    // Errors during the load are reported elsewhere. Writing the inspector's address may also fail, which affects only
    // agents.
    announcing.catch(() => undefined)
  }
  return Object.assign(mount, { announce })
}

function hasService({ service }: ResolvedConfig): boolean {
  return service.apiKey !== undefined && service.baseUrl !== undefined && service.baseUrl !== 'local'
}

function namesIn(hosts: unknown): readonly string[] {
  return [hosts].flat(2).filter((host): host is string => typeof host === 'string' && /^[\w.-]+$/.test(host))
}
