/**
 * The plugin as bundlers' configurations take it. Written by hand, without any bundler's own types: a project then compiles with
 * whatever bundler and major it has, also with `skipLibCheck: false`.
 */
import type { PluginOptions } from './session.ts'

/** For Vite, Rollup, Rolldown and Farm, whose plugins are a name and hooks. */
export interface NamedPlugin {
  readonly name: string
}

export interface EsbuildPlugin extends NamedPlugin {
  setup(build: unknown): void | Promise<void>
}

/** For webpack and Rspack. No interface: only a type may stand for one with an index signature. */
export type CompilerPlugin = {
  apply(compiler: unknown): void
}

export type CreatePlugin<P> = (options?: PluginOptions) => P

/** The plugin for every bundler: `unplugin.vite()`, `unplugin.webpack()` and so on. */
export interface LocalizationUnplugin {
  readonly vite: CreatePlugin<NamedPlugin>
  readonly rollup: CreatePlugin<NamedPlugin>
  readonly rolldown: CreatePlugin<NamedPlugin>
  readonly webpack: CreatePlugin<CompilerPlugin>
  readonly rspack: CreatePlugin<CompilerPlugin>
  readonly esbuild: CreatePlugin<EsbuildPlugin>
  readonly farm: CreatePlugin<NamedPlugin>
}
