/** Where the output is served: at the root, in a folder, anywhere, and scripts on an https origin of their own. */
import { cp, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, onTestFinished, test } from 'vitest'
import { noChromium, serveFolder, visit } from '../helpers/browser.ts'
import { covers, importPackage, noPackages } from '../helpers/compatibility.ts'
import { htmlPage, OPTIONS, pageProject, showsBothLanguages } from '../helpers/compatibility-page.ts'
import { buildLikeWebpack, buildWithEsbuild, buildWithVite } from '../helpers/page-builds.ts'

const builds = [
  ['vite', buildWithVite('vite', OPTIONS)],
  ['vite7', buildWithVite('vite7', OPTIONS)],
  ['webpack', buildLikeWebpack('webpack', OPTIONS, htmlPage)],
  ['@rspack/core', buildLikeWebpack('@rspack/core', OPTIONS, htmlPage)],
  ['esbuild', buildWithEsbuild(OPTIONS, htmlPage)],
] as const

describe.skipIf(noChromium || noPackages).each(builds)('%s', (name, build) => {
  covers({ tool: 'base', setting: '`/`, `/app/`, `./`, an https origin with CORS', bundlers: [name] })
  let tls: { readonly key: string; readonly cert: string }
  beforeAll(async () => {
    const { generate } = await importPackage<typeof import('selfsigned')>('selfsigned')
    const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }])
    tls = { key, cert }
  })

  async function shows(folder: string, path: string): Promise<void> {
    const server = await serveFolder(folder)
    onTestFinished(() => server.close())
    const watched = await visit(`${server.origin}${path}`, { ignoreHTTPSErrors: true })
    await showsBothLanguages(watched)
    await watched.close()
  }

  test('/', async () => {
    const root = await pageProject('first')
    await build(root, '/')
    await shows(join(root, 'dist'), '/')
  })

  test('/app/', async () => {
    const root = await pageProject('first')
    await build(root, '/app/')
    await mkdir(join(root, 'www'))
    await rename(join(root, 'dist'), join(root, 'www/app'))
    await shows(join(root, 'www'), '/app/')
  })

  test('./, at the root and in a folder', async () => {
    const root = await pageProject('first')
    await build(root, './')
    await cp(join(root, 'dist'), join(root, 'www/any/where'), { recursive: true })
    await shows(join(root, 'dist'), '/')
    await shows(join(root, 'www'), '/any/where/')
  })

  test('an https origin', async () => {
    const root = await pageProject('first')
    const cdn = await serveFolder(join(root, 'dist'), { 'Access-Control-Allow-Origin': '*' }, tls)
    onTestFinished(() => cdn.close())
    await build(root, `${cdn.origin}/`)
    await mkdir(join(root, 'www'))
    await rename(join(root, 'dist/index.html'), join(root, 'www/index.html'))
    await shows(join(root, 'www'), '/')
  })
})
