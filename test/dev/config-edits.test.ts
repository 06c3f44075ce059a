/** An edited `localization.config.*` takes effect while Vite's dev server runs, as an edited `vite.config.*` does. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isTested, linkPackage } from '../helpers/bundlers.ts'
import { startVite, watches } from '../helpers/dev-servers.ts'
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
