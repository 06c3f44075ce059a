/** What the inspector needs of HTTP. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request that is not carried out, with the status of its answer. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The longest bodies are lists of texts, which have at most 65,535 characters each. */
const MOST_BODY_BYTES = 4_000_000

export function assertMethod({ method = 'GET' }: IncomingMessage, ...allowed: readonly string[]): void {
  if (!allowed.includes(method)) throw new Refusal(405, `only ${allowed[0]} is answered here`)
}

export function send(response: ServerResponse, status: number, type: string, text: string): void {
  response.statusCode = status
  response.setHeader('content-type', type)
  response.end(text)
}

export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'the body must be application/json')
  }
  const assertLength = (length: number) => {
    if (length > MOST_BODY_BYTES) throw new Refusal(413, 'the body is too long')
  }
  // Before anything is read: to stop within a body would end the connection, and the answer with it.
  assertLength(Number(request.headers['content-length'] ?? 0))
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    assertLength(length)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new Refusal(400, 'the body is no JSON')
  }
}
