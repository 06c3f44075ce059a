/**
 * `npm start`: the local service with the playground's catalog in it, and the playground on Vite's dev server. See
 * `--help`.
 */

import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build as buildPackage } from '../scripts/build.mjs'
import { freePort, readPort } from './start/ports.mjs'

const HELP = `npm start [-- options]

  --port <number>          the page's port (5173; the next free one when it is taken; 0: any)
  --service-port <number>  the local service's port (4400; any free one when it is taken; 0: any)
  --data <folder>          where the service keeps its data (playground/.localization/service)
  --no-build               use dist as it is
  --help
`
const HOST = '127.0.0.1'

/** Whatever is started is closed in the opposite order. */
const closers = []
let closing

function close() {
  closing ??= (async () => {
    for (const closer of closers.reverse()) await closer()
  })()
  return closing
}

function say(line) {
  process.stdout.write(`${line}\n`)
}

function fail(error, code) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  return close().finally(() => process.exit(code))
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '5173' },
      'service-port': { type: 'string', default: '4400' },
      data: { type: 'string', default: fileURLToPath(new URL('.localization/service', import.meta.url)) },
      'no-build': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  return {
    port: readPort('--port', values.port),
    servicePort: readPort('--service-port', values['service-port']),
    dataDir: values.data,
    build: !values['no-build'],
    help: values.help,
  }
}

async function startPage(port) {
  const { createServer } = await import('vite')
  const server = await createServer({
    configFile: fileURLToPath(new URL('vite.config.ts', import.meta.url)),
    clearScreen: false,
    server: { host: HOST, port },
  })
  closers.push(() => server.close())
  await server.listen()
  // Vite's own listener would end the process before the service is closed.
  process.removeAllListeners('SIGTERM')
  stopOn('SIGTERM')
  const address = server.httpServer?.address()
  if (typeof address !== 'object' || address === null) throw new Error('the dev server has no address')
  return `http://${HOST}:${address.port}`
}

/** The first signal closes everything in order; a second one does not wait. */
function stopOn(signal) {
  process.on(signal, () => {
    if (closing) process.exit(1)
    close().then(
      () => process.exit(0),
      (error) => fail(error, 1),
    )
  })
}

async function start({ port, servicePort, dataDir, build }) {
  stopOn('SIGINT')
  stopOn('SIGTERM')
  if (build) await buildPackage({ types: false, ifChanged: true, log: say })
  const { startService } = await import('./start/service.mjs')
  const service = await startService({ dataDir, host: HOST, port: await freePort(servicePort, HOST) })
  closers.push(service.close)
  // The plugin reads these in this process; none of them reaches the page.
  process.env.LOCALIZATION_API_KEY = service.apiKey
  process.env.LOCALIZATION_BASE_URL = service.baseUrl
  process.env.LOCALIZATION_CDN_URL = service.cdnUrl
  say(`service  ${service.baseUrl}  (${service.summary})`)
  say(`page     ${await startPage(port)}`)
}

let options
try {
  options = readOptions()
} catch (error) {
  process.stderr.write(`${error.message}\n\n${HELP}`)
  process.exit(2)
}
if (options.help) say(HELP.trimEnd())
else await start(options).catch((error) => fail(error, 1))
