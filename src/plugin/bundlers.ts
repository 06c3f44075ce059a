/**
 * The supported bundlers. To add one, add an entry here, and a folder in `bundlers/` whose `adapter.ts` exports
 * `createAdapter`. Then run `node scripts/bundlers.mjs`, which writes the entry points, `bundlers/adapters.ts` and the
 * bundlers' entries in package.json.
 */
export interface BundlerInfo {
  readonly title: string
  readonly package: string
  /** The supported versions. They are also the version range of the optional peer dependency. */
  readonly versions: string
  /** The name of the plugin's type in `public.ts`. */
  readonly plugin: 'NamedPlugin' | 'CompilerPlugin' | 'SetupPlugin'
}

/** The keys are the names of the entry points. `localization init` searches for bundlers in this order. */
export const BUNDLERS = {
  vite: { title: 'Vite', package: 'vite', versions: '^5.4.0 || ^6.0.0 || ^7.0.0 || ^8.0.0', plugin: 'NamedPlugin' },
  rsbuild: { title: 'Rsbuild', package: '@rsbuild/core', versions: '^1.5.0 || ^2.0.0', plugin: 'SetupPlugin' },
  rspack: { title: 'Rspack', package: '@rspack/core', versions: '^1.0.0 || ^2.0.0', plugin: 'CompilerPlugin' },
  webpack: { title: 'webpack', package: 'webpack', versions: '^5.75.0', plugin: 'CompilerPlugin' },
  rolldown: { title: 'Rolldown', package: 'rolldown', versions: '^1.0.0', plugin: 'NamedPlugin' },
  rollup: { title: 'Rollup', package: 'rollup', versions: '^3.0.0 || ^4.0.0', plugin: 'NamedPlugin' },
  esbuild: { title: 'esbuild', package: 'esbuild', versions: '>=0.18.0 <1', plugin: 'SetupPlugin' },
  bun: { title: 'Bun', package: 'bun', versions: '>=1.2.22 <2', plugin: 'SetupPlugin' },
  farm: { title: 'Farm', package: '@farmfe/core', versions: '^1.7.1', plugin: 'NamedPlugin' },
} as const satisfies Readonly<Record<string, BundlerInfo>>

export type BundlerName = keyof typeof BUNDLERS

export const BUNDLER_NAMES = Object.keys(BUNDLERS) as readonly BundlerName[]
