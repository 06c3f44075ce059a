/** The built package, installed in the folder of a project. */
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { repository } from './bundlers.ts'
import { tempFolder } from './temp.ts'

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default?: string }>>
  readonly dependencies: Readonly<Record<string, string>>
}

const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as Manifest
const targets = Object.entries(manifest.exports)

/** What can be imported: `/vite` and so on, and the empty string. */
export const subpaths = targets
  .filter(([, target]) => typeof target === 'object' && target.default !== undefined)
  .map(([path]) => path.slice(1))

/** A fresh folder with the package, its dependencies, and these packages beside them. */
export async function installIn(packages: readonly string[]): Promise<string> {
  const folder = await tempFolder()
  await installPackage(folder, [...Object.keys(manifest.dependencies), ...packages])
  return folder
}

/**
 * The package is copied, as from a tarball: a dev server treats a linked one as source. Other packages are links: the
 * real places decide what a dependency's own declarations find. Default: all packages of this repository.
 */
export async function installPackage(folder: string, packages?: readonly string[]): Promise<void> {
  const modules = join(folder, 'node_modules')
  for (const part of ['package.json', 'dist', 'src/virtual.d.ts', 'src/virtual-strict.d.ts'])
    cpSync(join(repository, part), join(modules, 'unplugin-localization', part), { recursive: true })
  const all = () => readdirSync(join(repository, 'node_modules')).filter((name) => !name.startsWith('.'))
  // Hundreds of links: each waiting takes longer than the link.
  for (const name of packages ?? all()) {
    if (name.includes('/')) mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(repository, 'node_modules', name), join(modules, name))
  }
}
