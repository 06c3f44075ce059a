/** Vite: build and dev server, every environment of them. */
import type { EnvironmentModuleNode, Plugin } from 'vite'
import { NULL_SPELLING } from '../../modules/ids.ts'
import { generateModule } from '../generate.ts'
import type { Host, HostInput } from '../host.ts'
import { guardBundle, rollupHost } from './rollup.ts'

export function viteHost(input: HostInput): Host {
  const { session } = input
  const { hooks, ...shared } = rollupHost(input)
  /** One reading of the files serves every environment of one event. */
  let refreshed: { readonly timestamp: number; readonly done: Promise<unknown> } | undefined

  const plugin: Partial<Plugin> = {
    configResolved({ root, command, mode }) {
      session.configure({ root, mode, command: command === 'serve' ? 'dev' : 'build' })
    },
    configureServer(server) {
      server.httpServer?.on('close', () => void session.close())
      void session.ready().then(({ loaded }) => {
        // Vite watches its root; patterns may lead out of it.
        for (const folder of loaded.files.patterns.bases) server.watcher.add(folder)
      }, ignoreUntilAsked)
    },
    async hotUpdate({ file, timestamp, modules }) {
      const before = await session.ready()
      if (!before.loaded.files.patterns.match(file)) return undefined
      if (refreshed?.timestamp !== timestamp) refreshed = { timestamp, done: session.begin() }
      await refreshed.done
      const after = await session.ready()
      const graph = this.environment.moduleGraph
      const touched = new Set<EnvironmentModuleNode>(modules.filter(({ id }) => !NULL_SPELLING.filter.test(id ?? '')))
      for (const [resolved, module] of graph.idToModuleMap) {
        const names = {
          languages: after.loaded.catalog.languages.map(({ key }) => key),
          namespaces: after.translations.namespaces,
          customers: after.translations.customers,
        }
        const id = NULL_SPELLING.parse(resolved, names)
        if (!id || id.kind === 'runtime') continue
        const [old, fresh] = await Promise.all([before, after].map((state) => codeOf(state, id)))
        if (old !== fresh) touched.add(module)
      }
      return [...touched]
    },
    generateBundle: guardBundle(session) as Plugin['generateBundle'],
  }

  return {
    ...shared,
    hotApi: () => (session.command === 'dev' ? 'vite' : undefined),
    watch: (context, folders) => {
      // A folder as a watched file makes Vite's dev server reload the page.
      if (session.command === 'build') shared.watch?.(context, folders)
    },
    hooks: { buildStart: hooks.buildStart, buildEnd: hooks.buildEnd, vite: plugin },
  }
}

/** A load that fails is reported by the first module that needs it. */
function ignoreUntilAsked(): void {}

async function codeOf(
  ...[state, id]: Parameters<typeof generateModule> extends [infer S, infer I, unknown] ? [S, I] : never
) {
  try {
    return (await generateModule(state, id, 'vite')).code
  } catch {
    return undefined
  }
}
