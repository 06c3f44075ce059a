/**
 * The built local service in a process of its own: `createLocalService` with the argument, its addresses on the first
 * line.
 */
import { subscribe } from 'node:diagnostics_channel'
import { createLocalService } from '../../dist/service.js'

const { tellPatches, countAnswers, clockBehindMs, ...options } = JSON.parse(process.argv[2])
// Told when the answer is written: from then on the text is acknowledged.
if (tellPatches) {
  subscribe('http.server.response.finish', ({ request }) => {
    if (request.method === 'PATCH') process.send?.(Date.now())
  })
}
// Tells when it is asked, and begins anew.
if (countAnswers) {
  const written = new WeakMap()
  let count = { requests: 0, bytes: 0 }
  subscribe('http.server.response.finish', ({ socket }) => {
    count.requests++
    count.bytes += socket.bytesWritten - (written.get(socket) ?? 0)
    written.set(socket, socket.bytesWritten)
  })
  process.on('message', () => {
    process.send(count)
    count = { requests: 0, bytes: 0 }
  })
}
const now = clockBehindMs && (() => Date.now() - clockBehindMs)
const { close, ...shown } = await createLocalService({ ...options, now })
process.once('SIGTERM', async () => {
  await close()
  process.exit()
})
console.log(JSON.stringify(shown))
