/**
 * The Vite plugin, created as `unplugin` would create it, but without loading the code for other bundlers, so that a
 * dev server starts sooner.
 */

import type { Factory } from '../../factory.ts'
import type { NamedPlugin, PluginOptions } from '../../public.ts'

/** `environment` exists since Vite 6. */
type Hook = (this: { readonly environment?: object }, ...given: unknown[]) => unknown

/** The hooks that run when a server starts or ends. */
type Hooks = Readonly<Record<'config' | 'configureServer' | 'buildStart' | 'closeBundle', Hook>>
type Instance = NamedPlugin & Hooks

export const createVitePlugin = (factory: Factory) => (options?: PluginOptions) =>
  renewForServers(() => {
    const plugin = factory(options, { framework: 'vite', versions: {} } as never)
    return Object.assign(plugin, plugin.vite) as unknown as Instance
  })

/**
 * Gives each server its own plugin instance. When a server restarts, the plugin object is created again only if a
 * configuration file creates it. With frameworks, the object is reused, and the new server starts before the old one
 * ends. The new server needs an instance that reads the configuration again. The old instance must close only its own
 * resources. After the last server, the plugin object gets an unused instance, because Node keeps the object with the
 * module of Vite's configuration, and would keep the server's texts and modules with it.
 */
function renewForServers(create: () => Instance): Instance {
  let current = create()
  let hasServer = false
  /** The instances in use, by environment. In Vite 5, which has none, they are the keys. The oldest is first. */
  const running = new Map<object, Instance>()
  const renew = () => {
    current = create()
    hasServer = false
    Object.assign(plugin, current, hooks)
  }
  const hooks: Hooks = {
    config(...given) {
      if (hasServer) renew()
      return current.config.apply(this, given)
    },
    configureServer(...given) {
      hasServer = true
      return current.configureServer.apply(this, given)
    },
    buildStart(...given) {
      running.set(this.environment ?? current, current)
      return current.buildStart.apply(this, given)
    },
    async closeBundle(...given) {
      const { environment } = this
      const [oldest = current] = running.values()
      const ending = environment ? running.get(environment) : oldest
      running.delete(environment ?? oldest)
      await ending?.closeBundle.apply(this, given)
      if (hasServer && ending === current && running.size === 0) renew()
    },
  }
  const plugin = { ...current, ...hooks }
  return plugin
}
