/**
 * Stands before a service as a slow network does: every request arrives there, each text's PATCH and its fate is noted.
 */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeServer, forwardTo, listen } from './throwaway-server.ts'

export interface SeenPatch {
  /** `language/namespace/key`. */
  readonly id: string
  readonly text: string
  /** The whole answer has left for whoever asked; false while it is under way, and for good when the asker is gone. */
  answered: boolean
}

export type HoldingProxy = Awaited<ReturnType<typeof startHoldingProxy>>

/**
 * Holds each PATCH for `holdMs` before the service gets it, and its answer as long again. Ends with the running test.
 */
export async function startHoldingProxy(target: string, holdMs: number) {
  const patches: SeenPatch[] = []
  let underWay = 0
  let readings = 0
  let gate = { from: Number.POSITIVE_INFINITY, opened: Promise.resolve() }
  const hold = forwardTo(target, async ({ method, body }, pass) => {
    if (method === 'GET') readings++
    // A service without conditional writes.
    const passPlain = async () => {
      const { headers, ...answer } = await pass()
      return { ...answer, headers: { 'content-type': headers['content-type'] ?? 'text/plain' } }
    }
    if (method !== 'PATCH') return passPlain()
    const { language, namespace, key, text = '' } = JSON.parse(body.toString()) as Record<string, string>
    const patch: SeenPatch = { id: `${language}/${namespace}/${key}`, text, answered: false }
    const place = patches.push(patch) - 1
    await sleep(holdMs)
    if (place % 2 === 0 && place >= gate.from) await gate.opened
    const answer = await passPlain()
    await sleep(holdMs)
    if (place >= gate.from) await gate.opened
    const onSent = () => {
      patch.answered = true
    }
    return { ...answer, onSent }
  })
  const server = createServer(async (request, response) => {
    underWay++
    await hold(request, response)
    underWay--
  })
  return {
    baseUrl: `http://127.0.0.1:${await listen(server)}`,
    /** In the order they came. */
    patches: patches as readonly SeenPatch[],
    /** How often texts were asked for. */
    readings: () => readings,
    /** Requests that are not answered yet, those of askers who are gone included. */
    underWay: () => underWay,
    /**
     * From this place in `patches` on none is answered, and every other one does not even reach the service, until what
     * this gives back is called.
     */
    holdFrom(from: number): () => void {
      let release = () => {}
      const opened = new Promise<void>((resolve) => {
        release = resolve
      })
      gate = { from, opened }
      return release
    },
    close: () => closeServer(server),
  }
}
