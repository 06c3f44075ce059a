/** Adds the generated modules to a Next.js configuration. The rest of the configuration stays unchanged. */

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { checkCopiedFolder, leakError, leaksIn, type OutputFile, removeLeaks } from '../plugin/secret-scan.ts'
import { displayPath } from '../shared/paths.ts'
import { type Aliases, addWebpackAliases, turbopackAliases } from './aliases.ts'

/** A folder that contains copies of packages. Building the app does not change them. */
const SKIPPED_FOLDER = 'node_modules'

/** Matches files that Next.js copies into the standalone output. They are for the server. */
const ENVIRONMENT_FILE = /^\.env(?:\.|$)/

export interface OutputScan {
  /**
   * Searches all files that were written since the last call. Removes each file that contains a secret, and then throws
   * SECRET_EXPOSED.
   */
  scan(folders: readonly string[]): void
}

/**
 * Searches files for secrets. This is synchronous, so that it can run while the process exits. In messages, paths are
 * relative to `root`.
 */
export function createOutputScan(root: string, secrets: readonly string[]): OutputScan {
  const searched = new Map<string, number>()

  function* freshFiles(folders: readonly string[]): Iterable<OutputFile> {
    for (const path of folders.flatMap(filesBelow)) {
      const stats = statSync(path, { throwIfNoEntry: false })
      if (!stats || searched.get(path) === stats.mtimeMs) continue
      searched.set(path, stats.mtimeMs)
      yield { name: displayPath(root, path), content: readFileSync(path) }
    }
  }

  return {
    scan(folders) {
      if (secrets.length === 0) return
      const leaks = [...leaksIn(freshFiles(folders), secrets)]
      const [first] = leaks
      if (first)
        throw leakError(
          first,
          removeLeaks(leaks, (file) => join(root, file)),
        )
    },
  }
}

function filesBelow(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === SKIPPED_FOLDER ? [] : filesBelow(path)
    return entry.isFile() && !ENVIRONMENT_FILE.test(entry.name) ? [path] : []
  })
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

type AfterCompile = (metadata: { readonly projectDir: string; readonly distDir: string }) => Promise<void>
type Webpack = (config: WebpackConfig, context: WebpackContext) => WebpackConfig
type WebpackConfig = Parameters<typeof addWebpackAliases>[0]
type WebpackContext = { readonly webpack: Parameters<typeof addWebpackAliases>[1] }

/** The part of the Next.js configuration that the plugin reads. */
export interface NextConfig {
  readonly turbopack?: { readonly resolveAlias?: Readonly<Record<string, unknown>> }
  readonly webpack?: Webpack | null
  readonly compiler?: { readonly runAfterProductionCompile?: AfterCompile }
  readonly distDir?: string
  readonly basePath?: string
  readonly output?: string
  readonly rewrites?: () => Promise<readonly object[] | RewriteLists>
}

interface RewriteLists {
  readonly beforeFiles?: readonly object[]
  readonly afterFiles?: readonly object[]
  readonly fallback?: readonly object[]
}

export interface MergeInput {
  /** The absolute path of the project's folder. */
  readonly root: string
  /** The folder of the generated modules, relative to the root, with forward slashes. */
  readonly folder: string
  readonly aliases: Aliases
  /** Strings that must not appear in the output. Set only in the process that builds the app. */
  readonly secrets: readonly string[] | undefined
  readonly rewrites: readonly object[]
  readonly logger: Logger
}

export function mergeConfig(config: NextConfig, input: MergeInput): NextConfig {
  const { root, folder, aliases, secrets, rewrites, logger } = input
  const { turbopack, webpack, compiler } = config
  return {
    ...config,
    turbopack: {
      ...turbopack,
      resolveAlias: { ...turbopack?.resolveAlias, ...turbopackAliases(aliases, folder) },
    },
    webpack(given, context) {
      const own = webpack ? webpack(given, context) : given
      addWebpackAliases(own, context.webpack, aliases, join(root, folder))
      return own
    },
    ...(rewrites.length > 0 && { rewrites: () => withRewrites(config, rewrites) }),
    ...(secrets && {
      compiler: { ...compiler, runAfterProductionCompile: scanning(config, { root, secrets, logger }) },
    }),
  }
}

async function withRewrites({ rewrites }: NextConfig, own: readonly object[]): Promise<RewriteLists> {
  const given = (await rewrites?.()) ?? {}
  const lists: RewriteLists = 'length' in given ? { afterFiles: given } : given
  return {
    beforeFiles: [...own, ...(lists.beforeFiles ?? [])],
    afterFiles: lists.afterFiles ?? [],
    fallback: lists.fallback ?? [],
  }
}

interface ScanInput {
  readonly root: string
  readonly secrets: readonly string[]
  readonly logger: Logger
}

/**
 * Searches the compiled files for secrets. When the process exits, also searches files that were written later, which
 * are prerendered pages and exports.
 */
function scanning({ compiler, ...config }: NextConfig, { root, secrets, logger }: ScanInput): AfterCompile {
  return async (metadata) => {
    await compiler?.runAfterProductionCompile?.(metadata)
    const { scan } = createOutputScan(root, secrets)
    const inBuild = (name: string) => join(metadata.distDir, name)
    // Next.js serves the files in this folder unchanged.
    await checkCopiedFolder(join(root, 'public'), root, secrets)
    scan(['static', 'server'].map(inBuild))
    process.once('exit', (code) => {
      if (code !== 0) return
      try {
        scan([...['static', 'server', 'standalone'].map(inBuild), ...exportFolders(config, root)])
      } catch (error) {
        logger.error(messageOf(error))
        process.exitCode = 1
      }
    })
  }
}

function exportFolders({ output, distDir = DIST_DIR }: NextConfig, root: string): readonly string[] {
  return output === 'export' ? [resolve(root, distDir === DIST_DIR ? 'out' : distDir)] : []
}

const DIST_DIR = '.next'
