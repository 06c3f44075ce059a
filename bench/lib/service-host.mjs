/** The built local service in a process of its own: `createLocalService` with the argument, its addresses on the first line. */
import { subscribe } from 'node:diagnostics_channel'
import { createLocalService } from '../../dist/service.js'

const { tellPatches, ...options } = JSON.parse(process.argv[2])
// Told when the answer is written: from then on the text is acknowledged.
if (tellPatches) {
  subscribe('http.server.response.finish', ({ request }) => {
    if (request.method === 'PATCH') process.send?.(Date.now())
  })
}
const { close, ...shown } = await createLocalService(options)
process.once('SIGTERM', async () => {
  await close()
  process.exit()
})
console.log(JSON.stringify(shown))
