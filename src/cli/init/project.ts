/** The facts about a project for `init`: its package.json, those of its workspaces, and its file names. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { detectBundler, type ToolName } from './detect-bundler.ts'
import {
  FRAMEWORK_NAMES,
  FRAMEWORKS,
  type FrameworkName,
  LIBRARIES,
  LIBRARY_NAMES,
  type LibraryName,
} from './libraries.ts'
import { repositoryOf } from './other-catalogs.ts'
import { type Manifest, packagesOf, readManifest, type Scripts, scriptsOf } from './scripts.ts'

export interface Project {
  readonly root: string
  /** Files and folders in the root. */
  readonly names: ReadonlySet<string>
  readonly tool: ToolName | 'metro' | undefined
  readonly framework: FrameworkName | undefined
  readonly library: LibraryName | undefined
  readonly scripts: Scripts
  readonly isModule: boolean
  readonly isTypeScript: boolean
  readonly manager: Manager
  /** Packages that package.json or a workspace names. */
  readonly packages: ReadonlySet<string>
}

const LOCK_FILES = {
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
} as const
type Manager = 'npm' | (typeof LOCK_FILES)[keyof typeof LOCK_FILES]

/** @param tool the one that the user named */
export async function readProject(root: string, tool?: ToolName): Promise<Project> {
  const names = new Set(await readdir(root).catch(() => []))
  const manifest = await readManifest(root)
  const own = packagesOf(manifest)
  const packages = new Set([...own, ...(await workspacePackages(root, manifest))])
  const isKnown = (list: readonly string[]) => list.some((name) => packages.has(name))
  const framework = FRAMEWORK_NAMES.find((name) => isKnown(FRAMEWORKS[name].packages))
  // Nuxt and Astro bring Vite with them.
  const isVite = framework !== undefined && 'config' in FRAMEWORKS[framework]
  return {
    root,
    names,
    tool: tool ?? (isVite ? 'vite' : await detectBundler(root)),
    framework,
    library: LIBRARY_NAMES.find((name) => isKnown(LIBRARIES[name].packages)),
    scripts: scriptsOf(manifest),
    isModule: manifest?.type === 'module',
    isTypeScript: names.has('tsconfig.json'),
    manager: managerOf(root),
    packages,
  }
}

/** Follows the lockfile of the project, or of its repository. */
function managerOf(root: string): Manager {
  for (const folder of [root, repositoryOf(root) ?? root])
    for (const [file, manager] of Object.entries(LOCK_FILES)) if (existsSync(join(folder, file))) return manager
  return 'npm'
}

/** The number of workspaces that are read. */
const MOST_WORKSPACES = 200

async function workspacePackages(root: string, manifest: Manifest | undefined): Promise<string[]> {
  const { workspaces } = manifest ?? {}
  const listed = Array.isArray(workspaces) ? workspaces : (workspaces as { packages?: unknown } | undefined)?.packages
  const patterns = [...(Array.isArray(listed) ? listed : []), ...(await pnpmWorkspaces(root))]
  const folders = await Promise.all(
    patterns
      .filter((pattern) => typeof pattern === 'string' && !pattern.startsWith('!'))
      .map((one) => expand(root, one)),
  )
  const manifests = await Promise.all(folders.flat().slice(0, MOST_WORKSPACES).map(readManifest))
  return manifests.flatMap(packagesOf)
}

async function pnpmWorkspaces(root: string): Promise<unknown[]> {
  const text = await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8').catch(() => undefined)
  if (text === undefined) return []
  const { parse } = await import('yaml')
  try {
    const { packages } = parse(text)
    return Array.isArray(packages) ? packages : []
  } catch {
    return []
  }
}

/** The folders of `apps/*`. A `**` counts as one folder. */
async function expand(root: string, pattern: string): Promise<string[]> {
  let folders = [root]
  for (const part of pattern.split('/').filter((name) => name !== '' && name !== '.')) {
    const found = folders.map(async (folder) => {
      if (!part.includes('*')) return [join(folder, part)]
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
      const inside = entries.filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
      return inside.map(({ name }) => join(folder, name))
    })
    folders = (await Promise.all(found)).flat()
  }
  return folders
}
