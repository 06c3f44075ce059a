/** A dev server tells people where the inspector is, when it listens; and nothing where there is none. */
import { afterEach, expect, test, vi } from 'vitest'
import { builtPlugin } from '../helpers/bundlers.ts'
import { devServers, startVite } from '../helpers/dev-servers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

afterEach(() => void vi.restoreAllMocks())

function heard(): () => string {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  return () => written.mock.calls.map(([text]) => String(text)).join('')
}

async function project(): Promise<string> {
  const root = await tempFolder()
  await writeTree(root, {
    'main.js': 'import "virtual:translations/en/common"',
    'package.json': { type: 'module' },
    'locales/en/common.json': { title: 'Title' },
  })
  return root
}

async function startPrinting(inspector: boolean) {
  const root = await project()
  const plugins = [(await builtPlugin('vite', { inspector })) as never]
  const server = await startVite({ root, configFile: false, base: '/app/', plugins })
  server.printUrls()
  return server.resolvedUrls?.local[0] ?? 'nothing'
}

test('Vite, below its base', async () => {
  const said = heard()
  const address = await startPrinting(true)
  expect(address).toMatch(/\/app\/$/)
  await expect.poll(said, { timeout: 60_000 }).toContain(`the texts: ${address}__localization/`)
})

test('Vite without an inspector', async () => {
  const said = heard()
  await startPrinting(false)
  await expect.poll(said, { timeout: 60_000 }).toContain('1 language')
  expect(said()).not.toContain('__localization')
})

test.each(devServers.filter(({ name }) => /^(?:webpack|rspack)$/.test(name)))('$name', async (kind) => {
  const said = heard()
  const server = await kind.start({ root: await project() })
  const { port } = new URL(server.address)
  await expect.poll(said, { timeout: 60_000 }).toContain(`the texts: http://localhost:${port}/__localization/`)
  expect((await fetch(`${server.address}__localization/`)).status).toBe(200)
  await server.close()
})
