/**
 * A proxy in a process of its own that hands each request to the next server, and counts. Asked by a message, it tells
 * what came since the last message.
 */
import { Agent, createServer, request as send } from 'node:http'
import { percentile } from './stats.mjs'

const { targets } = JSON.parse(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
let next = 0
let count = begin()

function begin() {
  return { requests: 0, notModified: 0, failed: 0, bytes: 0, times: [] }
}

const server = createServer((asked, response) => {
  const startedAt = performance.now()
  const { hostname, port } = new URL(targets[next++ % targets.length])
  const { method, url: path, headers } = asked
  const forwarded = send({ hostname, port, method, path, headers, agent }, (answer) => {
    count.requests++
    if (answer.statusCode === 304) count.notModified++
    if (answer.statusCode >= 500) count.failed++
    response.writeHead(answer.statusCode, answer.headers)
    answer.on('data', (chunk) => {
      count.bytes += chunk.length
    })
    answer.on('end', () => count.times.push(performance.now() - startedAt))
    answer.pipe(response)
  })
  forwarded.on('error', () => {
    count.failed++
    response.destroy()
  })
  asked.pipe(forwarded)
})
server.keepAliveTimeout = 60_000
process.on('message', () => {
  const { times, ...told } = count
  process.send({ ...told, p99: percentile(times, 0.99) })
  count = begin()
})
server.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ baseUrl: `http://127.0.0.1:${server.address().port}` })),
)
