/** Module federation: a host and a remote on another origin, each with texts of its own. */
import { join } from 'node:path'
import { describe, onTestFinished, test, vi } from 'vitest'
import { noChromium, type StaticServer, serveFolder, visit } from '../helpers/browser.ts'
import { covers, importPackage, noPackages } from '../helpers/compatibility.ts'
import {
  buildVitePage,
  buildWebpackPage,
  PLACES,
  type Place,
  pageProject,
  showsBothLanguages,
  TEXTS,
} from '../helpers/compatibility-page.ts'
import { writeTree } from '../helpers/temp.ts'

const HOST = `
import { load } from 'virtual:translations'
globalThis.show = async (language) => {
  const { title } = await load(language, 'common')
  const remote = await (await import('remote/title')).title(language)
  if (remote !== 'Remote: ' + title) throw new Error('the remote shows ' + remote)
  document.body.dataset.text = title
}
globalThis.show(document.documentElement.lang)
`
const REMOTE = `
import { load } from 'virtual:translations'
export const title = async (language) => (await load(language, 'common')).title
`

interface Projects {
  readonly host: string
  readonly remote: string
  /** Where the remote is served. */
  readonly origin: string
}

async function twoProjects(place: Place): Promise<Projects> {
  const host = await pageProject(place, { 'main.js': HOST })
  const remote = await pageProject(place, { 'title.js': REMOTE, 'main.js': "import './title.js'\n" })
  for (const [language, text] of Object.entries(TEXTS)) {
    const texts = { title: `Remote: ${text}` }
    if (place === 'control')
      await writeTree(remote, { [`texts/${language}.js`]: `export default ${JSON.stringify(texts)}\n` })
    else await writeTree(remote, { [`locales/${language}/common.json`]: texts })
  }
  const { origin } = await serve(remote)
  return { host, remote, origin }
}

async function serve(root: string): Promise<StaticServer> {
  const server = await serveFolder(join(root, 'dist'), { 'Access-Control-Allow-Origin': '*' })
  onTestFinished(() => server.close())
  return server
}

async function runs({ host }: Projects): Promise<void> {
  const { origin } = await serve(host)
  const watched = await visit(`${origin}/`)
  await showsBothLanguages(watched)
  await watched.close()
}

const COMPILERS = [
  { name: 'webpack', tool: 'ModuleFederationPlugin' },
  { name: '@rspack/core', tool: 'ModuleFederationPluginV1' },
] as const

describe.skipIf(noChromium).each(COMPILERS)('$name', ({ name, tool }) => {
  covers({ tool, setting: 'a host and a remote, each with texts', bundlers: [name] })

  test.each(PLACES)('%s', async (place) => {
    const container =
      name === 'webpack' ? (await import('webpack')).default.container : (await import('@rspack/core')).container
    const Federation = (container as unknown as Record<string, new (options: object) => unknown>)[tool]
    if (!Federation) throw new Error(`no ${tool}`)
    const projects = await twoProjects(place)
    const build = (root: string, options: { readonly name: string }) =>
      buildWebpackPage(
        name,
        { root, place },
        { output: { publicPath: 'auto', uniqueName: options.name }, plugins: [new Federation(options)] },
      )
    const exposes = { './title': './title.js' }
    await build(projects.remote, { name: 'remote', filename: 'remoteEntry.js', exposes } as { name: string })
    const remotes = { remote: `remote@${projects.origin}/remoteEntry.js` }
    await build(projects.host, { name: 'host', remotes } as { name: string })
    await runs(projects)
  })
})

describe.skipIf(noChromium || noPackages).each(['vite', 'vite7'] as const)('%s', (name) => {
  const tool = '@module-federation/vite'
  covers({ tool, setting: 'a host and a remote, each with texts', bundlers: [name] })

  test.each(PLACES)('%s', async (place) => {
    // It does nothing in tests otherwise.
    vi.stubEnv('MFE_VITE_NO_TEST_ENV_CHECK', 'true')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { federation } = await importPackage<{ federation(options: object): unknown }>(tool)
    const projects = await twoProjects(place)
    const build = (root: string, base: string, options: object) =>
      buildVitePage(
        name,
        { root, place },
        { base, plugins: [federation({ dts: false, ...options })], build: { target: 'esnext' } },
      )
    const exposes = { './title': join(projects.remote, 'title.js') }
    await build(projects.remote, `${projects.origin}/`, { name: 'remote', filename: 'remoteEntry.js', exposes })
    const entry = `${projects.origin}/remoteEntry.js`
    const remotes = { remote: { type: 'module', name: 'remote', entry, entryGlobalName: 'remote' } }
    await build(projects.host, '/', { name: 'host', remotes })
    await runs(projects)
  })
})
