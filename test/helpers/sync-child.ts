/** A process that syncs a folder until it is killed: `sync-child.ts <root> <baseUrl> <apiKey>`. */
import { createClient } from '../../src/api/client.ts'
import { resolveConfig } from '../../src/config/resolve.ts'
import { createLogger } from '../../src/logger.ts'
import { createSyncEngine } from '../../src/sync/engine.ts'

const [root = '', baseUrl = '', apiKey = ''] = process.argv.slice(2)
const config = resolveConfig({ source: 'files', service: { baseUrl, apiKey } }, { root, ci: false })
const engine = createSyncEngine({
  config,
  logger: createLogger({ level: 'debug' }),
  openClient: () => createClient({ baseUrl, apiKey, proxy: false }),
})
await engine.start()
await engine.refresh()
process.stdout.write(`ready ${engine.status().role}\n`)
