/** Injected faults, for testing clients. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface FaultRule {
  /** The method of the requests to affect. Default: any. */
  readonly method?: string | undefined
  /** The path of the requests to affect, without the query: a complete path or a pattern. Default: any. */
  readonly path?: string | RegExp | undefined
  /** The number of matching requests to affect. Default: all. */
  readonly times?: number | undefined
  /** The number of matching requests to let through first. Default 0. */
  readonly after?: number | undefined
  /** Delay before the request is handled, in milliseconds. Default 0. */
  readonly delayMs?: number | undefined
  /** The status of a response that replaces the real one, with `body` and `headers`. */
  readonly status?: number | undefined
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Resets the connection `before` or `after` the request is handled. No response is sent. */
  readonly reset?: 'before' | 'after' | undefined
  /** Sends this many bytes of the real response body, then resets the connection. */
  readonly truncateAt?: number | undefined
}

export function createFaultInjector(rules: readonly FaultRule[]) {
  const states = rules.map((rule) => ({ rule, seen: 0 }))
  const matches = ({ method, path }: FaultRule, request: IncomingMessage): boolean => {
    const [asked = '/'] = (request.url ?? '/').split('?', 1)
    if (method !== undefined && method.toUpperCase() !== request.method) return false
    return typeof path === 'string' ? path === asked : !path || path.test(asked)
  }
  return (request: IncomingMessage, response: ServerResponse, answer: () => void): void => {
    const state = states.find((one) => {
      if (!matches(one.rule, request)) return false
      const hit = one.seen++ - (one.rule.after ?? 0)
      return hit >= 0 && hit < (one.rule.times ?? Number.POSITIVE_INFINITY)
    })
    if (!state) answer()
    else if (state.rule.delayMs === undefined) act(state.rule, request, response, answer)
    else setTimeout(() => act(state.rule, request, response, answer), state.rule.delayMs).unref()
  }
}

function act(rule: FaultRule, request: IncomingMessage, response: ServerResponse, answer: () => void): void {
  const { status, headers, body = JSON.stringify({ status, msg: 'A simulated fault.', code: 'FAULT' }) } = rule
  if (rule.reset === 'before') request.socket.resetAndDestroy()
  else if (status !== undefined) {
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  } else {
    if (rule.reset === 'after') cutAnswer(response, undefined)
    else if (rule.truncateAt !== undefined) cutAnswer(response, rule.truncateAt)
    answer()
  }
}

/**
 * Sends `bytes` of the body, then closes the connection. If `bytes` is `undefined`, sends nothing, not even the status.
 */
function cutAnswer(response: ServerResponse, bytes: number | undefined): void {
  const chunks: Buffer[] = []
  const keep = (chunk: unknown, encoding: unknown) => {
    if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
    else if (typeof chunk === 'string') chunks.push(Buffer.from(chunk, encoding as BufferEncoding | undefined))
    return true
  }
  const write = response.write.bind(response)
  response.write = keep as typeof response.write
  if (bytes === undefined) response.flushHeaders = () => {}
  response.end = ((chunk: unknown, encoding: unknown) => {
    keep(chunk, encoding)
    if (bytes === undefined) response.socket?.resetAndDestroy()
    else write(Buffer.concat(chunks).subarray(0, bytes), () => response.socket?.destroy())
    return response
  }) as typeof response.end
}
