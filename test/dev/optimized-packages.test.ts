/** Installed packages that import the texts, in Vite's optimizer of dependencies. */
import { expect, test } from 'vitest'
import { builtPlugin } from '../helpers/bundlers.ts'
import { startVite } from '../helpers/dev-servers.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

const PACKAGE = {
  'node_modules/texts/package.json': { name: 'texts', version: '1.0.0', type: 'module', main: 'index.js' },
  'node_modules/texts/index.js': `
    import { load } from 'virtual:translations'
    import messages from 'virtual:translations/en/common'
    export { load, messages }
  `,
}

test.each(['vite', 'vite7'])('%s: page and server get the texts of the plugin', async (name) => {
  const root = await tempFolder()
  await writeTree(root, {
    ...PACKAGE,
    'index.html': '<script type="module" src="/main.js"></script>',
    'main.js': "import { messages } from 'texts'\ndocument.title = messages.title\n",
    'locales/en/common.json': { title: 'Hello' },
  })
  const plugins = [(await builtPlugin('vite', {})) as never]
  const ssr = { noExternal: ['texts'], optimizeDeps: { include: ['texts'] } }
  const server = await startVite({ root, configFile: false, cacheDir: `${root}/.vite`, plugins, ssr }, name)
  const get = async (path: string) => (await fetch(new URL(path, server.resolvedUrls?.local[0]))).text()
  // The server answers when the optimizer is done.
  const main = await get('/main.js')
  const path = /from "([^"]*)"/.exec(main)?.[1] ?? ''
  expect(path, main).toContain('/.vite/deps/texts.js')
  const code = await get(path)
  expect(code).toMatch(/from "[^"]*localization[^"]*manifest/)
  const { messages } = (await server.ssrLoadModule('texts')) as { messages: { title: string } }
  expect(messages.title).toBe('Hello')
})
