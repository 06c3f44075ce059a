/** Responses written directly to Node's response: a web `Response` in between costs more than most queries. */
import type { OutgoingHttpHeaders } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ServiceRequest } from './context.ts'

/** Sends the whole response, with the headers that were set on `c.env.outgoing`. The handler returns the result. */
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
