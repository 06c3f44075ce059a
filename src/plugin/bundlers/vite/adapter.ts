/** The adapter for Vite's build and dev server, in all environments. */
import type { Connect, HotUpdateOptions, Plugin, ResolvedConfig, Rollup } from 'vite'
import { LocalizationError } from '../../../errors.ts'
import { MANIFEST_ID, NULL_SPELLING } from '../../../output/ids.ts'
import { withoutQuery } from '../../../shared/paths.ts'
import { type AdapterInput, type BundlerAdapter, isFirstInBuild, type TextPlace } from '../../bundler-adapter.ts'
import { createConfigNotice } from '../../config-notice.ts'
import type { Middleware } from '../../inspector.ts'
import { isPrivate, PRIVATE_FILTER, refusePrivateFiles } from '../../private-files.ts'
import { checkCopiedFolder, secretsToFind } from '../../secret-scan.ts'
import type { BuildContext, Session } from '../../session.ts'
import { createModuleHooks, isWatching, watchFilesAndFolders, watchFolders } from '../rollup/adapter.ts'
import { createOutputHooks } from '../rollup/output-hooks.ts'
import type { OutputContext, PlaceOf } from '../rollup/port.ts'
import { folderUrlInScript, preloadTags, urlInPage } from './built-url.ts'
import { announceWithUrls, ViteDevServerUpdates } from './dev-server.ts'
import { assertSupported, clientOf, consumerOf, isBundled, keptFromOptimizer } from './environments.ts'

interface WorkerRequests {
  /** Absolute paths of workers that are imported with `?inline`. */
  readonly inline: Set<string>
  /** Absolute paths of workers whose texts are in files. */
  readonly withFiles: Set<string>
}

const WORKER_REQUEST = /[?&](?:worker|sharedworker)(?:&|$)/

/** Properties that Vite's types leave out. */
interface InternalConfig {
  /** In a worker's build: the configuration of the page's build. */
  readonly mainConfig?: ResolvedConfig
  readonly bundleChain?: readonly string[]
  /** Set by `@vitejs/plugin-legacy` 8 and later. */
  readonly isOutputOptionsForLegacyChunks?: unknown
}

/** Decides where texts go. Vite builds workers separately, with another instance of this plugin. */
class VitePlace {
  /** Information that the plugin instances in the workers' builds read and add to. */
  readonly api: WorkerRequests = { inline: new Set(), withFiles: new Set() }
  #config: (ResolvedConfig & InternalConfig) | undefined

  constructor(private readonly pluginName: string) {}

  configResolved(config: ResolvedConfig): void {
    this.#config = config
  }

  /** Records that a module imports a worker, which Vite builds later. */
  workerRequested(id: string): void {
    if (!/[?&]inline\b/.test(id)) return
    const worker = withoutQuery(id)
    if (this.api.withFiles.has(worker))
      throw new LocalizationError(`${worker} is imported both with and without ?inline`, {
        code: 'WORKER_TEXTS',
        hint: 'Import it in one way only, or set library: true for the plugin in worker.plugins.',
      })
    this.api.inline.add(worker)
  }

  readonly placeOf: PlaceOf = (context, { library, delivery }) => {
    const config = this.#config
    // Frameworks may bundle a server's output again, trace its imports or move it. Message files would then be lost.
    // Vite 5 has no environments, so its `build.ssr` decides.
    if ((consumerOf(context) ?? (config?.build.ssr ? 'server' : 'client')) === 'server')
      return library === false && delivery === 'live' ? 'files' : 'chunks'
    const isLibrary = library ?? Boolean(config?.build.lib)
    const worker = config?.isWorker && config.bundleChain?.at(-1)
    if (worker) return this.#placeInWorker(worker, isLibrary)
    return isLibrary || (config && hasLegacyOutput(config)) ? 'chunks' : 'files'
  }

  #placeInWorker(worker: string, isLibrary: boolean): TextPlace {
    const page = this.#config?.mainConfig
    const requests = page?.plugins.find(({ name }) => name === this.pluginName)?.api as WorkerRequests | undefined
    // An inlined worker is a blob, which has no base URL. If this plugin is not in the page's build, any worker may be
    // inlined.
    if (isLibrary || !requests || requests.inline.has(worker)) return 'inline'
    requests.withFiles.add(worker)
    return 'files'
  }
}

/**
 * Returns true if the plugin for legacy browsers is active. SystemJS evaluates fetched files as scripts, so ES modules
 * would fail.
 */
function hasLegacyOutput(config: ResolvedConfig & InternalConfig): boolean {
  const outputs = [config.build.rollupOptions.output].flat() as readonly ({ readonly format?: string } | undefined)[]
  return (
    config.isOutputOptionsForLegacyChunks !== undefined ||
    outputs.some((output) => output?.format === 'system' || output?.format === 'systemjs')
  )
}

const TRANSLATIONS = NULL_SPELLING.format({ kind: 'manifest' })

interface Entry {
  readonly file: string
  dynamicImports?: string[]
}

/**
 * Adds the message files to the file of `build.manifest`, as lazy imports of each chunk that contains
 * `virtual:translations`. Does nothing in Nuxt, where every page would then prefetch the texts of all languages.
 */
function linkTexts(bundle: Rollup.OutputBundle, { build, plugins }: ResolvedConfig): void {
  if (plugins.some(({ name }) => name.startsWith('nuxt:'))) return
  const asset = bundle[build.manifest === true ? '.vite/manifest.json' : String(build.manifest)]
  if (asset?.type !== 'asset') return
  const entries = JSON.parse(Buffer.from(asset.source).toString()) as Record<string, Entry>
  const texts = Object.keys(entries).filter((name) => name.startsWith(`${MANIFEST_ID}/`))
  if (texts.length === 0) return
  for (const entry of Object.values(entries)) {
    const chunk = bundle[entry.file]
    if (chunk?.type === 'chunk' && chunk.moduleIds.includes(TRANSLATIONS))
      entry.dynamicImports = [...(entry.dynamicImports ?? []), ...texts]
  }
  asset.source = JSON.stringify(entries, null, 2)
}

function preloadInPages(session: Session, configOf: () => ResolvedConfig | undefined): Plugin['transformIndexHtml'] {
  return {
    order: 'post',
    async handler(_html, { bundle, path }) {
      const config = configOf()
      if (!bundle || !config) return []
      const urlOf = (file: string) => urlInPage(config, file, path)
      return preloadTags(await session.ready(), bundle as never, urlOf)
    },
  }
}

export function createAdapter(input: AdapterInput): BundlerAdapter {
  const { session, inspector } = input
  const place = new VitePlace(input.name)
  const server = new ViteDevServerUpdates(session, input.logger)
  const watchConfig = createConfigNotice(input)
  let config: ResolvedConfig | undefined
  let served: readonly string[] = []
  /** Environments in which another instance of the plugin is active. */
  const repeated = new Set<string | undefined>()
  const output = createOutputHooks(
    input,
    {
      placeOf: place.placeOf,
      isWorker: () => config?.isWorker === true,
      folderUrl: (folder) => config && folderUrlInScript(config, folder),
    },
    ({ environment }) => !repeated.has(environment?.name),
  )

  const plugin: Partial<Plugin> = {
    api: place.api,
    ...keptFromOptimizer,
    configResolved(resolved) {
      config = resolved
      place.configResolved(resolved)
      served = servedFolders(resolved)
      denyPrivateFiles(resolved, served)
      ignoreOwnFolder(resolved.server)
      session.configure(contextOf(resolved))
    },
    configurePreviewServer: ({ middlewares }) => refuseFirst(middlewares, refusePrivateFiles(served)),
    configureServer(started) {
      assertSupported(started)
      const { base, server: options } = started.config
      refuseFirst(started.middlewares, refusePrivateFiles(served))
      started.middlewares.use(inspector([options.host, options.allowedHosts], base))
      server.start(started)
      announceWithUrls(started, inspector)
    },
    async hotUpdate(event: HotUpdateOptions) {
      return server.updatedModules(this.environment, event)
    },
    // For Vite 5. Later versions call `hotUpdate`.
    handleHotUpdate: (event) =>
      server.updatedModules(clientOf(event.server), event as unknown as HotUpdateOptions) as never,
    watchChange(file) {
      return server.fileChanged(this, file)
    },
    transformIndexHtml: preloadInPages(session, () => config),
    ...(output as unknown as Pick<Plugin, 'transform' | 'renderStart' | 'renderChunk'>),
    generateBundle: {
      order: 'post',
      handler(options, bundle) {
        if (config) linkTexts(bundle, config)
        return output.generateBundle.handler.call(this as never, options as never, bundle as never)
      },
    },
    async closeBundle() {
      // Closing is awaited, because the process may exit right after the server has closed.
      if (session.command === 'dev') await session.close()
      else output.closeBundle.call(this as never)
    },
  }

  return {
    ...createModuleHooks(input, place.placeOf),
    hotApi: () => (session.command === 'dev' ? 'vite' : undefined),
    // Vitest, which turns HMR off, loads client modules without fetching them from a server.
    devDelivery(context) {
      // A dev server that bundles cannot load virtual modules lazily, and it cannot load any module lazily if `base` is
      // set. The manifest therefore contains all texts.
      const isInline = isBundled(context)
      return { isInline, isServed: !isInline && !server.isHmrDisabled && consumerOf(context) === 'client' }
    },
    depend(context, dependencies) {
      if (session.command === 'build') return watchFilesAndFolders(context, dependencies)
      if (isBundled(context)) watchFolders(context, dependencies)
      server.watchFiles(context, dependencies)
    },
    foreign: foreignModules(session, place, server, () => served),
    hooks: {
      async buildStart() {
        const isOnDemand = await session.readsOnDemand()
        const loading = isOnDemand ? session.config() : session.begin().then((state) => state.config)
        if (session.command === 'build' && isWatching(this)) watchConfig(config?.root ?? process.cwd())
        const own = await loading
        const { environment } = this as unknown as OutputContext
        if (isFirstInBuild(environment ?? config ?? plugin, session, own)) repeated.delete(environment?.name)
        else repeated.add(environment?.name)
        const copied = session.command === 'build' ? copiedFolder(config) : undefined
        if (copied) await checkCopiedFolder(copied, own.root, await secretsToFind(session))
      },
      buildEnd: () => session.end(),
      vite: plugin,
    },
  }
}

function contextOf({ root, command, mode, envDir, envPrefix, server }: ResolvedConfig): BuildContext {
  return {
    root,
    command: command === 'serve' ? 'dev' : 'build',
    mode,
    envDir,
    clientPrefixes: [envPrefix ?? []].flat(),
    // Tests that run in Vite may end before the server is idle.
    isOnDemand: process.env.VITEST === undefined || !server.middlewareMode,
  }
}

function foreignModules(
  session: Session,
  place: VitePlace,
  server: ViteDevServerUpdates,
  served: () => readonly string[],
): BundlerAdapter['foreign'] {
  return {
    filter: [PRIVATE_FILTER, WORKER_REQUEST],
    beforeLoad(context, id) {
      if (session.command === 'build') return WORKER_REQUEST.test(id) ? place.workerRequested(id) : undefined
      // A page can also request modules through Vite's WebSocket, so files are checked here too. Server code may read
      // any file.
      if (PRIVATE_FILTER.test(id) && !server.isTest && consumerOf(context) === 'client' && isPrivate(id, served()))
        throw new Error(`${id} is private and is not served`)
    },
  }
}

function copiedFolder(config: ResolvedConfig | undefined): string | undefined {
  return config?.build.copyPublicDir && config.build.write !== false ? config.publicDir : undefined
}

function servedFolders({ root, server }: ResolvedConfig): readonly string[] {
  return [root, ...server.fs.allow.filter((folder) => !isPrivate(folder, [root]))]
}

/**
 * Adds `.localization` to the denied files. The option `server.fs.deny` is not set in the `config` hook, because that
 * would replace Vite's own list. In Vite 6 and later, that list has already become a function when this is called.
 */
function denyPrivateFiles(config: ResolvedConfig, served: readonly string[]): void {
  const holder = config as { fsDenyGlob?: (path: string) => boolean }
  const denied = holder.fsDenyGlob
  if (denied) holder.fsDenyGlob = (path) => denied(path) || isPrivate(path, served)
  // If the project is inside a `.localization` folder, this pattern would deny every file.
  if (!isPrivate(config.root, [])) config.server.fs.deny = [...config.server.fs.deny, '**/.localization/**']
}

/**
 * Makes the watcher ignore the local service's data, snapshots and caches. They change while the server runs, and no
 * module depends on them. The pattern is added to the resolved options, because a value from the `config` hook would
 * turn on watching even if the user or a framework turned it off.
 */
function ignoreOwnFolder(server: ResolvedConfig['server']): void {
  const { watch } = server
  if (watch !== null) server.watch = { ...watch, ignored: [watch?.ignored ?? [], '**/.localization/**'].flat() }
}

/** Puts a middleware before all others, including Vite's own. */
function refuseFirst({ stack }: Connect.Server, handle: Middleware): void {
  stack.unshift({ route: '', handle: handle as Connect.HandleFunction })
}
