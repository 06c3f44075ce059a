/**
 * Stands before a service as a slow network does: every request arrives there, each text's PATCH and its fate is noted.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

export interface SeenPatch {
  /** `language/namespace/key`. */
  readonly id: string
  readonly text: string
  /** The whole answer has left for whoever asked; false while it is under way, and for good when the asker is gone. */
  answered: boolean
}

export interface HoldingProxy {
  readonly baseUrl: string
  /** In the order they came. */
  readonly patches: readonly SeenPatch[]
  /** How often texts were asked for. */
  readonly readings: () => number
  /** Requests that are not answered yet, those of askers who are gone included. */
  readonly underWay: () => number
  /**
   * From this place in `patches` on none is answered, and every other one does not even reach the service, until what
   * this gives back is
   * called.
   */
  holdFrom(place: number): () => void
  close(): Promise<void>
}

/**
 * Holds each PATCH for `holdMs` before the service gets it, and its answer as long again. Ends with the running test.
 */
export async function startHoldingProxy(target: string, holdMs: number): Promise<HoldingProxy> {
  const patches: SeenPatch[] = []
  let underWay = 0
  let readings = 0
  let gate: { readonly from: number; readonly opened: Promise<void> } | undefined
  const pass = async (place: number) => {
    if (gate && place >= gate.from) await gate.opened
  }
  const server = createServer(async (request, response) => {
    underWay++
    if (request.method === 'GET') readings++
    try {
      const body = await readBody(request)
      const patch = request.method === 'PATCH' ? note(body) : undefined
      const place = patches.length - 1
      if (patch) await sleep(holdMs)
      if (patch && place % 2 === 0) await pass(place)
      const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
      const answer = await fetch(`${target}${request.url}`, {
        method: request.method,
        headers: headers as Record<string, string>,
        ...(body.length > 0 && { body }),
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (patch) await sleep(holdMs)
      if (patch) await pass(place)
      if (response.destroyed) return
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
      response.end(bytes, () => {
        if (patch) patch.answered = true
      })
    } catch {
      // Whoever asked is gone, or the service is.
      response.destroy()
    } finally {
      underWay--
    }
  })
  const note = (body: Buffer): SeenPatch => {
    const { language, namespace, key, text } = JSON.parse(body.toString()) as Record<string, string>
    const patch = { id: `${language}/${namespace}/${key}`, text: text ?? '', answered: false }
    patches.push(patch)
    return patch
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  let closed = false
  const close = async () => {
    if (closed) return
    closed = true
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    patches,
    readings: () => readings,
    underWay: () => underWay,
    holdFrom(from) {
      const { promise: opened, resolve } = withResolvers()
      gate = { from, opened }
      return resolve
    },
    close,
  }
}

function withResolvers() {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
