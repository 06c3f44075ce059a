/** The bundler versions that README.md promises: the oldest is found by trying, the newest is the one in package.json. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './bundlers.ts'

export interface SupportedBundler {
  readonly bundler: 'vite' | 'rollup' | 'rolldown' | 'webpack' | 'rspack' | 'esbuild' | 'farm'
  readonly package: string
  readonly oldest: string
  /** Majors between oldest and newest. */
  readonly between: readonly string[]
}

export const NODES = [20, 22, 24] as const

export const SUPPORTED: readonly SupportedBundler[] = [
  { bundler: 'vite', package: 'vite', oldest: '5.4.0', between: ['6.0.0', '7.0.0'] },
  { bundler: 'rollup', package: 'rollup', oldest: '3.0.0', between: [] },
  { bundler: 'rolldown', package: 'rolldown', oldest: '1.0.0', between: [] },
  { bundler: 'webpack', package: 'webpack', oldest: '5.75.0', between: [] },
  { bundler: 'rspack', package: '@rspack/core', oldest: '1.0.0', between: [] },
  { bundler: 'esbuild', package: 'esbuild', oldest: '0.18.0', between: [] },
  { bundler: 'farm', package: '@farmfe/core', oldest: '1.7.1', between: [] },
]

const { devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  devDependencies: Readonly<Record<string, string>>
}

export interface Installed extends Pick<SupportedBundler, 'bundler'> {
  /** The name it is installed under. */
  readonly name: string
  readonly version: string
  /** For `dependencies`. */
  readonly specifier: string
}

/** Newest ones have their own names, older ones stand beside them. */
export function installedVersions(): Installed[] {
  return SUPPORTED.flatMap(({ bundler, package: name, oldest, between }) => {
    const newest = devDependencies[name] as string
    return [
      { bundler, name, version: newest, specifier: newest },
      ...[oldest, ...between].map((version) => ({
        bundler,
        name: `${bundler}-${version}`,
        version,
        specifier: `npm:${name}@${version}`,
      })),
    ]
  })
}
