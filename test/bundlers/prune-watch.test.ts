/** `prune` while Rollup watches: unchanged modules, whose usage Rollup keeps, use the texts that are there now. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { watch } from 'rollup'
import { expect, onTestFinished, test } from 'vitest'
import { builtPlugin } from '../helpers/bundlers.ts'
import { save, tempFolder, writeTree } from '../helpers/temp.ts'

const FILES = {
  'package.json': { type: 'module' },
  'main.js': `
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import { createBackend } from 'unplugin-localization/i18next'
import * as translations from 'virtual:translations'
import { names } from './names.js'
i18next.use(createBackend(translations)).init({ lng: 'en', ns: ['common'], defaultNS: 'common' })
export const show = (at) => useTranslation('common').t(names[at])
`,
  'names.js': "export const names = ['title', 'shop:buy']",
  'locales/en/common.json': { title: 'Title' },
}

test('the strings that name keys of a new namespace', async () => {
  const root = await tempFolder()
  await writeTree(root, FILES)
  const watcher = watch({
    input: join(root, 'main.js'),
    external: /i18next/,
    plugins: [(await builtPlugin('rollup', { root, configFile: false, prune: true })) as never],
    output: { dir: join(root, 'dist') },
  })
  onTestFinished(() => watcher.close())
  const built = async () => {
    const files = await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true }).catch(() => [])
    const contents = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
    return (await Promise.all(contents.map((path) => readFile(path, 'utf8').catch(() => '')))).join('\n')
  }
  await expect.poll(built, { timeout: 60_000 }).toContain('Title')
  await save(join(root, 'locales/en/shop.json'), { buy: 'Buy it', sell: 'Sell it' })
  await expect.poll(built, { timeout: 60_000 }).toContain('Buy it')
  expect(await built()).not.toContain('Sell it')
})
