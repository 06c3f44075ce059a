/** Vite: build and dev server, every environment of them. */
import { join } from 'node:path'
import type { HotUpdateOptions, Plugin, ResolvedConfig, ViteDevServer } from 'vite'
import { CONFIG_FILE_NAMES } from '../../../config/file-names.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { AdapterInput, BundlerAdapter } from '../../bundler-adapter.ts'
import { createConfigNotice } from '../../config-notice.ts'
import { checkCopiedFolder } from '../../copied-files.ts'
import { isPrivate, PRIVATE_FILTER, refusePrivateFiles } from '../../private-files.ts'
import { isFirstInBuild } from '../../same-configuration.ts'
import { secretsToFind } from '../../secrets.ts'
import type { BuildContext, Session } from '../../session.ts'
import { createOutputHooks, createRollupPort, isWatching, watchFilesAndFolders } from '../rollup/adapter.ts'
import type { OutputContext } from '../rollup/output.ts'
import { folderUrlInScript, urlInPage } from './built-url.ts'
import { ViteDevServerUpdates } from './dev-server.ts'
import { clientOf, consumerOf } from './environments.ts'
import { linkTexts } from './manifest.ts'
import { VitePlace, WORKER_REQUEST } from './place.ts'
import { preloadTags } from './preload.ts'
import { denyPrivateFiles, refuseFirst, servedFolders } from './private-files.ts'

export function createAdapter(input: AdapterInput): BundlerAdapter {
  const { session, inspector } = input
  const place = new VitePlace(input.name)
  const server = new ViteDevServerUpdates(session, input.logger)
  const watchConfig = createConfigNotice(input)
  let config: ResolvedConfig | undefined
  let served: readonly string[] = []
  /** Environments in which another instance of the plugin came first. */
  const repeated = new Set<string | undefined>()
  const output = createOutputHooks(input, {
    placeOf: place.placeOf,
    folderUrl: (folder) => config && folderUrlInScript(config, folder),
    isFirst: ({ environment }) => !repeated.has(environment?.name),
  })

  const plugin: Partial<Plugin> = {
    api: place.api,
    // The local service's data, snapshots and caches change while the server runs. No module is made from them.
    config: () => ({ server: { watch: { ignored: ['**/.localization/**'] } } }),
    configResolved(resolved) {
      config = resolved
      place.configResolved(resolved)
      served = servedFolders(resolved)
      denyPrivateFiles(resolved, served)
      session.configure(contextOf(resolved))
      // An edit of one of these restarts the server, also of one that does not load yet.
      const configFiles = CONFIG_FILE_NAMES.map((name) => toPosix(join(resolved.root, name)))
      resolved.configFileDependencies.push(...configFiles)
    },
    configurePreviewServer: ({ middlewares }) => refuseFirst(middlewares, refusePrivateFiles(served)),
    configureServer(started) {
      const { base, server: options } = started.config
      refuseFirst(started.middlewares, refusePrivateFiles(served))
      started.middlewares.use(inspector({ base, hosts: [options.host, options.allowedHosts] }))
      server.start(started)
      announceWithUrls(started, inspector)
    },
    async hotUpdate(event: HotUpdateOptions) {
      return server.updatedModules(this.environment, event)
    },
    // Vite 5; later ones call the hook above instead.
    handleHotUpdate: (event) =>
      server.updatedModules(clientOf(event.server), event as unknown as HotUpdateOptions) as never,
    watchChange: (file) => server.fileChanged(file),
    transformIndexHtml: {
      order: 'post',
      async handler(_html, { bundle, path }) {
        const resolved = config
        if (!bundle || !resolved) return []
        const urlOf = (file: string) => urlInPage(resolved, file, path)
        return preloadTags({ state: await session.ready(), bundle: bundle as never, urlOf })
      },
    },
    ...(output as unknown as Pick<Plugin, 'transform' | 'renderStart' | 'renderChunk'>),
    generateBundle: {
      order: 'post',
      handler(options, bundle) {
        if (config) linkTexts(bundle, config)
        return output.generateBundle.handler.call(this as never, options as never, bundle as never)
      },
    },
    async closeBundle() {
      // The process may end as soon as the server is closed.
      if (session.command === 'dev') await session.close()
      else output.closeBundle.call(this as never)
    },
  }

  return {
    ...createRollupPort(input, place.placeOf),
    hotApi: () => (session.command === 'dev' ? 'vite' : undefined),
    // Tests that run in Vite load client modules too, but fetch them from no server.
    servesAddresses: (context) => !server.isHmrDisabled && consumerOf(context) === 'client',
    depend(context, dependencies) {
      if (session.command === 'build') watchFilesAndFolders(context, dependencies)
      else server.watchFiles(context, dependencies)
    },
    foreign: foreignModules(session, place, server, () => served),
    hooks: {
      async buildStart() {
        const isOnDemand = session.command === 'dev' && (await session.readsOnDemand())
        const loading = isOnDemand ? session.config() : session.begin().then((state) => state.config)
        // The dev server restarts by itself.
        if (session.command === 'build' && isWatching(this)) void watchConfig(config?.root ?? process.cwd())
        const own = await loading
        const { environment } = this as unknown as OutputContext
        if (isFirstInBuild(environment ?? config ?? plugin, session, own)) repeated.delete(environment?.name)
        else repeated.add(environment?.name)
        // Before Vite copies it.
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
    // Tests that run in Vite end before the server is idle.
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
      // A page can request modules over Vite's socket too. Code on the server may read any file.
      if (PRIVATE_FILTER.test(id) && !server.isTest && consumerOf(context) === 'client' && isPrivate(id, served()))
        throw new Error(`${id} is private and not served`)
    },
  }
}

/** Vite prints its addresses when it listens, and when a person presses `u`. */
function announceWithUrls(server: ViteDevServer, inspector: AdapterInput['inspector']): void {
  const print = server.printUrls.bind(server)
  server.printUrls = () => {
    print()
    const [local] = server.resolvedUrls?.local ?? []
    if (local !== undefined) inspector.announce(local)
  }
}

function copiedFolder(config: ResolvedConfig | undefined): string | undefined {
  return config?.build.copyPublicDir && config.build.write !== false ? config.publicDir : undefined
}
