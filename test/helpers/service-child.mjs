/** The process of `spawnService`: `service-child.mjs <options as JSON>`. Says where the service is; ends when told to. */
import { createLocalService } from '../../dist/service.js'

const { holdPublishes, ...options } = JSON.parse(process.argv[2] ?? '{}')
let endPublishes = () => {}
const published = new Promise((resolve) => {
  endPublishes = resolve
})
if (holdPublishes) options.duringPublish = () => published
const { close, ...shown } = await createLocalService(options)
process.once('SIGTERM', close).once('SIGINT', close)
process.on('message', async (message) => {
  if (message === 'close') return void close()
  if (message === 'end publishes') return endPublishes()
  // Buffers that one collection finds are freed by another thread, when the machine has time for it: the next one waits
  // for them.
  globalThis.gc?.()
  await new Promise(setImmediate)
  globalThis.gc?.()
  process.send?.(process.memoryUsage())
})
// Nobody may wait for it.
process.channel?.unref()
process.stdout.write(`${JSON.stringify(shown)}\n`)
