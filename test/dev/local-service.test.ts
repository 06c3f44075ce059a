/** `service.baseUrl: 'local'`: the dev server brings its own service along, and a restart does not lose it. */
import { join } from 'node:path'
import { createServer } from 'vite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { linkPackage } from '../helpers/bundlers.ts'
import { save } from '../helpers/live-page.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

test('edits arrive after a restart of the dev server as before it', async () => {
  vi.stubEnv('CI', '')
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  const root = await tempFolder()
  await linkPackage(root)
  await writeTree(root, {
    'package.json': { type: 'module' },
    'vite.config.js': `
      import localization from 'unplugin-localization/vite'
      export default { plugins: [localization({ service: { baseUrl: 'local' }, defaultLanguage: 'en' })] }
    `,
    'locales/en/common.json': { title: 'Title' },
  })
  const server = await createServer({ root, logLevel: 'silent', server: { host: '127.0.0.1', port: 0 } })
  onTestFinished(() => server.close())
  await server.listen()
  const pushed = () => said.filter((line) => line.includes('pushed')).length

  await expect.poll(() => said.join(''), { timeout: 20_000 }).toContain('held')
  await save(join(root, 'locales/en/common.json'), { title: 'Title', added: 'one' })
  await expect.poll(pushed, { timeout: 20_000 }).toBe(1)

  await server.restart()
  await save(join(root, 'locales/en/common.json'), { title: 'Title', added: 'two' })
  await expect.poll(pushed, { timeout: 20_000 }).toBe(2)
  expect(said.join('')).not.toContain('ECONNREFUSED')
})
