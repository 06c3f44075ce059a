/**
 * The inspector of a temporary project behind a plain server, with a real sync engine and, if given, a real service.
 */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Dispatcher, Pool } from 'undici'
import { onTestFinished } from 'vitest'
import { createClient } from '../../src/api/client.ts'
import { createTranslations } from '../../src/catalog/translations.ts'
import type { LocalizationOptions } from '../../src/config/options.ts'
import { FileIndex } from '../../src/files/file-index.ts'
import { createActivity, recording } from '../../src/inspector/activity.ts'
import { DevProject, type LoadedProject } from '../../src/inspector/dev-project.ts'
import { createInspector } from '../../src/inspector/handler.ts'
import { createLogger } from '../../src/logger.ts'
import { loadCatalog } from '../../src/sources/load.ts'
import { createResourceCache } from '../../src/sources/resource-cache.ts'
import { SyncEngine } from '../../src/sync/engine.ts'
import { configOf, type Place } from './sync.ts'
import { writeTree } from './temp.ts'
import { listen } from './throwaway-server.ts'

export type TestInspector = Awaited<ReturnType<typeof startInspector>>

export interface AskOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body, where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what came
  readonly json: any
}

export interface InspectorOptions {
  readonly options?: LocalizationOptions
}

/** `startProject` calls it. */
export async function startInspector({ root, service, options = {} }: Place & InspectorOptions) {
  await writeTree(root, {
    'inspector-page/index.html': '<meta name="localization-token" content="%TOKEN%">',
    'inspector-page/page.js': 'page',
  })
  const config = configOf(root, service, { defaultLanguage: 'en', ...options })
  const activity = createActivity(Date.now)
  const logger = recording(createLogger({ level: 'silent' }), activity)
  const changes = new Set<() => void>()
  let state: Promise<LoadedProject>
  const load = async (): Promise<LoadedProject> => {
    const loaded = await loadCatalog({
      config,
      mode: 'dev',
      logger,
      now: () => new Date(),
      openClient: async () => createClient(config.service),
      resourceCache: createResourceCache(join(root, '.localization', 'downloads')),
    })
    return { config, loaded, translations: createTranslations(loaded.catalog, config) }
  }
  const notify = () => {
    for (const listener of changes) listener()
  }
  const index = new FileIndex(config)
  const unfollow = index.follow({
    onSnapshot() {
      state = load()
      notify()
    },
  })
  const openClient = () => createClient({ ...config.service, apiKey: config.service.apiKey, proxy: false })
  const engine = new SyncEngine({
    config,
    logger,
    openClient,
    files: { index, seen: index.snapshot },
    onShown: () => {
      state = load()
      notify()
    },
    onStatus: notify,
  })
  state = load()
  await state
  await engine.start()
  const project = new DevProject({
    root,
    name: 'test',
    activity,
    state: () => state,
    engine: () => engine,
    onChange(listener) {
      changes.add(listener)
      return () => changes.delete(listener)
    },
    client: service && openClient(),
  })
  const inspector = createInspector({
    projects: async () => [{ id: '', name: 'test' }],
    open: async () => project,
    access: { hosts: [], network: false },
    secrets: () => [config.service.apiKey ?? ''],
    assets: pathToFileURL(`${join(root, 'inspector-page')}/`),
  })
  const server = createServer((request, response) => {
    // As Vite does for pages of every localhost.
    response.setHeader('access-control-allow-origin', '*')
    void inspector.handle(request, response).then((isAnswered) => {
      if (!isAnswered) response.writeHead(404).end('not the inspector')
    })
  })
  const origin = `http://127.0.0.1:${await listen(server)}`
  onTestFinished(async () => {
    inspector.close()
    await project.close()
    await engine.close()
    await unfollow()
  })
  // Unlike `fetch`, it sends paths and headers as they are.
  const connections = new Pool(origin)
  onTestFinished(() => connections.destroy())
  const ask = async (path: string, { method = 'GET', headers = {}, body }: AskOptions = {}): Promise<Answer> => {
    const answer = await connections.request({ path, method: method as Dispatcher.HttpMethod, headers, body })
    const text = await answer.body.text()
    const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json')
    return { status: answer.statusCode, headers: answer.headers, text, json: isJson ? JSON.parse(text) : undefined }
  }
  const { text } = await ask('/__localization/')
  const token = /content="([^"]*)"/.exec(text)?.[1] ?? ''
  return {
    /** `http://127.0.0.1:<port>` */
    origin,
    /** As the page has it. */
    token,
    engine,
    /** As anybody may ask. */
    ask,
    /** As the page would ask: its own origin, the token. */
    get: (path: string) => ask(`/__localization/api/${path}`, { headers: { 'x-localization-token': token } }),
    post: (path: string, body: unknown) =>
      ask(`/__localization/api/${path}`, {
        method: 'POST',
        headers: { 'x-localization-token': token, origin, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
  }
}
