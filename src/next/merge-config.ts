/**
 * Adds the generated modules to a Next.js configuration: resolves `virtual:translations` and `#translations` to the
 * generated files, in Turbopack and in webpack. The rest of the configuration stays unchanged.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { LocalizationError, messageOf } from '../errors.ts'
import { listModules } from '../generate/module-folder.ts'
import type { Logger } from '../logger.ts'
import { formatRequest, type KnownNames, MANIFEST_ID, type ModuleId, parseRequest } from '../output/ids.ts'
import {
  IMPORTS_ID,
  isHashedRequest,
  parseImportsRequest,
  REVISION_FILE,
  UNKNOWN_FILE,
} from '../output/module-paths.ts'
import { checkNames } from '../plugin/generate.ts'
import { checkCopiedFolder, leakError, leaksIn, type OutputFile, removeLeaks } from '../plugin/secret-scan.ts'
import { displayPath } from '../shared/paths.ts'

/** A folder that contains copies of packages. Building the app does not change them. */
const SKIPPED_FOLDER = 'node_modules'

/** Matches files that Next.js copies into the standalone output. They are for the server. */
const ENVIRONMENT_FILE = /^\.env(?:\.|$)/

/**
 * Returns a function that searches all files in the folders that were written since its last call. It removes each file
 * that contains a secret, and then throws SECRET_EXPOSED. It is synchronous, so that it can run while the process
 * exits. In messages, paths are relative to `root`.
 */
export function createOutputScan(root: string, secrets: readonly string[]): (folders: readonly string[]) => void {
  const searched = new Map<string, number>()

  function* freshFiles(folders: readonly string[]): Iterable<OutputFile> {
    for (const path of folders.flatMap(filesBelow)) {
      const stats = statSync(path, { throwIfNoEntry: false })
      if (!stats || searched.get(path) === stats.mtimeMs) continue
      searched.set(path, stats.mtimeMs)
      yield { name: displayPath(root, path), content: readFileSync(path) }
    }
  }

  return (folders) => {
    if (secrets.length === 0) return
    const leaks = [...leaksIn(freshFiles(folders), secrets)]
    const [first] = leaks
    if (first)
      throw leakError(
        first,
        removeLeaks(leaks, (file) => join(root, file)),
      )
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
type Webpack = (config: WebpackConfig, context: { readonly webpack: WebpackModule }) => WebpackConfig

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
  /** Strings that must not appear in the output. Set only in the process that builds the app. */
  readonly secrets: readonly string[] | undefined
  readonly rewrites: readonly object[]
  readonly logger: Logger
}

export function mergeConfig(config: NextConfig, input: MergeInput): NextConfig {
  const { root, folder, secrets, rewrites, logger } = input
  const aliases = readAliases(join(root, folder))
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
      compiler: { ...compiler, runAfterProductionCompile: scanning(config, root, secrets, logger) },
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

/**
 * Searches the compiled files for secrets. When the process exits, also searches files that were written later, which
 * are prerendered pages and exports.
 */
function scanning(
  { compiler, ...config }: NextConfig,
  root: string,
  secrets: readonly string[],
  logger: Logger,
): AfterCompile {
  return async (metadata) => {
    await compiler?.runAfterProductionCompile?.(metadata)
    const scan = createOutputScan(root, secrets)
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

/**
 * For each imported id, paths relative to the folder for the modules. The first path that exists is used. `*` matches
 * any text.
 */
type Aliases = ReadonlyMap<string, readonly string[]>

function readAliases(folder: string): Aliases {
  const aliases = new Map<string, readonly string[]>()
  // Patterns are needed so that new languages and namespaces work without a restart.
  for (const id of [MANIFEST_ID, IMPORTS_ID]) aliases.set(id, ['index.js']).set(`${id}/*`, ['*.js', UNKNOWN_FILE])
  for (const [path, id] of readModules(folder))
    for (const request of spellings(id)) if (!isCovered(request, path)) aliases.set(request, [path])
  return aliases
}

function readModules(folder: string): ReadonlyMap<string, NamedModule> {
  const modules = new Map<string, NamedModule>()
  for (const path of listModules(folder)) {
    const request = `${IMPORTS_ID}/${path}`
    if (!path.endsWith('.js') || OTHER_FILES.includes(path) || isHashedRequest(request)) continue
    const id = parseImportsRequest(request)
    if (id?.kind === 'language' || id?.kind === 'namespace') modules.set(path, id)
  }
  return modules
}

type NamedModule = Extract<ModuleId, { readonly language: string }>

const OTHER_FILES = [UNKNOWN_FILE, REVISION_FILE]

/** Returns the ids by which a module can be imported. As in every bundler, names may be percent-encoded or not. */
function spellings(id: NamedModule): readonly string[] {
  const names = [id.language, ...(id.kind === 'namespace' ? [id.namespace] : [])].join('/')
  const plain = `${MANIFEST_ID}/${names}${id.customer === undefined ? '' : `?customer=${id.customer}`}`
  // In an alias, `*` would act as a wildcard.
  return [formatRequest(id), ...(plain.includes('*') ? [] : [plain])]
}

/** Returns true if the pattern already resolves the request to the path. */
function isCovered(request: string, path: string): boolean {
  return `${request.slice(MANIFEST_ID.length + 1)}.js` === path
}

/**
 * Returns the aliases for Turbopack's `resolveAlias`. `folder` is relative to the project's folder, with forward
 * slashes.
 */
function turbopackAliases(aliases: Aliases, folder: string): Readonly<Record<string, string | string[]>> {
  const entries = [...aliases].map(([request, paths]) => {
    const files = paths.map((path) => `./${folder}/${path}`)
    return [request, files.length === 1 ? (files[0] as string) : files] as const
  })
  return Object.fromEntries(entries)
}

interface WebpackModule {
  readonly NormalModuleReplacementPlugin: new (
    filter: RegExp,
    replace: (resource: { request: string }) => void,
  ) => object
}

interface WebpackConfig {
  plugins?: object[]
}

const OURS = /^(?:virtual:|#)translations(?:[/?]|$)/

/**
 * Replaces requests with paths. webpack's own aliases are not used, because they support neither schemes (`virtual:`)
 * nor the `imports` of package.json (`#`).
 *
 * @param folder the absolute path of the folder for the modules
 */
function addWebpackAliases(
  config: WebpackConfig,
  { NormalModuleReplacementPlugin }: WebpackModule,
  aliases: Aliases,
  folder: string,
): void {
  const plugin = new NormalModuleReplacementPlugin(OURS, (resource) => {
    const { request } = resource
    const [path = `${request.slice(request.indexOf('/') + 1)}.js`] = aliases.get(request) ?? []
    const file = join(folder, path)
    // webpack adds the importing file to this error.
    if (!existsSync(file)) throw unknownModule(request, folder)
    resource.request = file
  })
  config.plugins = [...(config.plugins ?? []), plugin]
}

function unknownModule(request: string, folder: string): unknown {
  const id = request.startsWith(IMPORTS_ID) ? parseImportsRequest(request) : parseRequest(request)
  try {
    if (id) checkNames(namesOf(folder), id)
  } catch (error) {
    return error
  }
  return new LocalizationError(`no generated module for ${JSON.stringify(request)}`, {
    code: 'UNKNOWN_MODULE',
    place: { file: folder },
    hint: 'Restart Next.js.',
  })
}

function namesOf(folder: string): KnownNames {
  const ids = [...readModules(folder).values()]
  const namespaces = ids.flatMap((id) => (id.kind === 'namespace' ? [id.namespace] : []))
  const customers = ids.flatMap(({ customer }) => (customer === undefined ? [] : [customer]))
  return {
    languages: [...new Set(ids.map(({ language }) => language))],
    namespaces: [...new Set(namespaces)],
    customers: [...new Set(customers)],
  }
}
