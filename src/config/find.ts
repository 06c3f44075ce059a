/** Finds the project's root, which is the folder of `localization.config.*`. */
import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { normalDrive } from '../shared/paths.ts'
import type { OnDependency } from './types.ts'

/** The possible names of the configuration file. A project has at most one. */
export const CONFIG_FILE_NAMES: readonly string[] = ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'json'].map(
  (ending) => `localization.config.${ending}`,
)

/**
 * Returns the nearest folder with a configuration file, from `start` up to and including the folder of the nearest
 * package.json. Returns `start` if there is no such file or no package.json.
 *
 * @param start a bundler's root, or a command's working directory
 * @param onDependency called for each missing file whose creation would change the result
 */
export async function findRoot(start: string, onDependency?: OnDependency): Promise<string> {
  const first = normalDrive(resolve(start))
  const folders = await foldersOfPackage(first)
  const has = await Promise.all(folders.map(async (folder) => (await configFilesIn(folder)).length > 0))
  const at = has.indexOf(true)
  for (const folder of at === -1 ? folders.slice(1) : folders.slice(0, at))
    for (const name of CONFIG_FILE_NAMES) onDependency?.(join(folder, name), undefined)
  return folders[at] ?? first
}

/** The configuration files in the folder. The caller treats more than one as an error. */
export async function configFilesIn(folder: string): Promise<string[]> {
  const found = await Promise.all(CONFIG_FILE_NAMES.map((name) => isFile(join(folder, name))))
  return CONFIG_FILE_NAMES.filter((_, at) => found[at])
}

/** The nearest folder with a package.json, from `start` upwards; `start` if there is none. */
export async function packageFolder(start: string): Promise<string> {
  const folders = await foldersOfPackage(normalDrive(resolve(start)))
  return folders.at(-1) ?? start
}

/**
 * The folder and its parents, up to the nearest one with a package.json; only the folder if none has a package.json.
 */
async function foldersOfPackage(start: string): Promise<string[]> {
  const folders = [start]
  for (let folder = start; !(await isFile(join(folder, 'package.json'))); ) {
    const parent = dirname(folder)
    if (parent === folder) return [start]
    folders.push(parent)
    folder = parent
  }
  return folders
}

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() === true
}
