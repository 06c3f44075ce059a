/**
 * Vite's plugin, as `unplugin` creates it. The code for other bundlers is left out, so that a dev server starts sooner.
 */

import type { Factory } from '../../factory.ts'
import type { PluginOptions } from '../../options.ts'
import type { NamedPlugin } from '../../public.ts'

interface HookContext {
  /** The environment, since Vite 6. */
  readonly environment?: object
}

type Hook = (this: HookContext, ...given: unknown[]) => unknown

/** The hooks that show when a server starts and ends. */
type Hooks = Readonly<Record<'config' | 'configureServer' | 'buildStart' | 'closeBundle', Hook>>
type Instance = NamedPlugin & Hooks

export const createVitePlugin = (factory: Factory) => (options?: PluginOptions) =>
  renewForServers(() => {
    const plugin = factory(options, { framework: 'vite', versions: {} } as never)
    return Object.assign(plugin, plugin.vite) as unknown as Instance
  })

/**
 * Gives each server its own instance. A restarting server reuses the plugin object if no configuration file creates a
 * new one, as in frameworks. The new server starts before the old one ends. Its instance reads the configuration again,
 * and the old server's instance closes only its own resources.
 */
function renewForServers(create: () => Instance): Instance {
  let current = create()
  let hasServer = false
  /** For Vite 5, the instances of running servers, oldest first. */
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
