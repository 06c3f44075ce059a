/**
 * Row 29. Nothing below `.localization` leaves a dev server, however it is asked for: the folder holds a personal
 * token, an API key and texts.
 */

import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'undici'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { builtPlugin } from '../helpers/bundlers.ts'
import { allDevServers, type DevServer, type DevServerKind, devServers, oldestVite } from '../helpers/dev-servers.ts'
import { faultRow } from '../helpers/fault-rows.ts'
import { repeats } from '../helpers/repeats.ts'
import { tempFolder, writeTree } from '../helpers/temp.ts'

faultRow(29)

const MARK = 'private-content-of-a-file'

const SECRET_FILES = {
  '.localization/service/service.json': { personalToken: MARK },
  '.localization/service/service.db': `${MARK} in a database`,
  '.localization/service/service.db-wal': `${MARK} in its log`,
  '.localization/sync/0123/journal.jsonl': `${MARK} in the journal`,
  '.localization/snapshot-0123.json': { texts: MARK },
  '.localization/cache/files.js': `export default '${MARK} in a cache'`,
  '.localization/cache/files.js.map': { sources: [MARK] },
  '.localization/cache/page.html': `<p>${MARK} in a page</p>`,
  '.localization/cache/style.css': `.a { content: '${MARK}' }`,
  'packages/inner/.localization/service/service.json': { personalToken: MARK },
}

const FILES = {
  'package.json': { type: 'module' },
  'main.js': `import { languages } from 'virtual:translations'\ndocument.body.title = languages.length`,
  'locales/en/common.json': { title: 'Title' },
  '.localization-notes/public.txt': 'not private',
  ...SECRET_FILES,
}

/** As they are sent: no client tidies them up. */
function spellings(root: string): string[] {
  const json = '.localization/service/service.json'
  return [
    ...Object.keys(SECRET_FILES).map((name) => `/${name}`),
    ...[
      '?raw',
      '?url',
      '?import',
      '?import&raw',
      '?raw&import',
      '?raw??',
      '?import&url',
      '?inline',
      '?t=1',
      '?worker',
    ].map((query) => `/${json}${query}`),
    ...['?import&raw', '?raw', '?url&import', '?.svg?.wasm?init', '?worker&inline', '#/x', ''].map(
      (query) => `/@fs${root}/${json}${query}`,
    ),
    `/@fs/${root}/${json}`,
    `/@fs${root}/main.js/../${json}?raw`,
    `/@fs${root}/./${json}/.`,
    `/@id/${root}/${json}`,
    `/@id/@fs${root}/${json}?raw`,
    `${root}/${json}?raw`,
    `/%2elocalization/service/service.json`,
    `/%2e%6c%6f%63alization/service/service.json?raw`,
    `/%252elocalization/service/service.json`,
    `//${json}`,
    `///.localization//service//service.json`,
    `/./${json}`,
    `/main.js/../${json}`,
    `/x/..;/${json}`,
    `/..;/${json}`,
    `/.localization;a=b/service/service.json`,
    `/\\.localization\\service\\service.json`,
    `/.localization%5cservice%5cservice.json`,
    `/.localization%2fservice%2fservice.json`,
    `/.LOCALIZATION/service/service.json`,
    `/.Localization/Service/SERVICE.JSON?raw`,
    `/%2E%4COCALIZATION/service/service.json`,
    `/.localization%00/service/service.json`,
    `/.localization./service/service.json`,
    `/.localization%20/service/service.json`,
    `/.localization::$INDEX_ALLOCATION/service/service.json`,
    `/LOCALI~1/service/service.json`,
    `/.local%E2%80%8Bization/service/service.json`,
    `/.localization`,
    `/.localization/`,
    `/.localization/cache/`,
    `/.localization/cache/style.css?direct`,
    `/static/${json}`,
    `/static/../${json}`,
    `/static/%2e%2e/${json}`,
    `http://localhost/${json}`,
    `/index.html?/../${json}`,
  ]
}

interface Answer {
  readonly status: number | undefined
  readonly body: string
}

function ask(address: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(chunks).toString('latin1') }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Every way of each server's to hand out the project's folder, dot files and listings included. */
function serverOptions(kind: DevServerKind, root: string): object {
  if (kind.name.startsWith('vite')) return { fs: { strict: false }, cors: true }
  const directory = { directory: root, watch: false, serveIndex: true, staticOptions: { dotfiles: 'allow' } }
  return { static: [directory, { ...directory, publicPath: '/static' }] }
}

async function start(kind: DevServerKind, root: string, host: string, byHand = false): Promise<DevServer> {
  const server = await kind.start({
    root,
    host,
    byHand,
    options: { source: 'files', defaultLanguage: 'en' },
    server: serverOptions(kind, root),
  })
  onTestFinished(() => server.close())
  return server
}

function ownAddresses({ address }: DevServer, host: string): string[] {
  if (host !== '0.0.0.0') return [address]
  const others = Object.values(networkInterfaces()).flat()
  const other = others.find((one) => one && !one.internal && one.family === 'IPv4')
  return [address, ...(other ? [address.replace('127.0.0.1', other.address)] : [])]
}

describe.each(repeats(devServers, [...devServers, oldestVite]))('$name', (kind) => {
  test.each(repeats(['0.0.0.0'], ['127.0.0.1', '0.0.0.0']))(
    'on %s no spelling is answered with what the folder holds',
    async (host) => {
      const root = await tempFolder()
      await writeTree(root, FILES)
      const server = await start(kind, root, host)
      const paths = spellings(root)
      expect(new Set(paths).size).toBeGreaterThanOrEqual(40)
      for (const address of ownAddresses(server, host)) {
        for (const path of paths) {
          const { status, body } = await ask(address, path, {
            origin: 'http://localhost:1',
            'sec-fetch-dest': 'script',
          })
          expect({ path, status }).toEqual({ path, status: 403 })
          expect(body, path).not.toContain(MARK)
          expect(Buffer.from(body, 'base64').toString('latin1'), path).not.toContain(MARK)
        }
      }
      expect((await ask(server.address, '/.localization-notes/public.txt')).body).toBe('not private')
      expect((await ask(server.address, '/main.js')).body).toContain('languages')
    },
  )

  test('a project in a folder of that name is served, and its own folder is not', async () => {
    const root = join(await tempFolder(), '.localization/app')
    await writeTree(root, FILES)
    const server = await start(kind, root, '127.0.0.1')
    expect((await ask(server.address, '/main.js')).body).toContain('languages')
    if (kind.name.startsWith('vite'))
      expect((await ask(server.address, `/@fs${root}/main.js`)).body).toContain('languages')
    for (const path of spellings(root)) expect((await ask(server.address, path)).body, path).not.toContain(MARK)
  })
})

/** Asks for a module as Vite's module runner does, over the socket that pages have. */
async function fetchModule(address: string, id: string): Promise<string> {
  const socket = new WebSocket(address.replace('http', 'ws'), 'vite-hmr')
  return new Promise((resolve, reject) => {
    socket.onerror = () => reject(new Error('no socket'))
    socket.onopen = () => {
      const data = { name: 'fetchModule', id: 'send:1', data: [id, undefined, {}] }
      socket.send(JSON.stringify({ type: 'custom', event: 'vite:invoke', data }))
    }
    socket.onmessage = ({ data }) => {
      if (!String(data).includes('vite:invoke')) return
      socket.close()
      resolve(String(data))
    }
  })
}

describe.each(devServers.filter(({ name }) => name.startsWith('vite')))('$name', (kind) => {
  test('a module below the folder is not given out over the socket either', async () => {
    const root = await tempFolder()
    await writeTree(root, FILES)
    const server = await start(kind, root, '127.0.0.1')
    for (const query of ['', '?raw', '?import&raw', '?inline']) {
      const answer = await fetchModule(server.address, `${root}/.localization/service/service.json${query}`)
      expect(answer, query).not.toContain(MARK)
      expect(answer, query).not.toContain(Buffer.from(MARK).toString('base64').slice(0, 20))
    }
  })
})

test.each(['vite', 'vite7'])("%s: its own list of files that are not served stays, the project's too", async (name) => {
  const root = await tempFolder()
  const { resolveConfig } = (await import(name)) as typeof import('vite')
  const resolve = async (deny: string[] | undefined, plugins: unknown[]) =>
    (
      await resolveConfig(
        { root, configFile: false, server: { fs: deny ? { deny } : {} }, plugins: plugins as never },
        'serve',
      )
    ).server.fs.deny
  const plugin = await builtPlugin('vite', { configFile: false })
  for (const deny of [undefined, ['*.own']]) {
    const own = await resolve(deny, [])
    expect(own.length).toBeGreaterThan(0)
    expect(await resolve(deny, [plugin])).toEqual([...own, '**/.localization/**'])
  }
})

test('vite preview does not serve it from a folder that was copied into the output', async () => {
  const root = await tempFolder()
  await writeTree(root, { 'dist/index.html': 'page', 'dist/.localization/service/service.json': { token: MARK } })
  const { preview } = await import('vite')
  const server = await preview({
    root,
    configFile: false,
    logLevel: 'silent',
    preview: { host: '127.0.0.1', port: 0 },
    plugins: [(await builtPlugin('vite', { configFile: false })) as never],
  })
  onTestFinished(() => server.close())
  const address = server.resolvedUrls?.local[0] ?? ''
  expect((await ask(address, '/.localization/service/service.json')).status).toBe(403)
  expect((await ask(address, '/')).body).toBe('page')
})

test.each(['webpack', 'rspack'])('%s: a server with options of its own is told of', async (name) => {
  const root = await tempFolder()
  await writeTree(root, FILES)
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  onTestFinished(() => void vi.restoreAllMocks())
  const kind = allDevServers.find((one) => one.name === name) as DevServerKind
  await start(kind, root, '127.0.0.1')
  await expect.poll(() => said.join('')).toContain('1 text')
  expect(said.join('')).not.toContain('compiler.options.devServer')
  await start(kind, root, '127.0.0.1', true)
  await expect.poll(() => said.join('')).toContain('a static folder with .localization in it would be served')
})
