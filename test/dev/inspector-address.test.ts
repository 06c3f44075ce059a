/**
 * Vite's dev server tells people where the inspector is, when it listens; and nothing where there is none. webpack's:
 * `page-updates.test.ts`.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { builtPlugin } from '../helpers/bundlers.ts'
import { startVite } from '../helpers/dev-servers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

afterEach(() => void vi.restoreAllMocks())

function heard(): () => string {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  return () => written.mock.calls.map(([text]) => String(text)).join('')
}

async function startPrinting(inspector: boolean) {
  const root = await tempFolder()
  await writeTree(root, { 'package.json': { type: 'module' }, 'locales/en/common.json': { title: 'Title' } })
  const plugins = [(await builtPlugin('vite', { inspector })) as never]
  const server = await startVite({ root, configFile: false, base: '/app/', plugins })
  server.printUrls()
  return server.resolvedUrls?.local[0] ?? 'nothing'
}

test('Vite, below its base', async () => {
  const said = heard()
  const address = await startPrinting(true)
  expect(address).toMatch(/\/app\/$/)
  await expect.poll(said, { timeout: 60_000 }).toContain(`inspector: ${address}__localization/`)
})

test('Vite without an inspector', async () => {
  const said = heard()
  await startPrinting(false)
  await expect.poll(said, { timeout: 60_000 }).toContain('1 language')
  expect(said()).not.toContain('__localization')
})
