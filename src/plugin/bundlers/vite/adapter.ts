/** Vite: build and dev server, every environment of them. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EnvironmentModuleNode, HotUpdateOptions, Plugin, ResolvedConfig, ViteDevServer } from 'vite'
import { CONFIG_FILE_NAMES } from '../../../config/load.ts'
import { formatFinding } from '../../../errors.ts'
import { FILE_EVENTS, isVersion } from '../../../output/hot.ts'
import { type ModuleId, NULL_SPELLING } from '../../../output/ids.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { Host, HostInput } from '../../bundler-adapter.ts'
import { createConfigNotice } from '../../config-notice.ts'
import { checkCopiedFolder } from '../../copied-files.ts'
import { generateModule } from '../../generate.ts'
import { isPrivate, PRIVATE_FILTER, refusePrivateFiles } from '../../private-files.ts'
import { isFirstInBuild } from '../../same-configuration.ts'
import { secretsToFind } from '../../secrets.ts'
import type { Session } from '../../session.ts'
import type { LoadedState, StateChange } from '../../state.ts'
import { isWatching, outputHooks, rollupHost, watchFilesAndFolders } from '../rollup/adapter.ts'
import type { OutputContext } from '../rollup/prebuilt-chunks.ts'
import { folderUrlInScript, urlInPage } from './built-url.ts'
import { clientOf, consumerOf, type Environment, environmentsOf } from './environments.ts'
import { linkTexts } from './manifest.ts'
import { createVitePlace, WORKER_REQUEST } from './place.ts'
import { preloadTags } from './preload.ts'
import { denyPrivateFiles, refuseFirst, servedFolders } from './private-files.ts'

export function viteHost(input: HostInput): Host {
  const { session } = input
  const place = createVitePlace(input.name)
  const { hooks, ...shared } = rollupHost(input, place.placeOf)
  /** In which environments another instance of the plugin came first. */
  const repeated = new Set<string | undefined>()
  const output = outputHooks(input, {
    placeOf: place.placeOf,
    folderUrl: (folder) => viteConfig && folderUrlInScript(viteConfig, folder),
    isFirst: ({ environment }: OutputContext) => !repeated.has(environment?.name),
  })
  const seen = createSeen()
  const unheard = createUnheard(session, seen)

  const updatedModules = async (environment: Environment, file: string, modules: readonly EnvironmentModuleNode[]) => {
    const { patterns } = (await session.ready()).loaded.files
    if (!patterns.match(file)) return undefined
    const change = seen.take(environment, await session.refresh())
    tellBroken(environment, change)
    return [...modules.filter(isImportedElsewhere), ...(await touchedModules(environment, change))]
  }

  const notice = createConfigNotice(input)

  let root = process.cwd()
  let viteConfig: ResolvedConfig | undefined
  let served: readonly string[] = []
  let isTest = false
  let manifestName = ''
  let copied = ''
  const plugin: Partial<Plugin> = {
    api: place.api,
    // Data of the local service, snapshots and caches change while the server runs and are nobody's source.
    config: () => ({ server: { watch: { ignored: ['**/.localization/**'] } } }),
    configResolved(config) {
      const { command, mode, envDir, envPrefix, configFileDependencies } = config
      root = config.root
      viteConfig = config
      place.configResolved(config)
      const { manifest } = config.build
      manifestName = typeof manifest === 'string' ? manifest : manifest ? '.vite/manifest.json' : ''
      copied = config.build.copyPublicDir && config.build.write !== false ? config.publicDir : ''
      served = servedFolders(config)
      denyPrivateFiles(config, served)
      const clientPrefixes = [envPrefix ?? []].flat()
      session.configure({ root, mode, command: command === 'serve' ? 'dev' : 'build', envDir, clientPrefixes })
      // An edit of these restarts the server; also of one that does not load yet.
      configFileDependencies.push(...CONFIG_FILE_NAMES.map((name) => toPosix(join(root, name))))
    },
    configurePreviewServer: ({ middlewares }) => refuseFirst(middlewares, refusePrivateFiles(served)),
    configureServer(server) {
      server.httpServer?.on('close', () => void session.close())
      const { base, server: own } = server.config
      isTest = isTestRun(server)
      refuseFirst(server.middlewares, refusePrivateFiles(served))
      server.middlewares.use(input.inspector.middleware({ base, hosts: [own.host, own.allowedHosts] }))
      watchOutsideRoot(server, session)
      session.onChange((change) => pushChange(server, change, seen))
      if (isUnheard(server)) unheard.server = server
      syncWhileServing(server, session)
      const { hot } = clientOf(server)
      hot.on(FILE_EVENTS.hello, async (_data, client) => {
        const message = brokenFile(await session.ready())
        if (message !== undefined) client.send(FILE_EVENTS.broken, { message })
      })
      hot.on(FILE_EVENTS.shown, (shown: Shown) => updateOld(server, session, shown))
    },
    async hotUpdate({ file, modules }: HotUpdateOptions) {
      return updatedModules(this.environment, file, modules)
    },
    // Vite 5; later ones call the hook above instead.
    handleHotUpdate: ({ file, modules, server }) =>
      updatedModules(clientOf(server), file, modules as unknown as EnvironmentModuleNode[]) as never,
    watchChange: (file) => unheard.changed(file),
    transformIndexHtml: {
      order: 'post',
      async handler(_html, { bundle, path }) {
        const config = viteConfig
        if (!bundle || !config) return []
        const urlOf = (file: string) => urlInPage(config, file, path)
        return preloadTags({ state: await session.ready(), bundle: bundle as never, urlOf })
      },
    },
    ...(output as unknown as Pick<Plugin, 'transform' | 'renderStart' | 'renderChunk'>),
    generateBundle: {
      order: 'post',
      handler(options, bundle) {
        linkTexts(bundle, manifestName)
        return output.generateBundle.handler.call(this as never, options as never, bundle as never)
      },
    },
    async closeBundle() {
      // Whoever closes the server may end the process when it is closed.
      if (session.command === 'dev') await session.close()
      else output.closeBundle.call(this as never)
    },
  }

  return {
    ...shared,
    hotApi: () => (session.command === 'dev' ? 'vite' : undefined),
    // Tests that run in Vite take client modules too, but fetch them from no server.
    servesAddresses: (context) => !unheard.server && consumerOf(context) === 'client',
    depend(context, dependencies) {
      if (session.command === 'build') watchFilesAndFolders(context, dependencies)
      // A dev server looks for what a module watches as for what it imports: while an editor replaces the file the module would be broken,
      // and the page reloaded. It watches the files anyway, and `hotUpdate` knows the page's modules.
      else if (unheard.server || consumerOf(context) === 'server')
        for (const file of dependencies.files) if (existsSync(file)) context.addWatchFile(file)
    },
    foreign: {
      filter: [PRIVATE_FILTER, WORKER_REQUEST],
      beforeLoad(context, id) {
        if (session.command === 'build') return WORKER_REQUEST.test(id) ? place.workerRequested(id) : undefined
        // A page can ask for modules over Vite's socket too. Code on the server may read what it likes.
        if (PRIVATE_FILTER.test(id) && !isTest && consumerOf(context) === 'client' && isPrivate(id, served))
          throw new Error(`${id} is private and not served`)
      },
    },
    hooks: {
      async buildStart() {
        const state = session.begin()
        // Its dev server starts anew by itself.
        if (session.command === 'build' && isWatching(this)) notice.watch(root)
        const { config } = await state
        const { environment } = this as unknown as OutputContext
        if (isFirstInBuild(environment ?? viteConfig ?? plugin, session, config)) repeated.delete(environment?.name)
        else repeated.add(environment?.name)
        // Before Vite copies it.
        if (session.command === 'build' && copied !== '')
          await checkCopiedFolder(copied, config.root, await secretsToFind(session))
      },
      buildEnd: hooks.buildEnd,
      vite: plugin,
    },
  }
}

interface Seen {
  /** What this environment has not been told yet. */
  take(environment: Environment, change: StateChange): StateChange
}

/**
 * Several events may share a reading, and each event comes once for every environment: an environment's modules are held against the
 * state that it was last told of, and no state before that is kept.
 */
function createSeen(): Seen {
  const states = new WeakMap<Environment, LoadedState>()
  return {
    take(environment, { before, after }) {
      const last = states.get(environment) ?? before
      states.set(environment, after)
      return { before: last, after }
    },
  }
}

/** A change that no event of Vite's told: sends it to every environment. */
async function pushChange(server: ViteDevServer, told: StateChange, seen: Seen): Promise<void> {
  for (const environment of environmentsOf(server)) {
    const change = seen.take(environment, told)
    tellBroken(environment, change)
    for (const module of await touchedModules(environment, change)) {
      if (isUnheard(server)) environment.moduleGraph.invalidateModule(module)
      else await environment.reloadModule(module)
    }
  }
}

/** With `hmr: false`, as in Vitest, no `hotUpdate` is called, and nothing is reloaded. */
function isUnheard({ config }: ViteDevServer): boolean {
  return config.server.hmr === false
}

interface Unheard {
  /** Set where it is one. */
  server: ViteDevServer | undefined
  changed(file: string): Promise<void>
}

/** Such servers ask for modules anew: they must not get the texts of before the event. */
function createUnheard(session: Session, seen: Seen): Unheard {
  let pending: Promise<void> | undefined
  const unheard: Unheard = {
    server: undefined,
    async changed(file) {
      const { server } = unheard
      if (!server || !(await session.ready()).loaded.files.patterns.match(file)) return
      // Every environment tells of the event. What comes while the files are read is seen when they are looked at again.
      pending ??= session
        .refresh()
        .then((change) => pushChange(server, change, seen))
        .finally(() => {
          pending = undefined
        })
      await pending
    },
  }
  return unheard
}

/**
 * Whether the app itself imports the file. Vite also has an entry for it where our modules watch it, which leads to a full reload
 * once nothing watches it any more.
 */
function isImportedElsewhere({ importers }: EnvironmentModuleNode): boolean {
  return [...importers].some(({ id }) => id === null || !NULL_SPELLING.filter.test(id))
}

/** The modules of this environment whose code is another one now. */
async function touchedModules(
  { moduleGraph }: Environment,
  { before, after }: StateChange,
): Promise<EnvironmentModuleNode[]> {
  const touched: EnvironmentModuleNode[] = []
  if (before === after) return touched
  const known = {
    languages: [...before.translations.languages, ...after.translations.languages].map(({ key }) => key),
    namespaces: [...before.translations.namespaces, ...after.translations.namespaces],
    customers: after.translations.customers,
  }
  for (const [resolved, module] of moduleGraph.idToModuleMap) {
    const id = NULL_SPELLING.parse(resolved, known)
    if (!id || id.kind === 'runtime') continue
    const fresh = await codeOf(after, id)
    // A module whose language or namespace is gone stays as it is: the page still shows it.
    if (fresh !== undefined && fresh !== (await codeOf(before, id))) touched.push(module)
  }
  return touched
}

async function codeOf(state: LoadedState, id: ModuleId): Promise<string | undefined> {
  try {
    return (await generateModule(state, id, 'vite')).code
  } catch {
    return undefined
  }
}

/** What a page tells of a module, as it says; whoever reaches the server may say anything. */
interface Shown {
  readonly language?: unknown
  readonly namespace?: unknown
  readonly customer?: unknown
  readonly version?: unknown
}

/** Updates a module that came to the page with texts of before an edit. */
async function updateOld(server: ViteDevServer, session: Session, shown: Shown): Promise<void> {
  const { language, namespace, customer, version } = shown
  const id: ModuleId =
    typeof language === 'string' && typeof namespace === 'string'
      ? { kind: 'namespace', language, namespace, ...(typeof customer === 'string' && { customer }) }
      : { kind: 'manifest' }
  const module = clientOf(server).moduleGraph.getModuleById(NULL_SPELLING.format(id))
  if (!module || typeof version !== 'string') return
  // A load that fails is reported by the first module that needs it.
  const state = await session.ready().catch(() => undefined)
  const code = state && (await codeOf(state, id))
  if (code !== undefined && !isVersion(code, version)) await clientOf(server).reloadModule(module)
}

/** Tests that run in Vite: their modules go to no page. */
function isTestRun({ httpServer }: ViteDevServer): boolean {
  return process.env.VITEST !== undefined && httpServer === null
}

/** After a restart the new server listens when the old one is closed. Tests that run in Vite must not touch the service. */
function syncWhileServing(server: ViteDevServer, session: Session): void {
  if (isTestRun(server)) return
  const { httpServer } = server
  if (httpServer) httpServer.once('listening', () => session.startSync())
  else session.startSync()
}

/** Vite watches its root; patterns may lead out of it. */
function watchOutsideRoot(server: ViteDevServer, session: Session): void {
  const add = ({ config, loaded }: LoadedState) => {
    for (const folder of loaded.files.patterns.bases) server.watcher.add(folder)
    if (config.configFile === undefined) return
    server.config.configFileDependencies.push(toPosix(config.configFile))
    server.watcher.add(config.configFile)
  }
  // A load that fails is reported by the first module that needs it.
  session.ready().then(add, () => {})
}

function tellBroken({ name, hot }: Environment, { before, after }: StateChange): void {
  if (name !== 'client') return
  const message = brokenFile(after)
  if (message !== undefined) hot.send(FILE_EVENTS.broken, { message })
  else if (brokenFile(before) !== undefined) hot.send(FILE_EVENTS.mended)
}

function brokenFile({ loaded }: LoadedState): string | undefined {
  const broken = loaded.diagnostics.find(({ severity }) => severity === 'error')
  return broken && formatFinding(broken)
}
