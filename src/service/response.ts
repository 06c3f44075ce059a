/** Writes responses directly to Node's response, because converting a web `Response` takes longer than most queries. */
import type { OutgoingHttpHeaders } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ServiceRequest } from './context.ts'

/** Sends a complete response with the headers set on `c.env.outgoing`. The handler must return the result. */
export function send(
  { env: { outgoing } }: ServiceRequest,
  status: number,
  headers: OutgoingHttpHeaders,
  body?: Uint8Array | string,
): Response {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  outgoing.writeHead(status, { ...length, ...headers }).end(body)
  return RESPONSE_ALREADY_SENT
}

export function sendJson(c: ServiceRequest, json: Uint8Array | string): Response {
  return send(c, 200, { 'content-type': 'application/json' }, json)
}

/** The envelope of all responses except the import's. */
export function envelope(data: unknown, extra?: object): object {
  return { msg: 'OK', status: 200, data, ...extra }
}

/** Like `envelope`, for `data` that is already JSON. */
export function inEnvelope(json: string): string {
  return `{"msg":"OK","status":200,"data":${json}}`
}
