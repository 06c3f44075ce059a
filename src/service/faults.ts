/** Faults on purpose, for tests of clients. Nothing here runs unless `faults` is given. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface FaultRule {
  /** Any method when left out. */
  readonly method?: string | undefined
  /** Path without the query: the whole of it, or a pattern. Any path when left out. */
  readonly path?: string | RegExp | undefined
  /** How many matching requests it hits. Default: all. */
  readonly times?: number | undefined
  /** How many matching requests it lets through first. Default 0. */
  readonly after?: number | undefined
  /** Waits before anything else. */
  readonly delayMs?: number | undefined
  /** Answers with this status instead of the real answer, with `body` and `headers`. */
  readonly status?: number | undefined
  readonly body?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** `before`: the connection is reset and nothing was done. `after`: it was done, and the answer never arrives. */
  readonly reset?: 'before' | 'after' | undefined
  /** Sends this many bytes of the real answer's body and resets. */
  readonly truncateAt?: number | undefined
}

export type FaultInjector = (request: IncomingMessage, response: ServerResponse, answer: () => void) => void

export function createFaultInjector(rules: readonly FaultRule[]): FaultInjector {
  const states = rules.map((rule) => ({ rule, seen: 0 }))

  const take = (method: string, path: string): FaultRule | undefined => {
    for (const state of states) {
      const { rule } = state
      if (rule.method !== undefined && rule.method.toUpperCase() !== method) continue
      if (typeof rule.path === 'string' ? rule.path !== path : rule.path && !rule.path.test(path)) continue
      const hit = state.seen++ - (rule.after ?? 0)
      if (hit >= 0 && hit < (rule.times ?? Number.POSITIVE_INFINITY)) return rule
    }
    return undefined
  }

  return (request, response, answer) => {
    const rule = take(request.method ?? 'GET', (request.url ?? '/').split('?', 1)[0] ?? '/')
    if (!rule) return answer()
    const act = () => {
      if (rule.reset === 'before') return void request.socket.resetAndDestroy()
      if (rule.status !== undefined) {
        request.resume()
        response.writeHead(rule.status, { 'content-type': 'application/json', ...rule.headers })
        response.end(rule.body ?? JSON.stringify({ status: rule.status, msg: 'A fault on purpose.', code: 'FAULT' }))
        return
      }
      if (rule.reset === 'after') cutAnswer(response, 0, false)
      else if (rule.truncateAt !== undefined) cutAnswer(response, rule.truncateAt, true)
      answer()
    }
    if (rule.delayMs === undefined) act()
    else setTimeout(act, rule.delayMs).unref()
  }
}

/** Lets `bytes` of the body through and then resets the connection; without `head` not even the status goes out. */
function cutAnswer(response: ServerResponse, bytes: number, head: boolean): void {
  const chunks: Buffer[] = []
  const keep = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === 'string')
      chunks.push(Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'))
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  const write = response.write.bind(response)
  if (!head) response.flushHeaders = () => {}
  response.write = ((chunk: unknown, encoding: unknown) => {
    keep(chunk, encoding)
    return true
  }) as typeof response.write
  response.end = ((chunk: unknown, encoding: unknown) => {
    keep(chunk, encoding)
    const { socket } = response
    if (!head) socket?.resetAndDestroy()
    else write(Buffer.concat(chunks).subarray(0, bytes), () => socket?.destroy())
    return response
  }) as typeof response.end
}
