/**
 * Vite's dev server names the address of the inspector when it listens, in the form of its own lines; and nothing where
 * there is none. webpack's: `page-updates.test.ts`.
 */
import { stripVTControlCharacters } from 'node:util'
import { createLogger } from 'vite'
import { afterEach, expect, test, vi } from 'vitest'
import { builtPlugin } from '../helpers/bundlers.ts'
import { whenOver } from '../helpers/closing.ts'
import { startVite } from '../helpers/dev-servers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

afterEach(() => void vi.restoreAllMocks())

/** What the plugin logs, and what Vite's own logger prints. */
function heard(): { readonly said: () => string; readonly printed: string[] } {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  return { said: () => written.mock.calls.map(([text]) => String(text)).join(''), printed: [] }
}

async function startPrinting(inspector: boolean, printed: string[]) {
  const root = await tempFolder()
  await writeTree(root, { 'package.json': { type: 'module' }, 'locales/en/common.json': { title: 'Title' } })
  const plugins = [(await builtPlugin('vite', { inspector })) as never]
  const customLogger = { ...createLogger('silent'), info: (text: string) => void printed.push(text) }
  const server = await startVite({ root, configFile: false, base: '/app/', plugins, customLogger })
  server.printUrls()
  return server.resolvedUrls?.local[0] ?? 'nothing'
}

test('Vite, below its base', async () => {
  const { said, printed } = heard()
  const address = await startPrinting(true, printed)
  expect(address).toMatch(/\/app\/$/)
  await expect.poll(() => printed, { timeout: 60_000 }).toContain(`  ➜  Inspector: ${address}__localization/`)
  expect(said()).not.toContain('__localization')
})

test('in the colors of Vite, where the terminal has them', async () => {
  const { printed } = heard()
  const { hasColors } = process.stdout
  process.stdout.hasColors = () => true
  whenOver(() => void Object.assign(process.stdout, { hasColors }))
  const address = await startPrinting(true, printed)
  const line = () => printed.find((each) => each.includes('Inspector'))
  await expect
    .poll(line, { timeout: 60_000 })
    .toContain('\u001b[32m➜\u001b[39m  \u001b[1mInspector\u001b[22m: \u001b[36m')
  expect(stripVTControlCharacters(line() ?? '')).toBe(`  ➜  Inspector: ${address}__localization/`)
})

test('Vite without an inspector', async () => {
  const { said, printed } = heard()
  await startPrinting(false, printed)
  await expect.poll(said, { timeout: 60_000 }).toContain('1 language')
  expect(said() + printed.join('')).not.toContain('__localization')
})
