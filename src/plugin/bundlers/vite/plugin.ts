/** Vite's plugin as `unplugin` makes it, without the code for other bundlers: a dev server starts sooner. */

import type { Factory } from '../../factory.ts'
import type { PluginOptions } from '../../options.ts'

export const createVitePlugin = (factory: Factory) => (options?: PluginOptions) => {
  const plugin = factory(options, { framework: 'vite', versions: {} } as never)
  return Object.assign(plugin, plugin.vite)
}
