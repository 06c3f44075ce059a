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
 * resources.
 */
function renewForServers(create: () => Instance): Instance {
  let current = create()
  let hasServer = false
  /** For Vite 5: the instances of running servers. The oldest is first. */
  const running: Instance[] = []
  const instanceOf = new WeakMap<object, Instance>()
  const hooks: Hooks = {
    config(...given) {
      if (hasServer) {
        current = create()
        hasServer = false
        Object.assign(plugin, current, hooks)
      }
      return current.config.apply(this, given)
    },
    configureServer(...given) {
      hasServer = true
      running.push(current)
      return current.configureServer.apply(this, given)
    },
    buildStart(...given) {
      if (this.environment) instanceOf.set(this.environment, current)
      return current.buildStart.apply(this, given)
    },
    closeBundle(...given) {
      const { environment } = this
      const ending = environment ? instanceOf.get(environment) : (running.shift() ?? current)
      return ending?.closeBundle.apply(this, given)
    },
  }
  const plugin = { ...current, ...hooks }
  return plugin
}
