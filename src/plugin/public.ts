/**
 * The plugin's options, and the plugin types for bundler configurations. These types do not use the bundlers' own
 * types, so that a project compiles with every bundler in every major version, even with `skipLibCheck: false`.
 */
import type { LocalizationOptions } from '../config/options.ts'

/** The plugin's options: all configuration options, and the location of the configuration file. */
export interface PluginOptions extends LocalizationOptions {
  /**
   * The project's folder. Default: the folder of the nearest `localization.config.*`, searched from the bundler's root
   * or context up to the nearest package.json. If none is found, the bundler's root.
   */
  readonly root?: string
  /** The configuration file to use instead of searching for `localization.config.*`; `false` for none. */
  readonly configFile?: string | false
}

/** The plugin for Vite, Rollup, Rolldown and Farm. */
export interface NamedPlugin {
  readonly name: string
}

/** The plugin for esbuild, Rsbuild and Bun. */
export interface SetupPlugin extends NamedPlugin {
  setup(build: unknown): void | Promise<void>
}

/**
 * The plugin for webpack and Rspack. It is a type alias, because interfaces are not assignable to types with an index
 * signature.
 */
export type CompilerPlugin = {
  apply(compiler: unknown): void
}

export type CreatePlugin<P> = (options?: PluginOptions) => P
