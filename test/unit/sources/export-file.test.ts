/** The file of an export, whose server sends a validator or none: a build always has the texts that the file has. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../../../src/config/resolve.ts'
import { silentLogger } from '../../../src/logger.ts'
import { loadCatalog } from '../../../src/sources/load.ts'
import { createResourceCache } from '../../../src/sources/resource-cache.ts'
import { API_KEY, startClient } from '../../helpers/api-client.ts'
import { tempFolder } from '../../helpers/temp.ts'
import { sendData, sendJson, startServer } from '../../helpers/throwaway-server.ts'

const OLD = 'Thu, 01 Jan 2026 00:00:00 GMT'
const LATER = 'Thu, 01 Jan 2026 00:05:00 GMT'
const MUCH_LATER = 'Thu, 01 Jan 2026 01:00:00 GMT'

interface Served {
  readonly title?: string
  /** The file's address. Default: always the same. */
  readonly address?: string
  readonly headers: Record<string, string>
}

/** An export v3 that is one file, and builds in one folder. */
async function start() {
  const root = await tempFolder()
  let served: Served
  const server = await startServer(({ path, headers }, response) => {
    if (path === '/api/v3/export') return sendData(response, { url: `${server.url}${served.address ?? '/file'}` })
    if (!path.startsWith('/file')) return sendJson(response, {}, 404)
    const { etag, 'last-modified': modified } = served.headers
    const isSame = etag ? headers['if-none-match'] === etag : modified && headers['if-modified-since'] === modified
    if (isSame) return void response.writeHead(304, served.headers).end()
    sendJson(response, { en: { title: served.title ?? 'Title' } }, 200, served.headers)
  })
  const service = { baseUrl: server.url, apiKey: API_KEY }
  const config = await loadConfig({ root, configFile: false, options: { source: 'export', service }, env: {} })
  return {
    root,
    /** The text of a build, and the conditions of its request for the file. */
    async build(next: Served) {
      served = next
      server.requests.length = 0
      const client = startClient(server.url, { apiKey: API_KEY })
      const { catalog } = await loadCatalog({
        config,
        mode: 'build',
        logger: silentLogger,
        now: () => new Date(),
        openClient: async () => client,
        resourceCache: createResourceCache(join(root, 'downloads')),
      })
      const { headers = {} } = server.requests.find(({ path }) => path.startsWith('/file')) ?? {}
      const asked = [headers['if-none-match'], headers['if-modified-since']].filter((value) => value !== undefined)
      return [catalog.part('en', 'default')?.messages.get('title'), ...asked]
    },
  }
}

test.each<[string, Record<string, string>, Record<string, string>, string]>([
  ['ETag', { etag: '"1"' }, { etag: '"2"' }, '"1"'],
  ['Last-Modified', { 'last-modified': OLD, date: LATER }, { 'last-modified': LATER, date: MUCH_LATER }, OLD],
])('%s: the build asks with it, and uses its copy after a 304', async (_, first, second, condition) => {
  const { root, build } = await start()
  expect(await build({ headers: first })).toEqual(['Title'])
  expect(await build({ headers: first })).toEqual(['Title', condition])
  expect(await build({ headers: second, title: 'Other' })).toEqual(['Other', condition])
  // A copy that is damaged is none.
  const [name = ''] = await readdir(join(root, 'downloads'))
  const path = join(root, 'downloads', name)
  await writeFile(path, (await readFile(path, 'utf8')).replace('Other', 'Otter'))
  expect(await build({ headers: second, title: 'Other' })).toEqual(['Other'])
})

test.each<[string, Record<string, string>]>([
  ['neither', {}],
  ['Last-Modified, of this second', { 'last-modified': OLD, date: OLD }],
  ['Last-Modified without a date that can be read', { 'last-modified': OLD, date: 'noon' }],
])('%s: every build downloads', async (_, headers) => {
  const { build } = await start()
  await build({ headers })
  expect(await build({ headers, title: 'Other' })).toEqual(['Other'])
})

test('another address is another file, and its copy replaces the last one', async () => {
  const { root, build } = await start()
  const headers = { etag: '"1"' }
  await build({ headers, address: '/file?signature=s3cr3t' })
  expect(await build({ headers, address: '/file?signature=other', title: 'Other' })).toEqual(['Other'])
  const names = await readdir(join(root, 'downloads'))
  expect(names).toHaveLength(1)
  expect(await readFile(join(root, 'downloads', names[0] as string), 'utf8')).not.toContain('signature')
})
