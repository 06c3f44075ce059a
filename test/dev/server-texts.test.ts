/** Texts that a Vite server loads for rendering: an edit reaches what the server renders and the page that shows it. */
import { basename, join } from 'node:path'
import type { HotPayload, Plugin, ViteDevServer } from 'vite'
import { describe, expect, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { startVite, watches } from '../helpers/dev-servers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const OPTIONS: PluginOptions = { configFile: false, defaultLanguage: 'en' }
const ADDRESS = '/@id/__x00__localization'
const MANIFEST = 'manifest.js'
const HELP = 'en.help.js'
const COMMON_FILE = 'locales/en/common.json'
const HELP_FILE = 'locales/en/help.json'

describe.each(['vite', 'vite7'] as const)('%s', (name) => {
  async function createApp() {
    const root = await tempFolder()
    await writeTree(root, {
      'main.js': "import { onUpdate } from 'virtual:translations'\nonUpdate(console.log)\n",
      'server.js':
        "import { load } from 'virtual:translations'\n" +
        "export const render = async () => (await load('en', 'common')).title\n",
      [COMMON_FILE]: { title: 'Title' },
      [HELP_FILE]: { answer: 'Answer' },
    })
    const plugin = (await builtPlugin('vite', OPTIONS)) as Plugin
    const start = async () => {
      const optimizeDeps = { noDiscovery: true }
      const server = await startVite({ root, configFile: false, optimizeDeps, plugins: [plugin] }, name)
      await watches(server, join(root, COMMON_FILE))
      return server
    }
    const edit = (title: string) => writeTree(root, { [COMMON_FILE]: { title } })
    return { root, start, edit }
  }

  test('an edit of texts that only the server has loaded updates the manifest in the page', async () => {
    const { root, start, edit } = await createApp()
    const server = await start()
    for (const path of ['/main.js', `${ADDRESS}/${MANIFEST}`, `${ADDRESS}/namespace/${HELP}`])
      expect((await fetch(new URL(path, server.resolvedUrls?.local[0]))).status).toBe(200)
    expect(await render(server)).toBe('Title')
    const updated = recordUpdates(server)
    await edit('First edit')
    await expect.poll(updated).toEqual([MANIFEST])
    await expect.poll(() => render(server)).toBe('First edit')
    await writeTree(root, { [HELP_FILE]: { answer: 'Edited' } })
    await expect.poll(updated).toEqual([MANIFEST, HELP])
    await edit('Second edit')
    await expect.poll(updated).toEqual([MANIFEST, HELP, MANIFEST])
    await expect.poll(() => render(server)).toBe('Second edit')
  })

  test('two servers with one instance, as in Nuxt: the first edit reaches what each has loaded', async () => {
    const { start, edit } = await createApp()
    const servers = [await start(), await start()]
    for (const server of servers) expect(await render(server)).toBe('Title')
    for (const title of ['First edit', 'Second edit']) {
      await edit(title)
      for (const server of servers) await expect.poll(() => render(server)).toBe(title)
    }
  })
})

async function render(server: ViteDevServer): Promise<string> {
  return ((await server.ssrLoadModule('/server.js')) as { render(): Promise<string> }).render()
}

/** The names of the modules that pages are told to update. */
function recordUpdates(server: ViteDevServer): () => string[] {
  const names: string[] = []
  const send = server.environments.client.hot.send.bind(server.environments.client.hot)
  server.environments.client.hot.send = ((payload: HotPayload, ...rest: []) => {
    if (typeof payload === 'object' && payload.type === 'update')
      names.push(...payload.updates.map(({ path }) => basename(path)))
    return send(payload, ...rest)
  }) as typeof send
  return () => names
}
