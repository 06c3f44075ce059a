/** Requests as fast as they go: so many at once, for so long. */
import { Pool } from 'undici'

/** Requests a second. `next(i)` gives the i-th request; any status but `status` ends it with an error. */
export async function measureRate({ baseUrl, concurrency, durationMs, next, status = 200 }) {
  const pool = new Pool(baseUrl, { connections: concurrency, pipelining: 1 })
  let sent = 0
  const run = async (until) => {
    let done = 0
    const work = async () => {
      while (performance.now() < until) {
        const answer = await pool.request(next(sent++))
        if (answer.statusCode !== status) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`)
        // Read as a client reads it, and no more: what parsing costs is not the server's.
        for await (const _ of answer.body);
        done++
      }
    }
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: concurrency }, work))
    return (done * 1000) / (performance.now() - startedAt)
  }
  try {
    await run(performance.now() + durationMs / 4)
    return await run(performance.now() + durationMs)
  } finally {
    await pool.destroy()
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
