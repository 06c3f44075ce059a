/** A bundler's root below the configuration: the folder of the configuration is the project's root. */
import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { type Bundler, bundlers } from '../helpers/bundlers.ts'
import { runEntry } from '../helpers/run.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

/** Rollup and Rolldown have no root but the working folder. */
const withRoot = bundlers.filter(({ name }) => !/^roll/.test(name))

async function project(): Promise<string> {
  const root = await tempFolder()
  await writeTree(root, {
    'package.json': { type: 'module' },
    'localization.config.mjs': `
      export default ({ root }) => ({
        files: 'locales/{language}.json',
        types: 'src/texts.d.ts',
        customers: root.endsWith('src') ? ['wrong'] : [],
      })`,
    'locales/en.json': { title: 'Title' },
    'src/main.js': `import texts from 'virtual:translations/en/default'\nglobalThis.collect = () => texts.title\n`,
  })
  return root
}

const buildBelow = ({ build }: Bundler, root: string, options?: PluginOptions) =>
  build({ root: join(root, 'src'), entries: { main: 'main.js' }, ...(options && { options }) })

test.each(withRoot)('$name finds it, and writes beside it', async (bundler) => {
  const root = await project()
  const output = await buildBelow(bundler, root)
  expect(await runEntry(output.entryFile('main'))).toBe('Title')
  expect(await readFile(join(root, 'src/texts.d.ts'), 'utf8')).toContain('title')
  await expect(access(join(root, 'src/.localization'))).rejects.toThrow('ENOENT')
})

test.each(withRoot.filter(({ name }) => /pack$/.test(name)))('$name: so is the file of its cache', async (bundler) => {
  const root = await project()
  await bundler.build({
    root: join(root, 'src'),
    entries: { main: 'main.js' },
    cacheFolder: join(root, '.cache'),
  })
  expect((await readdir(join(root, '.localization'))).filter((name) => name.startsWith('bundler-cache'))).toHaveLength(
    1,
  )
})

const [first] = withRoot as [Bundler, ...Bundler[]]

test.each<PluginOptions>([{ configFile: false }, { root: 'src' }])(
  'not where the plugin has the option %j: the error says that no configuration was read',
  async (given) => {
    const root = await project()
    const options = given.root === undefined ? given : { root: join(root, given.root) }
    await expect(buildBelow(first, root, options)).rejects.toThrow(/without a configuration file/)
  },
)
