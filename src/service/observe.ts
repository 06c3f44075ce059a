/** The facts about a request after its response. Names and values in the request are left out. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { routePath } from 'hono/route'

/** One answered request, without secrets: no path, no query, no header. */
export interface AnswerInfo {
  readonly method: string
  /** The pattern of the address, such as `/api/v2/environments/{environmentKey}`. */
  readonly route: string
  readonly status: number
  /** Milliseconds until the last byte was sent, or the connection ended. */
  readonly ms: number
  /** The connection ended before the response. */
  readonly aborted: boolean
  /** The trace id in the body of an error. */
  readonly traceId: string | undefined
}

interface Noted {
  route?: string
  traceId?: string
}

const noted = new WeakMap<IncomingMessage, Noted>()

/** Adds facts that only the app knows. */
export function noteRequest(c: Context<{ Bindings: HttpBindings }>, more: Noted = {}): void {
  const route = routePath(c, -1).replaceAll(/:(\w+)/g, '{$1}')
  noted.set(c.env.incoming, { ...noted.get(c.env.incoming), route, ...more })
}

/** Calls `report` once, when the response has ended. */
export function whenAnswered(
  request: IncomingMessage,
  response: ServerResponse,
  report: (answer: AnswerInfo) => void,
): void {
  const start = performance.now()
  response.once('close', () => {
    const { route = '/__localization/*', traceId } = noted.get(request) ?? {}
    const { method = 'GET' } = request
    const ms = performance.now() - start
    report({ method, route, status: response.statusCode, ms, aborted: !response.writableFinished, traceId })
  })
}
