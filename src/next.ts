/**
 * Wraps the Next.js configuration (`next.config.ts`, `.mjs` or `.js`), for Turbopack and webpack.
 *
 * ```ts
 * import withLocalization from 'unplugin-localization/next'
 *
 * export default withLocalization(nextConfig)
 * ```
 */
import type { NextConfig } from './next/merge-config.ts'
import { wrapConfig } from './next/with-localization.ts'
import type { PluginOptions } from './plugin/public.ts'

export type { PluginOptions } from './plugin/public.ts'

/** The export of a Next.js configuration file: an object, or a function of the phase. */
export type NextConfigExport<Config, Context> =
  | Config
  | Promise<Config>
  | ((phase: string, context: Context) => Config | Promise<Config>)

/**
 * Adds `virtual:translations` to a configuration. `next build` generates the modules first; `next dev` also keeps them
 * up to date and syncs; other commands generate nothing.
 *
 * @param nextConfig Default: none. Its functions, phases, aliases and hooks are kept.
 * @param options Other options come from `localization.config.*` and the environment. `root` is the folder of
 * `next.config.*`. Default: the working directory.
 * @returns a function for Next.js to call. If there are several wrappers, this must be the outermost one. Rejects with
 * the same errors as a build
 */
export default function withLocalization<Config extends object, Context = { readonly defaultConfig: object }>(
  nextConfig?: NextConfigExport<Config, Context>,
  options: PluginOptions = {},
): (phase: string, context: Context) => Promise<Config> {
  const wrap = async (phase: string, context: Context): Promise<Config> => {
    const config = await (typeof nextConfig === 'function' ? nextConfig(phase, context) : nextConfig)
    return (await wrapConfig((config ?? {}) as NextConfig, phase, options)) as Config
  }
  return (phase, context) => {
    const wrapped = wrap(phase, context)
    // Next.js sometimes ignores this promise. If it has no handler, a rejection ends the process.
    wrapped.catch(() => {})
    return wrapped
  }
}
