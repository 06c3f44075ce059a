/** Finds what bundles a project. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BUNDLER_NAMES, BUNDLERS, type BundlerName } from '../../plugin/bundlers.ts'

/** Bun's lock file and its configuration. */
const BUN_FILE = /^(?:bun\.lockb?|bunfig\.toml)$/

/**
 * By its configuration file, else by the dependencies in package.json; the first of the table if there are several.
 * Without any, what Bun writes into a project means Bun. `metro`: React Native's bundler, which takes no plugins; its
 * projects have other bundlers for their tools.
 */
export async function detectBundler(root: string): Promise<BundlerName | 'metro' | undefined> {
  const names = await readdir(root).catch(() => [])
  const byFile = BUNDLER_NAMES.find((bundler) => names.some((name) => name.startsWith(`${bundler}.config.`)))
  if (byFile) return byFile
  if (names.some((name) => name.startsWith('metro.config.'))) return 'metro'
  try {
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const known = { ...dependencies, ...devDependencies }
    if (Object.hasOwn(known, 'react-native')) return 'metro'
    const byPackage = BUNDLER_NAMES.find((bundler) => Object.hasOwn(known, BUNDLERS[bundler].package))
    if (byPackage) return byPackage
    if (Object.hasOwn(known, '@types/bun')) return 'bun'
  } catch {
    // Without a package.json that can be read, files are left.
  }
  return names.some((name) => BUN_FILE.test(name)) ? 'bun' : undefined
}
