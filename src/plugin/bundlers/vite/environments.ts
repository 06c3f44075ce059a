/**
 * Vite's environments. Vite 5 has none: its only module graph contains the modules for pages and for the server. Here,
 * that graph is treated as the client's.
 */
import type { DevEnvironment, Rollup, ViteDevServer } from 'vite'
import { LocalizationError } from '../../../errors.ts'
import { MANIFEST_ID } from '../../../output/ids.ts'
import { BUNDLERS } from '../../bundlers.ts'

/** The part of a Vite environment that this plugin uses. */
export type Environment = Pick<DevEnvironment, 'name' | 'moduleGraph' | 'reloadModule'> & {
  readonly hot: Pick<DevEnvironment['hot'], 'on' | 'send'>
}

interface Vite5Server {
  readonly environments?: undefined
  readonly hot: Environment['hot']
  readonly moduleGraph: unknown
  reloadModule(module: unknown): Promise<void>
}

/**
 * The client environments of Vite 5 servers. The key is the configuration, because hooks receive either the server or a
 * proxy of it.
 */
const known = new WeakMap<object, Environment>()

export function clientOf(server: ViteDevServer): Environment {
  const old = server as unknown as Vite5Server | { readonly environments: { readonly client: Environment } }
  if (old.environments) return old.environments.client
  const made = known.get(server.config) ?? {
    name: 'client',
    hot: old.hot,
    moduleGraph: old.moduleGraph as Environment['moduleGraph'],
    reloadModule: (module) => old.reloadModule(module),
  }
  known.set(server.config, made)
  return made
}

export function environmentsOf(server: ViteDevServer): readonly Environment[] {
  return (server.environments as object | undefined) ? Object.values(server.environments) : [clientOf(server)]
}

/** Returns true if the dev server bundles modules (`experimental.bundledDev`). Modules then have no URLs. */
export function isBundled(context: object): boolean {
  const { environment } = context as { readonly environment?: { readonly bundledDev?: unknown } }
  return environment?.bundledDev !== undefined
}

/** Returns `undefined` in Vite 5, where a module may be for both. */
export function consumerOf(context: object): 'client' | 'server' | undefined {
  return (context as Partial<Rollup.PluginContext>).environment?.config.consumer
}

/**
 * Throws in Vite before 5.1, where the server has no `hot`. Unsupported later versions are accepted, because they may
 * work.
 */
export function assertSupported(server: ViteDevServer): void {
  if ((server.hot as object | undefined) || (server.environments as object | undefined)) return
  throw new LocalizationError('unsupported version of Vite', {
    code: 'CONFIG_INVALID',
    hint: `Use vite ${BUNDLERS.vite.versions}.`,
  })
}

const EXCLUDED = { optimizeDeps: { exclude: [MANIFEST_ID] } }

/**
 * Excludes `virtual:translations` from dependency optimization. An installed package may import it, but the optimizer
 * bundles packages without this plugin.
 */
export const keptFromOptimizer = {
  config: () => ({ ...EXCLUDED, ssr: EXCLUDED }),
  configEnvironment: () => EXCLUDED,
}
