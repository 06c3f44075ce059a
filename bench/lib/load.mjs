/** Requests as fast as they go: so many at once, for so long. */
import { Pool } from 'undici'
import { languageNames, messagesOf, namespaceNames, textCount } from './catalog.mjs'
import { percentile } from './stats.mjs'

/**
 * Requests a second and the 99th percentile of their milliseconds, over one or several servers in turn. `next(i)` gives
 * the i-th request; any status but `status` ends it with an error.
 */
export async function measureLoad({ baseUrls, concurrency, durationMs, next, status = 200 }) {
  const pools = baseUrls.map((baseUrl) => new Pool(baseUrl, { connections: concurrency, pipelining: 1 }))
  let sent = 0
  const run = async (until) => {
    const times = []
    const work = async () => {
      while (performance.now() < until) {
        const sentAt = performance.now()
        const answer = await pools[sent % pools.length].request(next(sent++))
        if (answer.statusCode !== status) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`)
        // Read as a client reads it, and no more: what parsing costs is not the server's.
        for await (const _ of answer.body);
        times.push(performance.now() - sentAt)
      }
    }
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: concurrency }, work))
    return { rate: (times.length * 1000) / (performance.now() - startedAt), p99: percentile(times, 0.99) }
  }
  try {
    await run(performance.now() + durationMs / 4)
    return await run(performance.now() + durationMs)
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()))
  }
}

/** Requests to a project that has a catalog of this size. */
export function requestsOf(size, headers) {
  const languages = languageNames(size.languages)
  const keys = namespaceNames(size.namespaces).flatMap((namespace, index) =>
    Object.keys(messagesOf(size, 0, index)).map((key) => [namespace, key]),
  )
  const pages = Math.max(1, Math.floor(textCount(size) / 500))
  let texts = 0
  return {
    /** Each with a new text. */
    patch(i) {
      const [namespace, key] = keys[(i * 7919) % keys.length]
      const language = languages[i % languages.length]
      return {
        method: 'PATCH',
        path: '/api/v2/translations',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ key, namespace, language, text: `A text that is new, number ${++texts}` }),
      }
    },
    /** Page by page. */
    query: (i) => ({ method: 'GET', path: `/api/v2/translations?size=500&page=${i % pages}`, headers }),
  }
}

/** One answer as it came: status, the headers that matter, bytes. */
export async function capture(baseUrl, request) {
  const pool = new Pool(baseUrl, { connections: 1 })
  try {
    const { statusCode, headers, body } = await pool.request(request)
    const kept = ['content-type', 'content-encoding', 'etag', 'vary', 'cache-control']
    const bytes = Buffer.from(await body.arrayBuffer())
    return {
      status: statusCode,
      headers: {
        ...Object.fromEntries(kept.filter((name) => headers[name]).map((name) => [name, headers[name]])),
        ...(statusCode !== 304 && { 'content-length': bytes.length }),
      },
      body: bytes,
    }
  } finally {
    await pool.destroy()
  }
}
