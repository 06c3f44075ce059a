/**
 * The bundler versions that README.md promises: the oldest is found by trying, the newest is the one in package.json.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUNDLER_NAMES, BUNDLERS, type BundlerName } from '../../src/plugin/bundlers.ts'
import { repository } from './bundlers.ts'

/** Without Bun, which is a runtime: `test/frameworks/bun.test.ts` runs it. */
type InstalledBundler = Exclude<BundlerName, 'bun'>

export interface SupportedBundler {
  readonly bundler: InstalledBundler
  readonly package: string
  readonly oldest: string
  /** Majors between oldest and newest. */
  readonly between: readonly string[]
}

export const NODES = [20, 22, 24] as const

const { devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  devDependencies: Readonly<Record<string, string>>
}

const NAMES = BUNDLER_NAMES.filter((bundler): bundler is InstalledBundler => bundler !== 'bun')

export const SUPPORTED: readonly SupportedBundler[] = NAMES.map((bundler) => {
  const { package: name, versions } = BUNDLERS[bundler]
  // `^5.4.0 || ^6.0.0 || ^7.0.0`: each major's first version.
  const [oldest = '', ...others] = versions.split('||').map((range) => /[\d.]+/.exec(range)?.[0] ?? '')
  return { bundler, package: name, oldest, between: others.slice(0, -1) }
})

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
