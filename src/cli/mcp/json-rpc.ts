/** The subset of JSON-RPC 2.0 that a Model Context Protocol server needs. Each line is one message. */
import { messageOf } from '../../errors.ts'
import type { LineProtocol } from '../io.ts'

export const CODES = { parse: -32700, request: -32600, method: -32601, params: -32602, internal: -32603 } as const

/** Thrown by methods to send an error response. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

/** @param signal aborts when the client cancels the request or the process is asked to exit */
type Method = (params: Readonly<Record<string, unknown>>, signal: AbortSignal) => unknown

type Id = string | number

/** Handles all lines, then waits for the remaining responses. */
export async function serveLines(
  { lines, send }: LineProtocol,
  methods: Readonly<Record<string, Method>>,
  stop: AbortSignal,
): Promise<void> {
  const running = new Map<Id, AbortController>()
  const open = new Set<Promise<void>>()

  /** Resolves to `undefined` for messages that get no response: notifications, cancelled requests and responses. */
  const answer = async (message: unknown): Promise<object | undefined> => {
    if (!isObject(message)) return failure(null, CODES.request, 'a request must be an object')
    const { jsonrpc, id, method, params = {} } = message
    if (method === undefined && ('result' in message || 'error' in message)) return undefined
    const isRequest = 'id' in message
    if (jsonrpc !== '2.0' || typeof method !== 'string' || (isRequest && !isId(id)))
      return failure(isId(id) ? id : null, CODES.request, 'not a JSON-RPC 2.0 request')
    if (method === 'notifications/cancelled' && isObject(params) && isId(params.requestId))
      running.get(params.requestId)?.abort()
    if (!isRequest || !isId(id)) return undefined
    if (!Object.hasOwn(methods, method)) return failure(id, CODES.method, `unknown method ${method}`)
    if (!isObject(params)) return failure(id, CODES.params, 'params must be an object')
    const cancel = new AbortController()
    running.set(id, cancel)
    try {
      const result = await methods[method]?.(params, AbortSignal.any([cancel.signal, stop]))
      return cancel.signal.aborted ? undefined : { jsonrpc: '2.0', id, result }
    } catch (error) {
      if (cancel.signal.aborted) return undefined
      return failure(id, error instanceof RpcError ? error.code : CODES.internal, messageOf(error))
    } finally {
      running.delete(id)
    }
  }

  const respond = async (line: string) => {
    const message = parse(line)
    if (Array.isArray(message) && message.length > 0) {
      const answers = (await Promise.all(message.map(answer))).filter((each) => each !== undefined)
      if (answers.length > 0) send(JSON.stringify(answers))
      return
    }
    const only = message === undefined ? failure(null, CODES.parse, 'not JSON') : await answer(message)
    if (only) send(JSON.stringify(only))
  }

  for await (const line of lines) {
    if (line.trim() === '') continue
    const work = respond(line).finally(() => open.delete(work))
    open.add(work)
  }
  await Promise.all(open)
}

/** `undefined` if the line is not JSON. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function failure(id: Id | null, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || typeof value === 'number'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
