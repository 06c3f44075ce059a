/** An edited `localization.config.*` takes effect while Vite's dev server runs, as an edited `vite.config.*` does. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtPlugin, isTested, linkPackage } from '../helpers/bundlers.ts'
import { startVite, watches } from '../helpers/dev-servers.ts'
import { areFreed } from '../helpers/freed.ts'
import { save, tempFolder, writeTree } from '../helpers/temp.ts'

/** Vite's root; the configuration is in the package. */
const ROOTS = ['.', 'src']

test.each(['vite', 'vite7'].filter(isTested).flatMap((name) => ROOTS.map((folder) => ({ name, folder }))))(
  '$name in $folder restarts, also out of a configuration that is wrong',
  async ({ name, folder }) => {
    const root = await tempFolder()
    // By name: Vite would bundle the whole plugin into the configuration.
    await linkPackage(root)
    await writeTree(root, {
      'package.json': { type: 'module' },
      [`${folder}/vite.config.mjs`]: `import plugin from 'unplugin-localization/vite'\nexport default { plugins: [plugin()] }\n`,
      'localization.config.json': { defaultLanguage: 'en' },
      'locales/en/common.json': { title: 'Title' },
      'locales/pl/common.json': { title: 'Tytuł' },
    })
    const server = await startVite({ root: join(root, folder), cacheDir: join(root, '.vite') }, name)
    // A restarted server is another one behind the same object.
    const manifest = async () => (await server.transformRequest('virtual:translations'))?.code
    const path = join(root, 'localization.config.json')
    const config = async (content: object) => {
      await watches(server, path)
      await save(path, content)
    }
    try {
      expect(await manifest()).toContain("defaultLanguage: 'en'")
      await config({ defaultLanguage: 'pl' })
      await expect.poll(manifest, { timeout: 60_000 }).toContain("defaultLanguage: 'pl'")
      await config({ defaultLangage: 'pl' })
      await expect.poll(() => manifest().catch(String), { timeout: 60_000 }).toContain('defaultLangage: unknown option')
      await config({ defaultLanguage: 'en' })
      await expect.poll(() => manifest().catch(String), { timeout: 60_000 }).toContain("defaultLanguage: 'en'")
    } finally {
      await server.close()
    }
  },
)

test.each(['vite', 'vite7'].filter(isTested))(
  '%s restarts with the plugin that a framework made once: the new server has the new configuration, and sees edits',
  async (name) => {
    const root = await tempFolder()
    await writeTree(root, {
      'package.json': { type: 'module' },
      'localization.config.json': { defaultLanguage: 'en' },
      'locales/en/common.json': { title: 'Title' },
      'locales/pl/common.json': { title: 'Tytuł' },
    })
    const plugins = [(await builtPlugin('vite', {})) as never]
    const server = await startVite({ root, configFile: false, cacheDir: join(root, '.vite'), plugins }, name)
    const code = (id: string) => async () => (await server.transformRequest(`virtual:translations${id}`))?.code
    for (const [at, language] of ['pl', 'en', 'pl'].entries()) {
      await watches(server, join(root, 'localization.config.json'))
      await save(join(root, 'localization.config.json'), { defaultLanguage: language })
      await expect.poll(code(''), { timeout: 60_000 }).toContain(`defaultLanguage: '${language}'`)
      await watches(server, join(root, 'locales/pl/common.json'))
      await save(join(root, 'locales/pl/common.json'), { title: `Tytuł ${at}` })
      await expect.poll(code('/pl/common'), { timeout: 60_000 }).toContain(`Tytuł ${at}`)
    }
  },
)

/** With the first one, Node keeps the plugin: it is in a module. */
const MADE = ['by vite.config.mjs', 'once by a framework']

test.each(MADE.filter(() => isTested('vite')))(
  'vite with the plugin that was made %s keeps nothing of a server that restarted',
  async (made) => {
    const root = await tempFolder()
    await linkPackage(root)
    await writeTree(root, {
      'package.json': { type: 'module' },
      'vite.config.mjs': `import plugin from 'unplugin-localization/vite'\nexport default { plugins: [plugin()] }\n`,
      'locales/en/common.json': { title: 'Title' },
    })
    const once = { configFile: false as const, plugins: [(await builtPlugin('vite', {})) as never] }
    const server = await startVite({ root, cacheDir: join(root, '.vite'), ...(made === MADE[1] && once) })
    const refs: WeakRef<object>[] = []
    for (let restarts = 0; restarts < 4; restarts++) {
      await server.transformRequest('virtual:translations')
      // Each instance of the plugin has its own.
      const { api } = server.config.plugins.find((plugin) => plugin.name === 'unplugin-localization') as { api: object }
      refs.push(new WeakRef(api))
      await server.restart()
    }
    // Vite itself keeps the first server, and the last one before the current one. Vite 7 keeps all of them.
    await areFreed(refs.slice(1, -1))
  },
)

/** The file that the configuration imports, and its content with that language. */
const IMPORTED: Readonly<Record<string, (language: string) => string>> = {
  'part.json': (language) => JSON.stringify({ defaultLanguage: language }),
  'part.cjs': (language) => `exports.defaultLanguage = '${language}'\n`,
  'part.mjs': (language) => `export const defaultLanguage = '${language}'\n`,
}

test.each(['vite', 'vite7'].filter(isTested))('%s restarts after an edit of a file that it imports', async (name) => {
  const root = await tempFolder()
  await linkPackage(root)
  const names = Object.keys(IMPORTED)
  await writeTree(root, {
    'package.json': { type: 'module' },
    'vite.config.mjs': `import plugin from 'unplugin-localization/vite'\nexport default { plugins: [plugin()] }\n`,
    'localization.config.mjs':
      names.map((file, at) => `import * as part${at} from './parts/${file}'\n`).join('') +
      `const parts = [${names.map((_, at) => `part${at}`).join()}].map(({ defaultLanguage }) => defaultLanguage)\n` +
      `export default { defaultLanguage: parts.find((language) => language !== 'en') ?? 'en' }\n`,
    'locales/en/common.json': { title: 'Title' },
    'locales/pl/common.json': { title: 'Tytuł' },
    ...Object.fromEntries(Object.entries(IMPORTED).map(([file, content]) => [`parts/${file}`, content('en')])),
  })
  const server = await startVite({ root, cacheDir: join(root, '.vite') }, name)
  const manifest = async () => (await server.transformRequest('virtual:translations'))?.code
  try {
    expect(await manifest()).toContain("defaultLanguage: 'en'")
    for (const [file, content] of Object.entries(IMPORTED))
      for (const language of ['pl', 'en']) {
        const path = join(root, 'parts', file)
        await watches(server, path)
        await save(path, content(language))
        await expect
          .poll(() => manifest().catch(String), { timeout: 30_000 })
          .toContain(`defaultLanguage: '${language}'`)
      }
  } finally {
    await server.close()
  }
})
