/** Finds the bundler of a project. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BUNDLER_NAMES, BUNDLERS, type BundlerName } from '../../plugin/bundlers.ts'

/** The tools for which `init` prints lines. */
export const TOOL_NAMES = [...BUNDLER_NAMES, 'next'] as const
export type ToolName = BundlerName | 'next'

/** Bun's lock file and its configuration. */
const BUN_FILE = /^(?:bun\.lockb?|bunfig\.toml)$/

/**
 * By its configuration file, else by the dependencies in package.json; the first of the table if there are several.
 * Without any, Bun's own files mean Bun. `next`: Next.js, also if the project's tests have another bundler. `metro`:
 * React Native's bundler, which takes no plugins; its projects may have other bundlers for their tools.
 */
export async function detectBundler(root: string): Promise<ToolName | 'metro' | undefined> {
  const names = await readdir(root).catch(() => [])
  const hasConfig = (tool: string) => names.some((name) => name.startsWith(`${tool}.config.`))
  if (hasConfig('next')) return 'next'
  const byFile = BUNDLER_NAMES.find(hasConfig)
  if (byFile) return byFile
  if (hasConfig('metro')) return 'metro'
  try {
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const known = { ...dependencies, ...devDependencies }
    if (Object.hasOwn(known, 'react-native')) return 'metro'
    if (Object.hasOwn(known, 'next')) return 'next'
    const byPackage = BUNDLER_NAMES.find((bundler) => Object.hasOwn(known, BUNDLERS[bundler].package))
    if (byPackage) return byPackage
    if (Object.hasOwn(known, '@types/bun')) return 'bun'
  } catch {
    // Without a readable package.json, only configuration files are left.
  }
  return names.some((name) => BUN_FILE.test(name)) ? 'bun' : undefined
}
