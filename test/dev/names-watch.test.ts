/** Watch builds with `prune` follow the files of `usage.literalsIn`. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { PluginOptions } from '../../src/index.ts'
import { builtPlugin } from '../helpers/bundlers.ts'
import { save, tempFolder, writeTree } from '../helpers/temp.ts'

const OPTIONS: PluginOptions = {
  configFile: false,
  prune: { ignoreIn: ['main.js'] },
  usage: { literalsIn: ['../templates/*.html'] },
}
const MAIN = `import { load } from 'virtual:translations'
globalThis.show = async (key) => (await load('en', 'common'))[key]`

const watchers: Record<string, (root: string) => Promise<{ close(): unknown }>> = {
  async vite(root) {
    const { build } = await import('vite')
    const plugins = [(await builtPlugin('vite', OPTIONS)) as never]
    const rollupOptions = { input: join(root, 'main.js') }
    const watch = build({ root, configFile: false, logLevel: 'silent', plugins, build: { watch: {}, rollupOptions } })
    return (await watch) as never
  },
  async webpack(root) {
    const { default: webpack } = await import('webpack')
    const compiler = webpack({
      context: root,
      mode: 'production',
      entry: './main.js',
      output: { path: join(root, 'dist') },
      cache: { type: 'filesystem' },
      plugins: [(await builtPlugin('webpack', OPTIONS)) as never],
    })
    compiler.watch({}, () => {})
    return { close: () => new Promise((resolve) => compiler.close(resolve)) }
  },
}

test.each(Object.keys(watchers))('%s', async (name) => {
  const folder = await tempFolder()
  const root = join(folder, 'app')
  const texts = { first: 'The first', second: 'The second', third: 'The third' }
  await writeTree(root, { 'main.js': MAIN, 'locales/en/common.json': texts, '../templates/a.html': '{{ first }}' })
  const start = watchers[name] as (typeof watchers)[string]
  const watcher = await start(root)
  onTestFinished(async () => void (await watcher.close()))
  const shown = async () => {
    const entries = await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true }).catch(() => [])
    const files = entries.filter((entry) => entry.isFile() && entry.name.startsWith('common.'))
    const read = files.map(({ parentPath, name: file }) => readFile(join(parentPath, file), 'utf8').catch(() => ''))
    return (await Promise.all(read)).map((code) => code.match(/The \w+/g)?.join())
  }
  await expect.poll(shown).toContain('The first')
  await save(join(folder, 'templates/a.html'), '<b title="second">{{ first }}</b>')
  await expect.poll(shown).toContain('The first,The second')
})
