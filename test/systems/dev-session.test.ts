/** A dev server on Vite: an edited file changes the page and reaches the service, and no spelling leads to secrets. */
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ViteDevServer } from 'vite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startVite } from '../helpers/dev-servers.ts'
import { save } from '../helpers/temp.ts'
import { oddFolder, PACKAGE, withService } from './app.ts'

const FILE = 'locales/en/shop.json'

async function startSession(name?: string) {
  const root = await oddFolder(
    {
      'localization.config.mjs': `export default { defaultLanguage: 'en', pull: { intervalMs: 1000, write: true } }`,
      'locales/pl/shop.json': { title: 'Sklep' },
      [FILE]: { title: 'Shop' },
      'index.html': '<script type="module" src="/main.js"></script>',
      'main.js': 'console.log(1)',
    },
    name,
  )
  const service = await withService(root)
  const pushed = await service.run('push')
  expect(pushed.code, pushed.output).toBe(0)
  for (const [variable, value] of Object.entries(service.env)) vi.stubEnv(variable, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { default: localization } = await import(pathToFileURL(join(PACKAGE, 'vite.js')).href)
  const cacheDir = join(root, '.vite')
  const server = await startVite({ root, configFile: false, cacheDir, plugins: [localization()] })
  return { ...service, root, server, updates: listen(server) }
}

/** The updates that the server sends to pages. */
function listen(server: ViteDevServer): unknown[] {
  const { hot } = server.environments.client
  const sent: unknown[] = []
  const send = hot.send.bind(hot) as (...given: unknown[]) => void
  hot.send = (...given: unknown[]) => {
    sent.push(given)
    send(...given)
  }
  return sent
}

test('an edited file changes the page and the service; a text of the service changes the file', async () => {
  const { root, server, updates, client } = await startSession()
  const moduleOf = () => server.transformRequest('virtual:translations/en/shop').then((result) => result?.code)
  expect(await moduleOf()).toContain('Shop')
  const textAt = async (language: string) =>
    (await client.translations.query({ language, namespace: 'shop' })).translations.map(({ text }) => text)
  expect(await textAt('en')).toEqual(['Shop'])
  await save(join(root, FILE), '{ "title": "Zażółć" }\r\n')
  await expect.poll(() => JSON.stringify(updates)).toContain('virtual:translations/en/shop')
  await expect.poll(moduleOf).toContain('Zażółć')
  await expect.poll(() => textAt('en')).toEqual(['Zażółć'])
  await client.translations.set({ language: 'pl', namespace: 'shop', key: 'title', text: 'Sklepik' })
  await expect.poll(() => readFile(join(root, 'locales/pl/shop.json'), 'utf8')).toContain('Sklepik')
})

test('no spelling of .localization is served', async () => {
  const { root, server } = await startSession('app')
  await save(join(root, '.localization/secret.json'), '{ "token": "of the service" }')
  const base = server.resolvedUrls?.local[0] ?? ''
  const names = [
    '.localization',
    '.LOCALIZATION',
    '.localization.',
    '.localization ',
    '.localization::$INDEX_ALLOCATION',
  ]
  names.push('LOCALI~1', 'locali~2', '.loca\u017fization', '.%6Cocalization', '.localization\u200b')
  const parents = ['', '/', '@fs/', `@fs/${root}/`, 'x/../', 'x\\..\\', `@fs/${dirname(root)}/APP/`]
  const files = ['secret.json', 'secret.json::$DATA']
  let asked = 0
  for (const parent of parents) {
    for (const name of names) {
      for (const file of files) {
        for (const separator of ['/', '\\', '%5C']) {
          for (const query of ['', '?raw', '?url']) {
            const address = base + encodeURI(parent + name).replaceAll('%25', '%') + separator + encodeURI(file) + query
            const answer = await fetch(address).then((response) => response.text())
            expect(answer, address).not.toContain('of the service')
            asked++
          }
        }
      }
    }
  }
  process.stdout.write(`${asked} spellings\n`)
})
