/**
 * The plugin types for bundler configurations. They do not use the bundlers' own types, so that a project compiles with
 * every bundler in every major version, even with `skipLibCheck: false`.
 */
import type { PluginOptions } from './options.ts'

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
