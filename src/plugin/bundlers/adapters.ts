/** Every adapter by its bundler's name. Written by scripts/bundlers.mjs. */
import type { CompilerPlugin, CreatePlugin, NamedPlugin, SetupPlugin } from '../public.ts'
import { createAdapter as bun } from './bun/adapter.ts'
import { createAdapter as esbuild } from './esbuild/adapter.ts'
import { createAdapter as farm } from './farm/adapter.ts'
import { createAdapter as rolldown } from './rolldown/adapter.ts'
import { createAdapter as rollup } from './rollup/adapter.ts'
import { createAdapter as rsbuild } from './rsbuild/adapter.ts'
import { createAdapter as rspack } from './rspack/adapter.ts'
import { createAdapter as vite } from './vite/adapter.ts'
import { createAdapter as webpack } from './webpack/adapter.ts'

export const ADAPTERS = { vite, rollup, rolldown, webpack, rspack, esbuild, farm, rsbuild, bun }

/** The plugin for every bundler: `unplugin.vite()`, `unplugin.webpack()` and so on. */
export interface LocalizationUnplugin {
  readonly vite: CreatePlugin<NamedPlugin>
  readonly rollup: CreatePlugin<NamedPlugin>
  readonly rolldown: CreatePlugin<NamedPlugin>
  readonly webpack: CreatePlugin<CompilerPlugin>
  readonly rspack: CreatePlugin<CompilerPlugin>
  readonly esbuild: CreatePlugin<SetupPlugin>
  readonly farm: CreatePlugin<NamedPlugin>
  readonly rsbuild: CreatePlugin<SetupPlugin>
  readonly bun: CreatePlugin<SetupPlugin>
}
