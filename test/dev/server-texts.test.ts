/** Texts that a Vite server loads for rendering: an edit reaches what the server renders and the page that shows it. */
import { basename, join } from 'node:path'
import type { DevEnvironment, HotPayload, Plugin, RunnableDevEnvironment, ViteDevServer } from 'vite'
import { describe, expect, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { builtPlugin, isTested } from '../helpers/bundlers.ts'
import { startVite, watches } from '../helpers/dev-servers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const OPTIONS: PluginOptions = { configFile: false, defaultLanguage: 'en' }
const ADDRESS = '/@id/__x00__localization'
const MANIFEST = 'manifest.js'
const HELP = 'en.help.js'
const COMMON_FILE = 'locales/en/common.json'
const HELP_FILE = 'locales/en/help.json'

describe.each(['vite', 'vite7'].filter(isTested))('%s', (name) => {
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
    const start = (own: object = {}, others: Plugin[] = []) =>
      startVite(
        { root, configFile: false, optimizeDeps: { noDiscovery: true }, server: own, plugins: [...others, plugin] },
        name,
      )
    const edit = (title: string) => writeTree(root, { [COMMON_FILE]: { title } })
    return { root, start, edit }
  }

  test('an edit of texts that only the server has loaded updates the manifest in the page', async () => {
    const { root, start, edit } = await createApp()
    const server = await start()
    await watches(server, join(root, COMMON_FILE))
    for (const path of ['/main.js', `${ADDRESS}/${MANIFEST}`, `${ADDRESS}/namespace/${HELP}`])
      expect((await fetch(new URL(path, server.resolvedUrls?.local[0]))).status).toBe(200)
    expect(await render(server)).toBe('Title')
    const updated = recordUpdates(server.environments.client)
    await edit('First edit')
    await expect.poll(updated).toEqual([MANIFEST])
    await expect.poll(() => render(server)).toBe('First edit')
    await writeTree(root, { [HELP_FILE]: { answer: 'Edited' } })
    await expect.poll(updated).toEqual([MANIFEST, HELP])
    await edit('Second edit')
    await expect.poll(updated).toEqual([MANIFEST, HELP, MANIFEST])
    await expect.poll(() => render(server)).toBe('Second edit')
  })

  test('texts of before an edit that a request reads while the edit is read: the server renders the new ones', async () => {
    const { root, start, edit } = await createApp()
    let [isEdited, isRead, rendering] = [false, false, Promise.resolve('')]
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    const between: Plugin = {
      name: 'between',
      enforce: 'pre',
      async hotUpdate({ file }) {
        if (isEdited || !file.endsWith('common.json')) return
        isEdited = true
        const { ssr } = server.environments
        for (const module of ssr.moduleGraph.idToModuleMap.values()) ssr.moduleGraph.invalidateModule(module)
        rendering = render(server)
        await expect.poll(() => isRead).toBe(true)
      },
      async transform(_code, id) {
        if (!isEdited || !id.includes('common')) return
        isRead = true
        await isReleased
      },
    }
    const server = await start({}, [between])
    await watches(server, join(root, COMMON_FILE))
    expect(await render(server)).toBe('Title')
    const updated = recordUpdates(server.environments.ssr)
    await edit('Edited')
    await expect.poll(updated).not.toEqual([])
    release()
    await rendering
    await expect.poll(() => render(server)).toBe('Edited')
  })

  test('two servers with one instance, as in Nuxt: the first edit reaches what each has loaded', async () => {
    const { root, start, edit } = await createApp()
    const first = await start()
    await watches(first, join(root, COMMON_FILE))
    const second = await start({ watch: null })
    for (const server of [first, second]) expect(await render(server)).toBe('Title')
    const updated = recordUpdates(second.environments.ssr)
    for (const [index, title] of ['First edit', 'Second edit'].entries()) {
      await edit(title)
      await expect.poll(() => render(first)).toBe(title)
      // Its own watcher is later than that of the first.
      second.watcher.emit('change', join(root, COMMON_FILE))
      await expect.poll(() => render(second)).toBe(title)
      await expect.poll(updated).toHaveLength(index + 1)
    }
  })
})

/** In Vite's module runner, which keeps modules until the server says that they changed. */
async function render({ environments }: ViteDevServer): Promise<string> {
  const { runner } = environments.ssr as RunnableDevEnvironment
  return ((await runner.import('/server.js')) as { render(): Promise<string> }).render()
}

/** The names of the modules that a page or a module runner is told to update. */
function recordUpdates({ hot }: DevEnvironment): () => string[] {
  const names: string[] = []
  const send = hot.send.bind(hot)
  hot.send = ((payload: HotPayload, ...rest: []) => {
    if (typeof payload === 'object' && payload.type === 'update')
      names.push(...payload.updates.map(({ path }) => basename(path)))
    return send(payload, ...rest)
  }) as typeof send
  return () => names
}
