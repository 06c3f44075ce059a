/** Adds the modules to a configuration of Next.js, and leaves everything else in it as it is. */
import { join, resolve } from 'node:path'
import { messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { checkCopiedFolder } from '../plugin/copied-files.ts'
import { type Aliases, addWebpackAliases, turbopackAliases } from './aliases.ts'
import { createOutputScan } from './output-scan.ts'

type AfterCompile = (metadata: { readonly projectDir: string; readonly distDir: string }) => Promise<void>
type Webpack = (config: WebpackConfig, context: WebpackContext) => WebpackConfig
type WebpackConfig = Parameters<typeof addWebpackAliases>[0]
type WebpackContext = { readonly webpack: Parameters<typeof addWebpackAliases>[1] }

/** The part of Next.js's configuration that is read here. */
export interface NextConfig {
  readonly turbopack?: { readonly resolveAlias?: Readonly<Record<string, unknown>> }
  readonly webpack?: Webpack | null
  readonly compiler?: { readonly runAfterProductionCompile?: AfterCompile }
  readonly distDir?: string
  readonly output?: string
}

export interface MergeInput {
  /** The project's folder, absolute. */
  readonly root: string
  /** Of the generated modules, relative to the root, with forward slashes. */
  readonly folder: string
  readonly aliases: Aliases
  /** In the process that builds: no output may hold them. */
  readonly secrets: readonly string[] | undefined
  readonly logger: Logger
}

export function mergeConfig(config: NextConfig, { root, folder, aliases, secrets, logger }: MergeInput): NextConfig {
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
    ...(secrets && {
      compiler: { ...compiler, runAfterProductionCompile: scanning(config, { root, secrets, logger }) },
    }),
  }
}

interface ScanInput {
  readonly root: string
  readonly secrets: readonly string[]
  readonly logger: Logger
}

/** Searches the compiled files, and at the end of the process the later ones: prerendered pages and exports. */
function scanning({ compiler, ...config }: NextConfig, { root, secrets, logger }: ScanInput): AfterCompile {
  return async (metadata) => {
    await compiler?.runAfterProductionCompile?.(metadata)
    const { scan } = createOutputScan(root, secrets)
    const inBuild = (name: string) => join(metadata.distDir, name)
    // Next.js serves this folder unchanged.
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
