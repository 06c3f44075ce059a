/** Bun as the runtime: the client, builds with a service and commands. */
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { linkPackage, repository } from '../helpers/bundlers.ts'
import { createAuthority, HOST, startConnectProxy, startTlsServer } from '../helpers/company-network.ts'
import { covers } from '../helpers/compatibility.ts'
import { bunBinary, Unavailable } from '../helpers/package-managers.ts'
import { startProject } from '../helpers/project.ts'
import { runNode } from '../helpers/tarball.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'
import { forwardTo } from '../helpers/throwaway-server.ts'

const bun = await bunBinary().catch((error: Error) => {
  if (process.env.CI || !(error instanceof Unavailable)) throw error
  console.warn(`Bun is not tested: ${error.message}`)
  return undefined
})

type Env = Readonly<Record<string, string>>

async function run(cwd: string, args: readonly string[], env: Env = {}) {
  const { code, output, stdout } = await runNode(bun ?? '', ['--bun', ...args], { cwd, env })
  expect([code, output]).toEqual([0, output])
  return stdout
}

async function startService(): Promise<{ readonly baseUrl: string; readonly env: Env }> {
  const { baseUrl, apiKey, importTexts } = await startProject({ service: { languages: [] } })
  await importTexts('en', 'common', { title: 'From the service' })
  return { baseUrl, env: { LOCALIZATION_BASE_URL: baseUrl, LOCALIZATION_API_KEY: apiKey } }
}

const CLIENT = `
import { createClient } from ${JSON.stringify(pathToFileURL(join(repository, 'dist/client.js')).href)}
const { LOCALIZATION_BASE_URL: baseUrl, LOCALIZATION_API_KEY: apiKey } = process.env
const client = createClient({ baseUrl, apiKey, retries: 0 })
await client.keys.create({ key: 'new' })
await client.translations.set({ key: 'new', language: 'en', text: 'Hello' })
const { url } = (await client.exports.v3({ downloadFormat: 'single-language-json', languageKey: 'en' }))
await client.imports.upload({ file: '{"imported":"yes"}', fileName: 'a.json', uploadFormat: 'single-language-json', languageKey: 'en' })
const { translations } = await client.translations.query({})
const failure = await client.environments.status('nowhere').catch(({ code }) => code)
await client.close()
console.log(JSON.stringify({ texts: translations.map(({ key }) => key).sort(), isExported: url !== undefined, failure }))
`

covers({ tool: 'Bun as the runtime', setting: 'the client, builds, `push` and `pull`', bundlers: ['vite'] })

test.skipIf(!bun)('the client: reads, writes, uploads, fails with its own errors, and closes', async () => {
  const { env } = await startService()
  const folder = await tempFolder()
  await writeTree(folder, { 'client.mjs': CLIENT })
  const answer = JSON.parse(await run(folder, ['client.mjs'], env))
  expect(answer).toEqual({ texts: ['imported', 'new', 'title'], isExported: true, failure: 'API_NOT_FOUND' })
})

test.skipIf(!bun)('through a proxy, to a service with a certificate of a private authority', async () => {
  const { baseUrl, env } = await startService()
  const authority = await createAuthority()
  const port = await startTlsServer(await authority.issue([HOST]), forwardTo(baseUrl))
  const proxy = await startConnectProxy(port)
  const folder = await tempFolder()
  await writeTree(folder, { 'locales/en/common.json': { title: 'From the service' } })
  const through = { ...env, LOCALIZATION_BASE_URL: `https://${HOST}`, HTTPS_PROXY: proxy.address }
  const status = ['status', '--json'] as const
  const cli = join(repository, 'dist/cli.js')
  await run(folder, [cli, ...status], { ...through, NODE_EXTRA_CA_CERTS: authority.file })
  expect(new Set(proxy.asked)).toEqual(new Set([`${HOST}:443`]))
  const { code, output } = await runNode(bun ?? '', ['--bun', cli, ...status], { cwd: folder, env: through })
  expect([code, output]).toEqual([1, expect.stringContaining('NODE_EXTRA_CA_CERTS')])
})

test.skipIf(!bun)('builds with Vite, from a service elsewhere and from the local one', async () => {
  const { env } = await startService()
  for (const [name, variables] of [
    ['elsewhere', env],
    ['local', { LOCALIZATION_BASE_URL: 'local' }],
  ] as const) {
    const folder = await tempFolder()
    await linkPackage(folder)
    await symlink(join(repository, 'node_modules/vite'), join(folder, 'node_modules/vite'))
    await writeTree(folder, {
      'package.json': { type: 'module' },
      'main.js': `import texts from 'virtual:translations/en/common'\nconsole.log(texts.title)\n`,
      'locales/en/common.json': { title: 'From the file' },
      'localization.config.ts': `import { defineConfig } from 'unplugin-localization'\nexport default defineConfig({ defaultLanguage: 'en' })\n`,
      'vite.config.js': `import localization from 'unplugin-localization/vite'
const rollupOptions = { input: 'main.js', output: { entryFileNames: 'main.mjs' } }
export default { plugins: [localization()], build: { rollupOptions } }
`,
    })
    await run(folder, ['node_modules/vite/bin/vite.js', 'build'], variables)
    const output = await readFile(join(folder, 'dist/main.mjs'), 'utf8')
    expect([name, output]).toEqual([
      name,
      expect.stringContaining(name === 'local' ? 'From the file' : 'From the service'),
    ])
  }
})

test.skipIf(!bun)('commands: push and pull', async () => {
  const { env } = await startService()
  const folder = await tempFolder()
  await writeTree(folder, { 'locales/en/common.json': { added: 'Here' } })
  const cli = join(repository, 'dist/cli.js')
  expect(await run(folder, [cli, 'push'], env)).toContain('pushed 1 text')
  expect(await run(folder, [cli, 'pull'], env)).toContain('pulled 1 text into 1 file')
  const text = await readFile(join(folder, 'locales/en/common.json'), 'utf8')
  expect(JSON.parse(text)).toEqual({ added: 'Here', title: 'From the service' })
})
