/** The package.json of a project: its packages, and the commands of its scripts. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Manifest {
  readonly version?: unknown
  readonly type?: unknown
  readonly scripts?: unknown
  readonly workspaces?: unknown
  readonly dependencies?: object
  readonly devDependencies?: object
}

/** Resolves to `undefined` if there is no readable package.json. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  try {
    const text = await readFile(join(folder, 'package.json'), 'utf8')
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

export function packagesOf(manifest: Manifest | undefined): string[] {
  return Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies })
}

export function scriptsOf(manifest: Manifest | undefined): Scripts {
  const { scripts } = manifest ?? {}
  const entries = Object.entries(typeof scripts === 'object' && scripts !== null ? scripts : {})
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

export type Scripts = Readonly<Record<string, string>>

/** `vite`, `npx vite build`, `node node_modules/vite/bin/vite.js`, but not `vitest` or `vite-node`. */
export function runsTool(command: string, tool: string): boolean {
  return new RegExp(`(?:^|[\\s;&|(/])${tool}(?:\\.[cm]?js)?(?=[\\s;&|)]|-dev-server|$)`).test(command)
}

/** The script that builds is the first. */
export function inOrder(scripts: Scripts): [name: string, command: string][] {
  const rank = (name: string) => (name === 'build' ? 0 : name.startsWith('build') ? 1 : 2)
  return Object.entries(scripts).sort(([a], [b]) => rank(a) - rank(b))
}

/** Commands that serve or watch do not end. */
const SERVES = /\s(?:serve|server|dev|preview|start|--watch|-w)(?=\s|$)|-dev-server\b/

/** The name of the script that builds the app: `build`, else the first that runs the tool and ends. */
export function buildScript(scripts: Scripts, tool: string | undefined): string | undefined {
  if (scripts.build !== undefined || tool === undefined) return scripts.build === undefined ? undefined : 'build'
  // Without a command, Vite and Farm serve.
  const ends = tool === 'vite' || tool === 'farm' ? /\sbuild(?=\s|$)/ : /^/
  return inOrder(scripts).find(
    ([, command]) => runsTool(command, tool) && !SERVES.test(command) && ends.test(command),
  )?.[0]
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

/** `webpack.config.js`, `webpack.prod.js`, in a list of names. */
export function configsIn(names: Iterable<string>, tool: string): string[] {
  const pattern = new RegExp(`^${tool}\\.(?:[\\w-]+\\.)*[cm]?[jt]s$`)
  return [...names].filter((name) => pattern.test(name) && !/\.d\.[cm]?ts$/.test(name)).sort()
}
