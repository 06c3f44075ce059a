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
   * this gives back is called.
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
  const open = async (place: number) => {
    if (gate && place >= gate.from) await gate.opened
  }
  const hold = forwardTo(target, async ({ method, body }, pass) => {
    if (method === 'GET') readings++
    const patch = method === 'PATCH' ? note(body) : undefined
    // A service without conditional writes.
    const passPlain = async () => {
      const { headers, ...answer } = await pass()
      return { ...answer, headers: { 'content-type': headers['content-type'] ?? 'text/plain' } }
    }
    if (!patch) return passPlain()
    const place = patches.length - 1
    await sleep(holdMs)
    if (place % 2 === 0) await open(place)
    const answer = await passPlain()
    await sleep(holdMs)
    await open(place)
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
  const note = (body: Buffer): SeenPatch => {
    const { language, namespace, key, text } = JSON.parse(body.toString()) as Record<string, string>
    const patch = { id: `${language}/${namespace}/${key}`, text: text ?? '', answered: false }
    patches.push(patch)
    return patch
  }
  return {
    baseUrl: `http://127.0.0.1:${await listen(server)}`,
    patches,
    readings: () => readings,
    underWay: () => underWay,
    holdFrom(from) {
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
