/** A project's packages and workspaces, its bundler, and its commands, for `init` and `doctor`. */
import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BUNDLER_NAMES, BUNDLERS, type BundlerName } from '../../plugin/bundlers.ts'
import { displayPath, foldersUp, toPosix } from '../../shared/paths.ts'
import { walkFiles } from '../../shared/walk.ts'
import {
  FRAMEWORK_NAMES,
  FRAMEWORKS,
  type FrameworkName,
  LIBRARIES,
  LIBRARY_NAMES,
  type LibraryName,
} from './libraries.ts'

export const TOOL_NAMES = [...BUNDLER_NAMES, 'next'] as const
export type ToolName = BundlerName | 'next'

interface Manifest {
  readonly name?: unknown
  readonly version?: unknown
  readonly type?: unknown
  readonly scripts?: unknown
  readonly workspaces?: unknown
  readonly dependencies?: object
  readonly devDependencies?: object
}
type Scripts = Readonly<Record<string, string>>

export interface Project {
  readonly root: string
  /** The files and folders in the root. */
  readonly names: ReadonlySet<string>
  readonly tool: ToolName | undefined
  /** True for React Native's bundler, which takes no plugins. */
  readonly isMetro: boolean
  readonly framework: FrameworkName | undefined
  readonly library: LibraryName | undefined
  readonly scripts: Scripts
  readonly isModule: boolean
  readonly isTypeScript: boolean
  readonly manager: Manager
  /** The dependencies of the project and of its workspaces. */
  readonly packages: ReadonlySet<string>
  readonly workspaces: readonly string[]
}

const MANAGERS = {
  npm: { lockFiles: [], run: 'npx', install: 'npm install --save-dev' },
  pnpm: { lockFiles: ['pnpm-lock.yaml'], run: 'pnpm exec', install: 'pnpm add --save-dev' },
  yarn: { lockFiles: ['yarn.lock'], run: 'yarn', install: 'yarn add --dev' },
  bun: { lockFiles: ['bun.lock', 'bun.lockb'], run: 'bunx', install: 'bun add --dev' },
} as const
type Manager = keyof typeof MANAGERS

/** @param tool overrides the detected bundler */
export async function readProject(root: string, tool?: ToolName): Promise<Project> {
  const names = new Set(await readdir(root).catch(() => []))
  const manifest = readManifest(root)
  const workspaces = await workspaceFolders(root, names)
  const packages = new Set([manifest, ...workspaces.map(readManifest)].flatMap(packagesOf))
  const isKnown = (list: readonly string[]) => list.some((name) => packages.has(name))
  const framework = FRAMEWORK_NAMES.find((name) => isKnown(FRAMEWORKS[name].packages))
  // Nuxt and Astro include Vite.
  const isVite = framework !== undefined && 'config' in FRAMEWORKS[framework]
  const found = tool ?? (isVite ? 'vite' : await detectBundler(root))
  const isMetro = found === 'metro'
  return {
    root,
    names,
    tool: isMetro ? undefined : found,
    isMetro,
    framework,
    library: LIBRARY_NAMES.find((name) => isKnown(LIBRARIES[name].packages)),
    scripts: scriptsOf(manifest),
    isModule: manifest?.type === 'module',
    isTypeScript: names.has('tsconfig.json'),
    manager: managerOf(root),
    packages,
    workspaces,
  }
}

/** Reads package.json; `undefined` if it is missing or not JSON. */
export function readManifest(folder: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8').replace(/^\ufeff/, ''))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function packagesOf(manifest: Manifest | undefined): string[] {
  return Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies })
}

export function scriptsOf(manifest: Manifest | undefined): Scripts {
  const { scripts } = manifest ?? {}
  const entries = Object.entries(typeof scripts === 'object' && scripts !== null ? scripts : {})
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

const TOP = ['.git', 'pnpm-workspace.yaml', 'lerna.json', 'nx.json', 'turbo.json', 'rush.json']

/** The parent folder that is the root of the repository or the workspaces; `undefined` if the project is that root. */
export function repositoryOf(root: string): string | undefined {
  const isTop = (folder: string) =>
    TOP.some((name) => existsSync(join(folder, name))) || readManifest(folder)?.workspaces !== undefined
  const top = foldersUp(root).find(isTop)
  return top === root ? undefined : top
}

function managerOf(root: string): Manager {
  for (const folder of [root, repositoryOf(root) ?? root])
    for (const [manager, { lockFiles }] of Object.entries(MANAGERS))
      if (lockFiles.some((name) => existsSync(join(folder, name)))) return manager as Manager
  return 'npm'
}

/** The folders below the root that contain a package.json, if the root lists workspaces. */
async function workspaceFolders(root: string, names: ReadonlySet<string>): Promise<string[]> {
  if (readManifest(root)?.workspaces === undefined && !names.has('pnpm-workspace.yaml')) return []
  const manifests = (await projectFiles(root)).filter((path) => path.endsWith('/package.json'))
  return manifests.map((path) => join(root, dirname(path)))
}

const SKIPPED = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'target', 'vendor'])
const MOST_FILES = 20_000

/** The project's own files, relative to the root, without installed packages and build output. */
export async function projectFiles(root: string): Promise<string[]> {
  const paths: string[] = []
  for await (const path of walkFiles(root, SKIPPED, 7)) if (paths.push(path) === MOST_FILES) break
  return paths
}

const BUN_FILE = /^(?:bun\.lockb?|bunfig\.toml)$/

/**
 * Looks at package.json's scripts, then at its dependencies, then at file names. Of several bundlers, the first in the
 * table wins. `next` is Next.js, even if the project's tests use another bundler. `metro` is React Native's
 * bundler, which takes no plugins; such a project may use another bundler for its tools.
 */
export async function detectBundler(root: string): Promise<ToolName | 'metro' | undefined> {
  const names = await readdir(root).catch(() => [])
  const manifest = readManifest(root)
  const packages = new Set(packagesOf(manifest))
  const hasConfig = (tool: string) => names.some((name) => name.startsWith(`${tool}.config.`))
  if (hasConfig('next')) return 'next'
  // In a script, `bun` is the package manager.
  const commands = TOOL_NAMES.filter((tool) => tool !== 'bun')
  for (const [, command] of inOrder(scriptsOf(manifest))) {
    const tool = commands.find((name) => runsTool(command, name))
    if (tool) return tool
  }
  // Rsbuild builds with Rspack, and Vitest tests with Vite.
  const isPart = (tool: BundlerName) =>
    (tool === 'rspack' && hasConfig('rsbuild')) || (tool === 'vite' && packages.has('vitest'))
  const hasFile = (tool: BundlerName) => configsIn(names, tool).length > 0
  const score = (tool: BundlerName) => (packages.has(BUNDLERS[tool].package) ? 2 : 0) + (hasFile(tool) ? 1 : 0)
  const isNative = hasConfig('metro') || packages.has('react-native')
  const found = BUNDLER_NAMES.filter((tool) => (isNative ? hasFile(tool) : score(tool) > 0))
  const [first] = found.sort((a, b) => Number(isPart(a)) - Number(isPart(b)) || score(b) - score(a))
  if (isNative && !first) return 'metro'
  if (packages.has('next') && !(first && hasFile(first))) return 'next'
  if (first) return first
  return packages.has('@types/bun') || names.some((name) => BUN_FILE.test(name)) ? 'bun' : undefined
}

/**
 * Reads the bundler's configurations, by path. A configuration that a script names may import others from its folder,
 * so these are included.
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

/** True for `vite`, `npx vite build` and `node node_modules/vite/bin/vite.js`, but not `vitest` or `vite-node`. */
function runsTool(command: string, tool: string): boolean {
  return new RegExp(`(?:^|[\\s;&|(/])${tool}(?:\\.[cm]?js)?(?=[\\s;&|)]|-dev-server|$)`).test(command)
}

/** The scripts, build scripts first. */
function inOrder(scripts: Scripts): [name: string, command: string][] {
  const rank = (name: string) => (name === 'build' ? 0 : name.startsWith('build') ? 1 : 2)
  return Object.entries(scripts).sort(([a], [b]) => rank(a) - rank(b))
}

/** The configurations that scripts name, relative to the root. */
export function namedConfigs(scripts: Scripts, tool: string): string[] {
  const option = new RegExp(
    `(?:^|[\\s&;|/])${tool}\\b[^&;|]*?\\s(?:--config|-c)[=\\s]+["']?([\\w./-]+\\.[cm]?[jt]s)`,
    'g',
  )
  const named = inOrder(scripts).flatMap(([, command]) => [...command.matchAll(option)].map(([, path = '']) => path))
  return [...new Set(named.map((path) => path.replace(/^\.\//, '')))]
}

/** Selects names such as `webpack.config.js` and `webpack.prod.js`, or only those such as `webpack.common.js`. */
export function configsIn(names: Iterable<string>, tool: string, kind = '(?:[\\w-]+\\.)*'): string[] {
  const pattern = new RegExp(`^${tool}\\.${kind}[cm]?[jt]s$`)
  return [...names].filter((name) => pattern.test(name) && !/\.d\.[cm]?ts$/.test(name)).sort()
}

/** A tool without a second command has no dev server. */
const TOOL_COMMANDS: Readonly<Record<string, readonly [build: string, dev?: string]>> = {
  vite: ['vite build', 'vite'],
  next: ['next build', 'next dev'],
  nuxt: ['nuxt build', 'nuxt dev'],
  astro: ['astro build', 'astro dev'],
  rsbuild: ['rsbuild build', 'rsbuild dev'],
  farm: ['farm build', 'farm start'],
  rspack: ['rspack build'],
  webpack: ['webpack'],
  rolldown: ['rolldown -c'],
  rollup: ['rollup -c'],
}

/** The command of an installed package, such as `npx vite`. */
export function runs({ manager }: Project, command: string): string {
  return `${MANAGERS[manager].run} ${command}`
}

export function installs({ manager }: Project): string {
  return `${MANAGERS[manager].install} unplugin-localization`
}

const commandsOf = ({ tool, framework }: Project) =>
  TOOL_COMMANDS[framework === 'nuxt' || framework === 'astro' ? framework : (tool ?? '')] ?? []

/** Returns the `build` script, or the tool's own command unless its configuration has an unusual name. */
export function buildCommand(project: Project): string | undefined {
  const { scripts, tool = '', names, manager } = project
  if (scripts.build !== undefined) return `${manager} run build`
  const configs = [...namedConfigs(scripts, tool), ...configsIn(names, tool)]
  const [command] = configs.every((path) => path.startsWith(`${tool}.config.`)) ? commandsOf(project) : []
  return command === undefined ? undefined : runs(project, command)
}

/** The command that starts the dev server. For a tool without a dev server, the build. */
export function devCommand(project: Project): string | undefined {
  const { scripts, manager } = project
  const name = ['dev', 'start', 'serve'].find((one) => scripts[one] !== undefined)
  if (name !== undefined) return name === 'start' ? `${manager} start` : `${manager} run ${name}`
  const [, command] = commandsOf(project)
  return command ? runs(project, command) : buildCommand(project)
}

/** Returns the path of a docs page in the installed package, relative to the root. */
export function docPage(root: string, page: string): string {
  const [name = ''] = page.split('#')
  const folder = foldersUp(root).find((one) => existsSync(join(one, DOCS, name)))
  return folder === undefined
    ? `docs/${page} of the package`
    : `${displayPath(root, folder)}/${DOCS}/${page}`.replace(/^\.\//, '')
}

const DOCS = 'node_modules/unplugin-localization/docs'
