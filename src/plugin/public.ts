/**
 * The plugin as bundlers' configurations take it. Written by hand, without any bundler's own types: a project then
 * compiles with any bundler and any major version of it, also with `skipLibCheck: false`.
 */
import type { PluginOptions } from './options.ts'

/** For Vite, Rollup, Rolldown and Farm, whose plugins are a name and hooks. */
export interface NamedPlugin {
  readonly name: string
}

/** For esbuild, Rsbuild and Bun, whose plugins are a name and a function. */
export interface SetupPlugin extends NamedPlugin {
  setup(build: unknown): void | Promise<void>
}

/** For webpack and Rspack. No interface: only a type may stand for one with an index signature. */
export type CompilerPlugin = {
  apply(compiler: unknown): void
}

export type CreatePlugin<P> = (options?: PluginOptions) => P
