/** A build asks hosting if anything was published since the last one, and downloads only then. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { catalogDigest } from '../../../src/catalog/digest.ts'
import type { LocalizationOptions } from '../../../src/config/options.ts'
import { loadConfig } from '../../../src/config/resolve.ts'
import { silentLogger } from '../../../src/logger.ts'
import { loadCatalog } from '../../../src/sources/load.ts'
import { createResourceCache } from '../../../src/sources/resource-cache.ts'
import { startClient } from '../../helpers/api-client.ts'
import { startProject } from '../../helpers/project.ts'
import { tempFolder, writeTree } from '../../helpers/temp.ts'

const HOUR = 3_600_000
/** The requests that show that nothing has changed. */
const PROOF = ['GET /_cdn/TOKEN/_latest/_languages', 'GET /api/v2/environments/_latest']

/** A published project whose texts change when the test says so, and builds in one folder. */
async function start({ environment = '_latest', ...more }: LocalizationOptions = {}) {
  const now = Date.now()
  let time = now - 2 * HOUR
  const project = await startProject({ service: { now: () => time } })
  await project.importTexts('en', '', { title: 'Title', bye: 'Bye' })
  await project.importTexts('de', '', { title: 'Titel', bye: '' })
  time = now - 1.8 * HOUR
  await project.api('POST', '/api/v2/environments/_latest/publish')
  const root = await tempFolder()
  async function build(options: LocalizationOptions = {}, { baseUrl, cdnUrl, apiKey } = project) {
    const service = { baseUrl, cdnUrl, apiKey }
    const given = { source: 'hosting', environment, service, ...more, ...options } as const
    const config = await loadConfig({ root, configFile: false, options: given, env: {} })
    const client = startClient(baseUrl, { apiKey, cdnUrl })
    project.requests.length = 0
    const loaded = await loadCatalog({
      config,
      mode: 'build',
      logger: silentLogger,
      now: () => new Date(),
      openClient: async () => client,
      resourceCache: createResourceCache(join(root, '.localization/downloads')),
    })
    const requests = project.requests.map((line) => line.replace(project.projectToken, 'TOKEN')).sort()
    return {
      requests,
      isDownload: requests.some((line) => /\/_(?:latest|production)\/(?:en|de)/.test(line)),
      detail: loaded.detail,
      digest: catalogDigest(loaded.catalog),
      namespaces: loaded.catalog.namespaces,
      german: Object.fromEntries(loaded.catalog.part('de', 'default')?.messages ?? []),
    }
  }
  return {
    project,
    root,
    build,
    at(msAgo: number) {
      time = now - msAgo
    },
    publish: () => project.api('POST', '/api/v2/environments/_latest/publish'),
  }
}

test('nothing changed: two requests and the same texts; a publish is downloaded', async () => {
  const { project, at, build, publish } = await start()
  const first = await build()
  expect(first).toMatchObject({ isDownload: true, german: { title: 'Titel' } })
  const second = await build()
  expect(second).toMatchObject({ requests: PROOF, digest: first.digest })
  expect(second.detail).toMatch(/unchanged since \d{4}-/)
  at(HOUR)
  await project.setText('de', '', 'bye', 'Tschüss')
  await project.deleteKey('', 'title')
  await publish()
  const changed = await build()
  expect(changed).toMatchObject({ isDownload: true, german: { bye: 'Tschüss' } })
  expect(changed.german).not.toHaveProperty('title')
  expect(await build()).toMatchObject({ requests: PROOF, digest: changed.digest })
})

test('a namespace may have the name of another resource', async () => {
  const { project, build, publish } = await start()
  await project.importTexts('de', '_index', { title: 'Titel' })
  await publish()
  expect((await build()).namespaces).toEqual(['_index', 'default'])
})

test('a later change could have the time of the last one: downloads', async () => {
  const { project, at, build, publish } = await start()
  at(0)
  await project.setText('de', '', 'title', 'Erster')
  await publish()
  expect((await build()).german).toMatchObject({ title: 'Erster' })
  // The same millisecond.
  await project.setText('de', '', 'title', 'Zweiter')
  await publish()
  expect(await build()).toMatchObject({ isDownload: true, german: { title: 'Zweiter' } })
})

test('another project and another selection are downloaded, and so is what a damaged snapshot held', async () => {
  const { root, build } = await start()
  const first = await build()
  const other = await start()
  await other.project.setText('de', '', 'title', 'Anderer')
  await other.publish()
  expect((await build({}, other.project)).german).toMatchObject({ title: 'Anderer' })
  expect(await build()).toMatchObject({ requests: PROOF })
  expect(await build({ namespaces: ['default'] })).toMatchObject({ isDownload: true })
  const folder = join(root, '.localization')
  for (const name of await readdir(folder)) {
    if (!name.startsWith('snapshot-')) continue
    const content = await readFile(join(folder, name), 'utf8')
    await writeFile(join(folder, name), content.replace('Titel', 'Tilet'))
  }
  expect(await build()).toMatchObject({ isDownload: true, digest: first.digest })
})

test('the files beside it count as they are now', async () => {
  const { root, build } = await start()
  await writeTree(root, { 'locales/de/default.json': { bye: 'Datei', title: 'nicht gefragt' } })
  expect((await build()).german).toEqual({ title: 'Titel', bye: 'Datei' })
  await writeTree(root, { 'locales/de/default.json': { bye: 'Andere Datei' } })
  expect(await build()).toMatchObject({ isDownload: false, german: { title: 'Titel', bye: 'Andere Datei' } })
})

test('an environment that caches may still hold as it was is downloaded again', async () => {
  const { project, at, build } = await start({ environment: '_production' })
  // Its files may be an hour old; this was published half an hour ago.
  at(HOUR / 2)
  await project.publish()
  await build()
  expect(await build()).toMatchObject({ isDownload: true })
  at(1.5 * HOUR)
  await project.publish()
  await build()
  expect(await build()).toMatchObject({ isDownload: false })
})
