/** Two dev servers in one process, as while Vite restarts: they share what was loaded, and the sync. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../src/logger.ts'
import { Session } from '../../src/plugin/session.ts'
import { startProject } from '../helpers/project.ts'

test('the second shows what the service has changed since the load', async () => {
  vi.stubEnv('CI', '')
  onTestFinished(() => void vi.unstubAllEnvs())
  const texts = { title: 'Title' }
  const { root, baseUrl, apiKey, setText } = await startProject({
    files: { 'locales/en/common.json': texts },
    service: { texts: { 'en/common': texts } },
  })
  const start = async () => {
    const options = { configFile: false, service: { baseUrl, apiKey }, pull: { intervalMs: 100 } } as const
    const session = new Session({ options, logger: silentLogger, fallbackRoot: root })
    onTestFinished(() => session.close())
    session.configure({ root, command: 'dev' })
    await session.ready()
    session.dev.startSync()
    return async () => (await session.ready()).translations.messages('en', 'common').get('title')
  }
  for (const _ of ['first', 'second']) {
    const title = await start()
    await setText('en', 'common', 'title', 'New')
    await expect.poll(title, { timeout: 60_000 }).toBe('New')
  }
})
