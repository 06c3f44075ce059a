/**
 * Stands before a service: every answer takes its time, there may be a limit of requests, and it is noted what each
 * client was told of each text before it
 * wrote over it. Translators go past it, straight to the service.
 */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ForwardedRequest, forwardTo, listen } from './throwaway-server.ts'

export interface WatchedProxyOptions {
  readonly target: string
  /** How long each answer takes, on top of the service's own time. */
  readonly delayMs: number
  /** Further requests within a second are answered with 429. */
  readonly perSecond?: number
}

/** The default of `push.concurrency`: a batch has so many texts. */
const MOST_AT_ONCE = 8

interface Request {
  readonly arrivedAt: number
  answeredAt: number
}

/** A text that was set through the proxy, and taken by the service. */
interface WatchedWrite {
  /** `language/namespace/key`. */
  readonly id: string
  readonly text: string
  /** When the service was given the write. */
  readonly at: number
  /** Between the last answer about this text and this write nothing was answered but other writes of the same batch. */
  readonly isFresh: boolean
}

export interface WatchedProxy {
  readonly baseUrl: string
  readonly writes: readonly WatchedWrite[]
  /** Resolves with the next request; `method`: with the next of that method. */
  next(method?: string): Promise<void>
}

export async function startWatchedProxy({ target, delayMs, perSecond }: WatchedProxyOptions): Promise<WatchedProxy> {
  const writes: WatchedWrite[] = []
  const requests: Request[] = []
  const reads = new Map<string, number>()
  const waiting = new Set<(method: string) => void>()
  let window = { from: 0, count: 0 }

  const isOverLimit = () => {
    if (perSecond === undefined) return false
    const now = performance.now()
    if (now - window.from >= 1_000) window = { from: now, count: 0 }
    return ++window.count > perSecond
  }
  /** Of texts that a query asked for and that were not in its answer, too: `*` stands for all of them. */
  const readAt = (id: string) => Math.max(reads.get(id) ?? -1, reads.get('*') ?? -1)

  const watch = forwardTo(target, async (request, pass) => {
    const noted: Request = { arrivedAt: performance.now(), answeredAt: Number.POSITIVE_INFINITY }
    requests.push(noted)
    const noteAnswered = () => {
      noted.answeredAt = performance.now()
    }
    if (isOverLimit()) {
      const headers = { 'content-type': 'application/json', 'retry-after': '1' }
      const body = Buffer.from('{"status":429,"msg":"too many requests"}')
      return { status: 429, headers, body, onSent: noteAnswered }
    }
    for (const hear of waiting) hear(request.method)
    const givenAt = performance.now()
    const answer = await pass()
    const isTaken = answer.status < 300
    for (const [id, text] of isTaken ? textsOf(request) : []) {
      const read = readAt(id)
      // The others of its batch were sent with it, and may have been answered before it came in.
      const between = requests.filter((other) => other.arrivedAt > read && other.answeredAt < noted.arrivedAt)
      const isFresh = read >= 0 && between.length < MOST_AT_ONCE
      writes.push({ id, text, at: givenAt, isFresh })
    }
    await sleep(delayMs)
    const onSent = () => {
      noteAnswered()
      if (request.method !== 'GET' || !isTaken) return
      const { data } = JSON.parse(answer.body.toString()) as { data: readonly Row[] | object }
      if (!Array.isArray(data)) return
      reads.set('*', noted.answeredAt)
      for (const { language, namespace, key } of data as readonly Row[])
        reads.set(`${language}/${namespace}/${key}`, noted.answeredAt)
    }
    return { ...answer, onSent }
  })
  return {
    baseUrl: `http://127.0.0.1:${await listen(createServer(watch))}`,
    writes,
    next: (wanted) =>
      new Promise((resolve) => {
        const hear = (method: string) => {
          if (wanted !== undefined && method !== wanted) return
          waiting.delete(hear)
          resolve()
        }
        waiting.add(hear)
      }),
  }
}

interface Row {
  readonly language: string
  readonly namespace: string
  readonly key: string
  readonly text?: string
}

/** The texts that a request sets over others. */
function textsOf({ method, url, body }: ForwardedRequest): [id: string, text: string][] {
  if (method === 'PATCH') {
    const { language, namespace, key, text = '' } = JSON.parse(body.toString()) as Row
    return [[`${language}/${namespace}/${key}`, text]]
  }
  const isReplacing = url.searchParams.getAll('importOptions').join().includes('REPLACE')
  if (method !== 'POST' || !url.pathname.endsWith('/import') || !isReplacing) return []
  const content = body.toString()
  const texts = JSON.parse(content.slice(content.indexOf('{'), content.lastIndexOf('}') + 1)) as Record<string, string>
  const part = `${url.searchParams.get('languageKey')}/${url.searchParams.get('namespace') ?? ''}`
  return Object.entries(texts).map(([key, text]) => [`${part}/${key}`, text])
}
