/** Answers written straight to Node's response: an object of the platform's in between costs more than most queries. */
import type { OutgoingHttpHeaders } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ServiceRequest } from './context.ts'

/** Sends the whole answer. Headers that were set on `c.env.outgoing` go with it. To be returned from the handler. */
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
