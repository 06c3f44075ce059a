/** Processes of the service on one database, as clients see them behind a load balancer. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalServiceOptions } from '../../src/service.ts'
import { type Answer, type RequestOptions, request } from './service.ts'
import { spawnService } from './service-process.ts'

export type ProcessGroup = Awaited<ReturnType<typeof startProcessGroup>>

export interface GroupAnswer extends Answer {
  /** Earlier attempts had no answer, or one that leaves open whether something was written. */
  readonly isRepeated: boolean
}

/** Each process ends with the running test. */
export async function startProcessGroup(count: number, options: LocalServiceOptions) {
  const processes = [await spawnService(options)]
  while (processes.length < count) processes.push(await spawnService(options))
  let next = 0
  const refusals = new Map<string, number>()
  const count503 = (reason: string) => refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
  return {
    /** Why requests were repeated, and how often. */
    refusals,
    first: () => processes[0] as (typeof processes)[number],
    /** Sends to one process after the other until one answers something other than 503. */
    async send(path: string, send: RequestOptions): Promise<GroupAnswer> {
      for (let attempt = 0; ; attempt++) {
        const { baseUrl } = processes[next++ % count] as (typeof processes)[number]
        try {
          const answer = await request(`${baseUrl}${path}`, send)
          if (answer.status !== 503) return { ...answer, isRepeated: attempt > 0 }
          count503(answer.body?.code ?? '503')
        } catch {
          count503('no answer')
        }
        if (attempt % count === count - 1) await sleep(50)
      }
    },
    /** kill -9, and a new process in its place. */
    async replace(place: number) {
      await processes[place]?.end('SIGKILL')
      processes[place] = await spawnService(options)
    },
  }
}

/** A text's digest for `If-Match`. */
export function digestOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`
}

/** Numbers from 0 to 1, the same for one seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
