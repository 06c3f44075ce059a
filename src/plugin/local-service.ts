/**
 * The connection to the local service, for `service.baseUrl: 'local'`. Sessions that share a load also share the
 * connection.
 */

import type { ResolvedConfig } from '../config/types.ts'
import type { Logger } from '../logger.ts'
import { count } from '../shared/figures.ts'

/**
 * Connects to the service. In dev, if its project is empty, fills the project from the files, unless `push` is off. A
 * build changes nothing in the service.
 */
export async function connectLocalService(given: ResolvedConfig, command: 'build' | 'dev', logger: Logger) {
  // Imported dynamically, because projects without a service do not need the client's code.
  const local = await import('../local/service.ts')
  const { config, project, personalToken, isShared, close } = await local.connectLocalService(given)
  try {
    const name = JSON.stringify(project.name)
    logger.info(
      `local service at ${config.service.baseUrl}${isShared ? ' (run by another process)' : ''}, project ${name}`,
    )
    if (command === 'dev' && config.push !== false && project.keys === 0) await fill(config, logger)
  } catch (error) {
    await close()
    throw error
  }
  let users = 0
  let closed: Promise<void> | undefined
  return {
    /** The configuration with the running service's URLs and the API key of its project. */
    config,
    personalToken,
    /** Stops the service if this process runs it. */
    close,
    /** Set after the last release. Resolves when the service is closed. */
    get closed() {
      return closed
    },
    /**
     * Registers a user of the service. Returns a function that releases it, and the last release closes the service.
     * Users are counted because a dev server that restarts opens a new session before it closes the old one.
     */
    retain() {
      let isHeld = true
      users++
      return async () => {
        if (!isHeld) return
        isHeld = false
        if (--users > 0) return
        closed = close()
        await closed
      }
    },
  }
}

async function fill(config: ResolvedConfig, logger: Logger): Promise<void> {
  const [{ importFiles }, { createClient }] = await Promise.all([
    import('../local/fill.ts'),
    import('../api/client.ts'),
  ])
  const client = createClient(config.service)
  try {
    const texts = await importFiles(client, config)
    if (texts > 0) logger.info(`first start: imported ${count(texts, 'text')} from the files`)
  } finally {
    await client.close()
  }
}
