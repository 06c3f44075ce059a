/** A file that is away for a moment, as editors and git replace files: its module is whole, and no page is reloaded. */
import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { HotPayload, Plugin, ViteDevServer } from 'vite'
import { describe, expect, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { builtPlugin, isTested } from '../helpers/bundlers.ts'
import { whenOver } from '../helpers/closing.ts'
import { startVite, watches } from '../helpers/dev-servers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const OPTIONS: PluginOptions = { configFile: false, defaultLanguage: 'en' }
const MANIFEST = '/@id/__x00__localization/manifest.js'
const MODULE = '/@id/__x00__localization/namespace/en.common.js'

describe.each(['vite', 'vite7'].filter(isTested))('%s', (name) => {
  async function start(isWatching: boolean, others: readonly Plugin[] = []) {
    const root = await tempFolder()
    await writeTree(root, {
      'main.js': "import { load } from 'virtual:translations'\nglobalThis.load = load\n",
      'locales/en/common.json': { title: 'Title' },
      'locales/en/other.json': { word: 'word' },
      'locales/de/common.json': { title: 'Titel' },
    })
    const config = {
      root,
      configFile: false as const,
      optimizeDeps: { noDiscovery: true },
      server: isWatching ? {} : { watch: null },
      plugins: [...others, (await builtPlugin('vite', OPTIONS)) as never],
    }
    const server = await startVite(config, name)
    const address = server.resolvedUrls?.local[0] ?? ''
    const get = async (path: string) => {
      const response = await fetch(new URL(path, address))
      return `${response.status} ${await response.text()}`
    }
    await get('/main.js')
    expect(await get(MANIFEST)).toMatch(/^200 /) // Whoever answers it has read the files.
    return { root, server, get, file: join(root, 'locales/en/common.json') }
  }

  test('a module that is asked for before anybody knows', async () => {
    // Vite does not tell the plugin of the file's end. The plugin's own watch may have, or not yet: with or without the
    // text, the module is whole.
    const { get, file } = await start(false)
    await rm(file)
    expect(await get(MODULE)).toMatch(/^200 .*export default messages/s)
  })

  test('a request that an edit overtakes: what it read is not kept for the next request', async () => {
    let [isSlow, isBegun, release] = [false, false, () => {}]
    const isReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    whenOver(() => release())
    const slow: Plugin = {
      name: 'slow',
      async transform(_code, id) {
        if (!isSlow || !id.includes('en.common')) return
        isBegun = true
        await isReleased
      },
    }
    const { root, server, get, file } = await start(true, [slow])
    expect(await get(MODULE)).toContain('Title')
    await watches(server, file)
    const edit = async (title: string) => {
      const isAnnounced = updateOf(server, 'en.common.js')
      await writeTree(root, { 'locales/en/common.json': { title } })
      await isAnnounced
    }
    await edit('First edit')
    isSlow = true
    const overtaken = get(MODULE)
    await expect.poll(() => isBegun).toBe(true)
    await edit('Second edit')
    release()
    expect(await overtaken).toMatch(/^200 /)
    expect(await get(MODULE)).toContain('Second edit')
  })

  test('an edit after the page is asked about two events, and before the server is: the page is told', async () => {
    let [asked, isSaved, goOn] = [0, false, () => {}]
    const bothAreAsked = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const between: Plugin = {
      name: 'between',
      async hotUpdate() {
        if (this.environment.name !== 'client') return
        if (++asked === 2) goOn()
        await bothAreAsked
        if (!isSaved) writeFileSync(file, JSON.stringify({ title: 'Edited' }))
        isSaved = true
      },
    }
    const { root, server, get, file } = await start(true, [between])
    expect(await get(MODULE)).toContain('Title')
    await watches(server, file)
    server.watcher.unwatch(file)
    // As when git makes a file, and fills it so soon that the watcher drops the second event.
    for (const each of ['common', 'other']) server.watcher.emit('change', join(root, `locales/en/${each}.json`))
    await expect.poll(() => get(MODULE)).toContain('Edited')
  })

  test('a file removed and written again, and removed for good', async () => {
    const { root, server, get, file } = await start(true)
    const sent: HotPayload[] = []
    const send = server.ws.send.bind(server.ws)
    server.ws.send = ((payload: HotPayload, ...rest: []) => {
      if (typeof payload === 'object') sent.push(payload)
      return send(payload, ...rest)
    }) as typeof server.ws.send
    const code = () => get(MODULE)
    expect(await code()).toMatch(/^200 .*Title/s)
    await watches(server, file)
    for (let i = 1; i <= 5; i++) {
      await rm(file)
      if (i % 2 === 1) await expect.poll(code).not.toContain('Title')
      await writeTree(root, { 'locales/en/common.json': { title: `Title ${i}` } })
      await expect.poll(code).toContain(`Title ${i}`)
    }
    await rm(file)
    await expect.poll(code).not.toContain('Title')
    expect(sent.map(({ type }) => type).filter((type) => type !== 'update' && type !== 'custom')).toEqual([])
  })
})

/** Resolves when the page is told to update that module. */
function updateOf({ environments }: ViteDevServer, name: string): Promise<void> {
  const { hot } = environments.client
  const send = hot.send.bind(hot)
  return new Promise((resolve) => {
    hot.send = ((payload: HotPayload, ...rest: []) => {
      if (typeof payload === 'object' && payload.type === 'update')
        if (payload.updates.some(({ path }) => path.endsWith(name))) resolve()
      return send(payload, ...rest)
    }) as typeof send
  })
}
