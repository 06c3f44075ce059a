/** `service.baseUrl: 'local'`: the service, shared by the sessions of a load, and filled at the first start. */

import type { ResolvedConfig } from '../config/types.ts'
import type { Logger } from '../logger.ts'
import { count } from '../shared/figures.ts'

export interface LocalConnection {
  /** The configuration with the started service's addresses and the project's key. */
  readonly config: ResolvedConfig
  readonly personalToken: string
  /**
   * One more user: a dev server that restarts opens its next session before it closes the last one. Returns the
   * function that ends the use; the last user closes the service.
   */
  retain(): () => Promise<void>
  /** Resolves when the last user has closed the service; `undefined` as long as there is a user. */
  readonly closed: Promise<void> | undefined
  /** Ends the service where this process runs it. */
  close(): Promise<void>
}

/** In dev a project without texts gets those of the files, unless `push` is off. A build changes nothing. */
export async function connectLocalService(
  given: ResolvedConfig,
  command: 'build' | 'dev',
  logger: Logger,
): Promise<LocalConnection> {
  // Imported here, so that a project without a service does not load the code that calls one.
  const local = await import('../local/service.ts')
  const { config, project, personalToken, isShared, close } = await local.connectLocalService(given, {
    takeOver: command === 'dev',
  })
  try {
    const name = JSON.stringify(project.name)
    logger.info(
      `local service at ${config.service.baseUrl}${isShared ? ', which another process runs' : ''}, project ${name}`,
    )
    if (command === 'dev' && config.push !== false && project.keys === 0) await fill(config, logger)
  } catch (error) {
    await close()
    throw error
  }
  let users = 0
  let closed: Promise<void> | undefined
  return {
    config,
    personalToken,
    close,
    get closed() {
      return closed
    },
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
    if (texts > 0) logger.info(`first start: imported ${count(texts, 'text')} of the files into it`)
  } finally {
    await client.close()
  }
}
