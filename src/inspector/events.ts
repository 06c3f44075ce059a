/** Streams to open pages: a JSON line for each kind of news, a blank line now and then so that a dead one is noticed. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { InspectorPort } from './port.ts'
import type { EventLine } from './wire.ts'

export interface EventStreams {
  open(port: InspectorPort, request: IncomingMessage, response: ServerResponse): void
  close(): void
}

/** News of one kind that come together are told once. */
const GATHER_MS = 50
const ALIVE_MS = 15_000

export function createEventStreams(): EventStreams {
  const endings = new Set<() => void>()
  return {
    open(port, request, response) {
      response.statusCode = 200
      response.setHeader('content-type', 'application/x-ndjson; charset=utf-8')
      // Proxies that gather an answer before they pass it on leave this one alone.
      response.setHeader('x-accel-buffering', 'no')
      response.write('\n')
      const pending = new Set<EventLine['type']>()
      let timer: NodeJS.Timeout | undefined
      const tell = (type: EventLine['type']) => {
        pending.add(type)
        timer ??= setTimeout(() => {
          timer = undefined
          for (const one of pending) response.write(`${JSON.stringify({ type: one } satisfies EventLine)}\n`)
          pending.clear()
        }, GATHER_MS)
      }
      const alive = setInterval(() => response.write('\n'), ALIVE_MS)
      const offs = [port.onChange(() => tell('change')), port.activity.on(tell)]
      const end = () => {
        if (!endings.delete(end)) return
        clearTimeout(timer)
        clearInterval(alive)
        for (const off of offs) off()
        response.end()
      }
      endings.add(end)
      request.on('close', end)
      response.on('close', end)
    },
    close() {
      for (const end of [...endings]) end()
    },
  }
}
