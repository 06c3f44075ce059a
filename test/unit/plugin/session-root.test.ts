/** The project's root of a session: above the bundler's, with the `.env` files of both where the bundler reads its own. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PluginOptions } from '../../../src/index.ts'
import { createLogger, silentLogger } from '../../../src/logger.ts'
import { type BuildContext, Session } from '../../../src/plugin/session.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

async function configOf(options: PluginOptions, context: (src: string) => Partial<BuildContext>) {
  const root = await tempFolder()
  await writeTree(root, {
    'package.json': {},
    'localization.config.json': { defaultLanguage: 'pl' },
    '.env': 'LOCALIZATION_BASE_URL=http://above.example\nLOCALIZATION_CDN_URL=http://above.example\n',
    'src/.env': 'LOCALIZATION_CDN_URL=http://below.example\n',
    'env/.env': 'LOCALIZATION_BASE_URL=http://named.example\n',
  })
  const src = join(root, 'src')
  const session = new Session({ options, logger: createLogger(), fallbackRoot: src })
  session.configure({ root: src, command: 'build', ...context(src) })
  const { root: found, defaultLanguage, service } = await session.config()
  const { baseUrl, cdnUrl } = service
  return {
    root: found === root ? 'above' : found === src ? 'below' : found,
    defaultLanguage,
    urls: [baseUrl, cdnUrl].map((url) => url && new URL(url).hostname.split('.')[0]),
    watches: (name: string) => session.configDependencies.has(join(root, name)),
  }
}

test.each([
  ['a bundler that reads no .env files', () => ({}), ['above', 'above']],
  ["Vite's default: its own root", (src: string) => ({ envDir: src }), ['above', 'below']],
  ['a folder that the user named', (src: string) => ({ envDir: join(src, '../env') }), ['named', undefined]],
  ['none', () => ({ envDir: false as const }), [undefined, undefined]],
])('%s', async (_title, context, urls) => {
  const found = await configOf({}, context)
  expect(found).toMatchObject({ root: 'above', defaultLanguage: 'pl', urls })
  // A nearer configuration would replace this one.
  expect(found.watches('src/localization.config.ts')).toBe(true)
})

test.each<PluginOptions>([{ configFile: false }, { configFile: '../localization.config.json' }])(
  'the bundler’s root stays with %j',
  async (options) => {
    expect((await configOf(options, () => ({}))).root).toBe('below')
  },
)

test('a build of another project fails, one elsewhere in the same project does not', async () => {
  const root = await tempFolder()
  const texts = { 'package.json': {}, 'locales/en/common.json': { title: 'Title' } }
  for (const name of ['one', 'two']) await writeTree(join(root, name), texts)
  await writeTree(join(root, 'one'), { 'localization.config.json': {}, 'src/main.js': '' })
  const session = new Session({ options: {}, logger: silentLogger, fallbackRoot: root })
  const build = async (folder: string) => {
    session.configure({ root: join(root, folder), command: 'build' })
    return (await session.begin()).config.root
  }
  expect(await build('one')).toBe(join(root, 'one'))
  expect(await build('one/src')).toBe(join(root, 'one'))
  await expect(build('two')).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  expect(await build('one')).toBe(join(root, 'one'))
})
