/** Finds the bundler of a project. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Bundlers with their packages. The first one counts if a project has several. */
const PACKAGES = {
  vite: 'vite',
  rspack: '@rspack/core',
  webpack: 'webpack',
  rolldown: 'rolldown',
  rollup: 'rollup',
  esbuild: 'esbuild',
  farm: '@farmfe/core',
}

export type BundlerName = keyof typeof PACKAGES
export const BUNDLERS = Object.keys(PACKAGES) as readonly BundlerName[]

/** By its configuration file, else by the dependencies in package.json. */
export async function detectBundler(root: string): Promise<BundlerName | undefined> {
  const names = await readdir(root).catch(() => [])
  const byFile = BUNDLERS.find((bundler) => names.some((name) => name.startsWith(`${bundler}.config.`)))
  if (byFile) return byFile
  try {
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const known = { ...dependencies, ...devDependencies }
    return BUNDLERS.find((bundler) => Object.hasOwn(known, PACKAGES[bundler]))
  } catch {
    return undefined
  }
}
