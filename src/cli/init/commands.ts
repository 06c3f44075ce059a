/** The commands that build a project, and that start its dev server. */
import type { Change } from './changes.ts'
import type { Project } from './project.ts'
import { buildScript, configsIn, namedConfigs } from './scripts.ts'

interface ToolCommands {
  readonly build: string
  /** Without a dev server, the build. */
  readonly dev?: string
}

const TOOLS: Readonly<Record<string, ToolCommands>> = {
  vite: { build: 'vite build', dev: 'vite' },
  next: { build: 'next build', dev: 'next dev' },
  nuxt: { build: 'nuxt build', dev: 'nuxt dev' },
  astro: { build: 'astro build', dev: 'astro dev' },
  rsbuild: { build: 'rsbuild build', dev: 'rsbuild dev' },
  farm: { build: 'farm build', dev: 'farm start' },
  rspack: { build: 'rspack build' },
  webpack: { build: 'webpack' },
  rolldown: { build: 'rolldown -c' },
  rollup: { build: 'rollup -c' },
}

const isOwn = (name: string): name is 'nuxt' | 'astro' => name === 'nuxt' || name === 'astro'

function toolCommands({ tool, framework }: Project): ToolCommands | undefined {
  if (framework !== undefined && isOwn(framework)) return TOOLS[framework]
  return tool === undefined ? undefined : TOOLS[tool]
}

/** `undefined`: neither package.json nor the tool has one. */
function buildCommand(project: Project): string | undefined {
  const { scripts, tool, names, manager } = project
  const script = buildScript(scripts, tool === 'metro' ? undefined : tool)
  if (script !== undefined) return `${manager} run ${script}`
  const command = toolCommands(project)?.build
  // Without options, the command would not build the app.
  const needsOptions =
    tool !== undefined &&
    tool !== 'metro' &&
    (namedConfigs(scripts, tool).length > 0 ||
      configsIn(names, tool).some((name) => !name.startsWith(`${tool}.config.`)))
  return command && !needsOptions ? `npx ${command}` : undefined
}

/** The build command, with the content of its script. */
export function describeCommand({ scripts, manager }: Project, command: string): string {
  const start = `${manager} run `
  const script = command.startsWith(start) ? scripts[command.slice(start.length)] : undefined
  return script === undefined ? command : `${command} (${script})`
}

export function devCommand(project: Project): string | undefined {
  for (const name of ['dev', 'start', 'serve'])
    if (project.scripts[name] !== undefined)
      return name === 'start' ? `${project.manager} start` : `${project.manager} run ${name}`
  const command = toolCommands(project)?.dev
  return command ? `npx ${command}` : buildCommand(project)
}

/** The build, or for a tool that takes no plugins the command that writes its modules. */
export function checkCommand(project: Project, changes: readonly Change[]): string | undefined {
  const generates = changes.some(({ path }) => path === 'package.json')
  return buildCommand(project) ?? (generates ? 'npx localization generate' : undefined)
}
