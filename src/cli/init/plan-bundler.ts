/** Plans the two lines: which file takes them, and how. */

import { joinPlans, NOTHING_PLANNED, type Planned, planEdit, readText } from './changes.ts'
import { readConfigs, type ToolName } from './detect-bundler.ts'
import { addToManifest } from './edit/json.ts'
import { addPlugin, type PluginPlace, wrapNextConfig } from './edit/plugin.ts'
import type { Edited } from './edit/source.ts'
import { frameworkInfo } from './libraries.ts'
import type { Project } from './project.ts'
import { namedConfigs } from './scripts.ts'

const IMPORTS = {
  '#translations': './.localization/modules/index.js',
  '#translations/*': './.localization/modules/*.js',
}

/** Commands of the tools at the start of a script. */
const TOOL = /^(?:\w+=\S+\s+)*(?:node|jest|deno|bun|metro|parcel|react-native|expo)\b/
/** Bun as a package manager does not run the app. */
const NOT_A_TOOL = /^bun (?:install|x|run|add)\b/

const LINES = [`"imports": ${JSON.stringify(IMPORTS)}`, '"start": "localization generate && ..."']

async function planManifest({ root, scripts, packages }: Project): Promise<Planned> {
  const path = 'package.json'
  const before = await readText(root, path)
  if (before === undefined) return NOTHING_PLANNED
  const own = Object.entries(scripts).filter(([, command]) => TOOL.test(command) && !NOT_A_TOOL.test(command))
  const isParcel = packages.has('parcel')
  if (own.length === 0 && !isParcel && !packages.has('react-native')) return NOTHING_PLANNED
  const more = isParcel ? { '@parcel/resolver-default': { packageExports: true } } : {}
  const edited = addToManifest(
    before,
    IMPORTS,
    own.map(([name]) => name),
    more,
  )
  return joinPlans([planEdit(path, before, edited, LINES)])
}

/** The lines for manual edits. */
export function linesFor(tool: ToolName): string[] {
  return tool === 'next'
    ? [`import withLocalization from 'unplugin-localization/next'`, 'export default withLocalization(nextConfig)']
    : [`import localization from 'unplugin-localization/${tool}'`, 'plugins: [localization()]']
}

export async function planBundler(project: Project): Promise<Planned> {
  const { tool } = project
  if (tool === undefined || tool === 'metro') return planManifest(project)
  if (tool === 'esbuild' || tool === 'bun') return planScripts(project, tool)
  const { config } = (project.framework && tool === 'vite' && frameworkInfo(project.framework)) || {}
  const name = config?.name ?? tool
  const configs = findConfigs(project, tool, name)
  const [path] = configs
  if (configs.length > 1) return planSeveral(project, configs, tool)
  const place: PluginPlace = {
    entry: tool,
    ...config,
    // Farm's cache keeps old texts.
    ...(tool === 'farm' && { also: [[['compilation', 'persistentCache'], 'false']] }),
  }
  const change = (text: string, file: string) =>
    tool === 'next' ? wrapNextConfig(text, file) : addPlugin(text, file, place)
  const before = path === undefined ? undefined : await readText(project.root, path)
  if (path !== undefined && before !== undefined) return planEdit(path, before, change(before, path), linesFor(tool))
  return planNewConfig(project, tool, name, change)
}

const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  vite: ['js', 'mjs', 'ts', 'cjs', 'mts', 'cts'],
  next: ['js', 'mjs', 'ts'],
}

/** The files that scripts name, else the first in the order in which the tool looks for it. */
function findConfigs({ names, scripts }: Project, tool: ToolName, name: string): string[] {
  const named = namedConfigs(scripts, tool)
  if (named.length > 0) return named
  const endings = ENDINGS[name] ?? ['ts', 'js', 'mjs', 'mts', 'cjs', 'cts']
  const bases = tool === 'webpack' || tool === 'rspack' ? ['config', 'common'] : ['config']
  const candidates = bases.flatMap((base) => endings.map((ending) => `${name}.${base}.${ending}`))
  return candidates.filter((candidate) => names.has(candidate)).slice(0, 1)
}

/** Only the user knows which configuration the page needs. */
async function planSeveral({ root, scripts }: Project, configs: readonly string[], tool: ToolName): Promise<Planned> {
  const done = [...(await readConfigs(root, scripts, tool))].filter(([, text]) =>
    text.includes('unplugin-localization'),
  )
  if (done.length > 0) return { ...NOTHING_PLANNED, done: done.map(([path]) => path) }
  const reason = `the scripts use several configurations: ${configs.join(', ')}. A file that all of them import is best`
  return { ...NOTHING_PLANNED, manual: [{ place: undefined, reason, lines: linesFor(tool) }] }
}

/** Vite and Next.js run without a file. Others need one that only the user can write. */
function planNewConfig(
  { isTypeScript, isModule }: Project,
  tool: ToolName,
  name: string,
  change: (text: string, file: string) => Edited,
): Planned {
  const ending = isTypeScript ? 'ts' : isModule ? 'js' : 'mjs'
  const path = `${name}.config.${ending}`
  if (tool !== 'next' && name !== 'vite')
    return {
      ...NOTHING_PLANNED,
      manual: [{ place: undefined, reason: `found no ${name}.config.*`, lines: linesFor(tool) }],
    }
  const empty =
    tool === 'next'
      ? 'export default {}\n'
      : "import { defineConfig } from 'vite'\n\nexport default defineConfig({\n})\n"
  const { text = '' } = change(empty, path)
  return { ...NOTHING_PLANNED, changes: [{ path, before: undefined, after: text }] }
}

const METHODS = {
  esbuild: ['build', 'context', 'esbuild.build', 'esbuild.context'],
  bun: ['Bun.build'],
} as const

const LOADS = {
  esbuild: /\b(?:from|require\()\s*['"]esbuild['"]/,
  bun: /\bBun\.build\(/,
} as const

/** Build scripts: those that package.json runs, and those with a usual name. */
async function planScripts(project: Project, tool: 'esbuild' | 'bun'): Promise<Planned> {
  const { root, names, scripts } = project
  const named = Object.values(scripts).flatMap((command) => command.match(/[\w./-]+\.[cm]?[jt]s\b/g) ?? [])
  const usual = [...names].filter((name) => /^(?:esbuild|build)(?:\.config)?\.[cm]?[jt]s$/.test(name))
  const paths = new Set([...named.map((path) => path.replace(/^\.\//, '')), ...usual])
  const place: PluginPlace = { entry: tool, calls: { methods: METHODS[tool], isFirst: tool === 'esbuild' } }
  const plans: Planned[] = []
  for (const path of paths) {
    const text = await readText(root, path)
    if (text !== undefined && LOADS[tool].test(text))
      plans.push(planEdit(path, text, addPlugin(text, path, place), linesFor(tool)))
  }
  if (plans.length > 0) return joinPlans(plans)
  // Bun also runs programs that no bundler has seen.
  if (tool === 'bun') return planManifest(project)
  const reason = Object.values(scripts).some((command) => /^esbuild\b/.test(command))
    ? 'the command esbuild takes no plugins: build with a script that calls build()'
    : 'no script was found that calls build() of esbuild'
  return { ...NOTHING_PLANNED, manual: [{ place: undefined, reason, lines: linesFor(tool) }] }
}
