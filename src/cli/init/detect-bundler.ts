/** Finds the bundler of a project. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BUNDLER_NAMES, BUNDLERS, type BundlerName } from '../../plugin/bundlers.ts'
import { toPosix } from '../../shared/paths.ts'
import {
  configsIn,
  inOrder,
  namedConfigs,
  packagesOf,
  readManifest,
  runsTool,
  type Scripts,
  scriptsOf,
} from './scripts.ts'

/** The tools for which `init` prints lines. */
export const TOOL_NAMES = [...BUNDLER_NAMES, 'next'] as const
export type ToolName = BundlerName | 'next'

/** Bun's lockfile and its configuration. */
const BUN_FILE = /^(?:bun\.lockb?|bunfig\.toml)$/

/**
 * Looks at the scripts of package.json, then its dependencies, then file names. If it finds several bundlers, the first
 * of the table counts; if it finds none, Bun's files mean Bun. `next`: Next.js, also if the project's tests use another
 * bundler. `metro`: React Native's bundler, which takes no plugins. Such projects may use other bundlers for tools.
 */
export async function detectBundler(root: string): Promise<ToolName | 'metro' | undefined> {
  const names = await readdir(root).catch(() => [])
  // Without a readable package.json, only configuration files are left.
  const manifest = await readManifest(root)
  const packages = new Set(packagesOf(manifest))
  const scripts = scriptsOf(manifest)
  const hasConfig = (tool: string) => names.some((name) => name.startsWith(`${tool}.config.`))
  if (hasConfig('next')) return 'next'
  // `bun` in a script is the package manager.
  const commands = TOOL_NAMES.filter((tool) => tool !== 'bun')
  for (const [, command] of inOrder(scripts)) {
    const tool = commands.find((name) => runsTool(command, name))
    if (tool) return tool
  }
  const isKnown = (tool: BundlerName) => packages.has(BUNDLERS[tool].package)
  const found = BUNDLER_NAMES.filter((tool) => isKnown(tool) || configsIn(names, tool).length > 0)
  // Rsbuild builds with Rspack, and Vitest tests with Vite.
  const isPart = (tool: BundlerName) =>
    (tool === 'rspack' && hasConfig('rsbuild')) || (tool === 'vite' && packages.has('vitest'))
  const own = found.some((tool) => !isPart(tool)) ? found.filter((tool) => !isPart(tool)) : found
  const withFile = own.filter((tool) => configsIn(names, tool).length > 0)
  const isNative = hasConfig('metro') || packages.has('react-native')
  const [first] = [withFile.filter(isKnown), isNative ? withFile : [], own.filter(isKnown), withFile].flat()
  if (isNative && withFile.length === 0) return 'metro'
  if (packages.has('next') && withFile.length === 0) return 'next'
  if (first) return first
  return packages.has('@types/bun') || names.some((name) => BUN_FILE.test(name)) ? 'bun' : undefined
}

/**
 * The bundler's configurations by their path: those that scripts name, those beside them, which they may import, and
 * those in the root.
 */
export async function readConfigs(root: string, scripts: Scripts, tool: ToolName): Promise<Map<string, string>> {
  const named = namedConfigs(scripts, tool)
  const folders = [...new Set([...named.map((path) => dirname(path)), '.'])]
  const beside = folders.map(async (folder) => {
    const names = await readdir(join(root, folder)).catch(() => [])
    return configsIn(names, tool).map((name) => join(folder, name))
  })
  const paths = new Set([...named, ...(await Promise.all(beside)).flat()])
  const read = [...paths].map(async (path) => {
    return [toPosix(path), await readFile(join(root, path), 'utf8').catch(() => '')] as const
  })
  return new Map(await Promise.all(read))
}
