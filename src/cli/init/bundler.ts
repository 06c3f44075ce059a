/** Plans the plugin's two lines. A tool without plugins gets `localization generate` in package.json instead. */
import { type Change, joinPlans, type Planned, planEdit, readText } from './changes.ts'
import { addPlugin, type PluginPlace, wrapNextConfig } from './edit/config.ts'
import type { Edited } from './edit/source.ts'
import { frameworkInfo } from './libraries.ts'
import { namedConfigs, type Project, readConfigs, type ToolName } from './project.ts'

/** The lines that a user can add. */
export function linesFor(tool: ToolName): string[] {
  return tool === 'next'
    ? [`import withLocalization from 'unplugin-localization/next'`, 'export default withLocalization(nextConfig)']
    : [`import localization from 'unplugin-localization/${tool}'`, 'plugins: [localization()]']
}

const byHand = (tool: ToolName, reason: string): Planned =>
  joinPlans([{ manual: [{ place: undefined, reason, lines: linesFor(tool) }] }])

export async function planBundler(project: Project): Promise<Planned> {
  const { root, tool } = project
  if (tool === undefined) return planManifest(project)
  if (tool === 'esbuild' || tool === 'bun') return planScripts(project, tool)
  const { config } = (project.framework && tool === 'vite' && frameworkInfo(project.framework)) || {}
  const name = config?.name ?? tool
  const configs = findConfigs(project, tool, name)
  if (configs.length > 1) {
    const named = [...(await readConfigs(root, project.scripts, tool))]
    const done = named.filter(([, text]) => text.includes('unplugin-localization')).map(([path]) => path)
    if (done.length > 0) return joinPlans([{ done }])
    const reason = `the scripts use several configurations: ${configs.join(', ')}. A file that all of them import is best`
    return byHand(tool, reason)
  }
  const place: PluginPlace = {
    entry: tool,
    ...config,
    // Farm's cache keeps old texts.
    ...(tool === 'farm' && { also: [[['compilation', 'persistentCache'], 'false']] }),
  }
  const change = (text: string, file: string): Edited =>
    tool === 'next' ? wrapNextConfig(text, file) : addPlugin(text, file, place)
  const [path] = configs
  const before = path === undefined ? undefined : await readText(root, path)
  if (path !== undefined && before !== undefined) return planEdit(path, before, change(before, path), linesFor(tool))
  // The tools in this table also run without a configuration.
  const empty = EMPTY[name]
  if (empty === undefined) return byHand(tool, `found no ${name}.config.*`)
  const made = `${name}.config.${project.isTypeScript ? 'ts' : project.isModule ? 'js' : 'mjs'}`
  return joinPlans([{ changes: [{ path: made, before: undefined, after: change(empty, made).text ?? '' }] }])
}

const EMPTY: Readonly<Record<string, string>> = {
  vite: "import { defineConfig } from 'vite'\n\nexport default defineConfig({\n})\n",
  next: 'export default {}\n',
  rsbuild: "import { defineConfig } from '@rsbuild/core'\n\nexport default defineConfig({\n})\n",
}

const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  vite: ['js', 'mjs', 'ts', 'cjs', 'mts', 'cts'],
  next: ['js', 'mjs', 'ts'],
}

/** The files that scripts name, or the first file that the tool looks for. */
function findConfigs({ names, scripts }: Project, tool: ToolName, name: string): string[] {
  const named = namedConfigs(scripts, tool)
  if (named.length > 0) return named
  const endings = ENDINGS[name] ?? ['ts', 'js', 'mjs', 'mts', 'cjs', 'cts']
  const bases = tool === 'webpack' || tool === 'rspack' ? ['config', 'common'] : ['config']
  const candidates = bases.flatMap((base) => endings.map((ending) => `${name}.${base}.${ending}`))
  return candidates.filter((candidate) => names.has(candidate)).slice(0, 1)
}

const CALLS = {
  esbuild: {
    methods: ['build', 'context', 'esbuild.build', 'esbuild.context'],
    loads: /\b(?:from|require\()\s*['"]esbuild['"]/,
  },
  bun: { methods: ['Bun.build'], loads: /\bBun\.build\(/ },
} as const

/** The build scripts that package.json runs, and those with a usual name. */
export async function readScripts({ root, names, scripts }: Project, tool: 'esbuild' | 'bun') {
  const named = Object.values(scripts).flatMap((command) => command.match(/[\w./-]+\.[cm]?[jt]s\b/g) ?? [])
  const usual = [...names].filter((name) => /^(?:esbuild|build)(?:\.config)?\.[cm]?[jt]s$/.test(name))
  const paths = new Set([...named.map((path) => path.replace(/^\.\//, '')), ...usual])
  const found = await Promise.all([...paths].map(async (path) => ({ path, text: (await readText(root, path)) ?? '' })))
  return found.filter(({ text }) => CALLS[tool].loads.test(text))
}

async function planScripts(project: Project, tool: 'esbuild' | 'bun'): Promise<Planned> {
  const { methods } = CALLS[tool]
  const place: PluginPlace = { entry: tool, calls: { methods, isFirst: tool === 'esbuild' } }
  const found = await readScripts(project, tool)
  if (found.length > 0)
    return joinPlans(found.map(({ path, text }) => planEdit(path, text, addPlugin(text, path, place), linesFor(tool))))
  // Bun also runs programs without bundling them.
  if (tool === 'bun') return planManifest(project)
  const isCommand = Object.values(project.scripts).some((command) => /^esbuild\b/.test(command))
  return byHand(
    tool,
    isCommand
      ? 'the command esbuild takes no plugins: build with a script that calls build()'
      : 'no script was found that calls build() of esbuild',
  )
}

const IMPORTS = {
  '#translations': './.localization/modules/index.js',
  '#translations/*': './.localization/modules/*.js',
}

/** A script that starts with one of these commands runs or builds the app. */
const TOOL = /^(?:\w+=\S+\s+)*(?:node|jest|deno|bun|metro|parcel|react-native|expo)\b/
/** Commands of Bun as a package manager. */
const NOT_A_TOOL = /^bun (?:install|x|run|add)\b/
const GENERATE = 'localization generate'

async function planManifest({ root, scripts, packages }: Project): Promise<Planned> {
  const path = 'package.json'
  const before = await readText(root, path)
  const own = Object.entries(scripts).filter(([, command]) => TOOL.test(command) && !NOT_A_TOOL.test(command))
  const isParcel = packages.has('parcel')
  if (before === undefined || (own.length === 0 && !isParcel && !packages.has('react-native'))) return joinPlans([])
  const generating = own.map(([name, command]) => [
    name,
    command.includes(GENERATE) ? command : `${GENERATE} && ${command}`,
  ])
  const changed = changeManifest(before, (manifest) => ({
    ...manifest,
    ...(own.length > 0 && { scripts: { ...scripts, ...Object.fromEntries(generating) } }),
    imports: { ...IMPORTS, ...(manifest.imports as object | undefined) },
    ...(isParcel && {
      '@parcel/resolver-default': { packageExports: true, ...(manifest['@parcel/resolver-default'] as object) },
    }),
  }))
  return joinPlans([changed ? { changes: [{ path, before, after: changed }] } : { done: [path] }])
}

/** Changes package.json and keeps its indentation and line ends; `undefined` if nothing changes. */
export function changeManifest(
  given: string,
  change: (manifest: Readonly<Record<string, unknown>>) => object,
): Change['after'] | undefined {
  const before = JSON.parse(given.replace(/^\ufeff/, '')) as Readonly<Record<string, unknown>>
  const after = change(before)
  if (JSON.stringify(after) === JSON.stringify(before)) return undefined
  const [, indent = given.includes('\n') ? '  ' : ''] = /^([ \t]+)"/m.exec(given) ?? []
  const [mark = '', end = ''] = [/^\ufeff/.exec(given)?.[0], /\s*$/.exec(given)?.[0]]
  const text = JSON.stringify(after, null, indent)
  return `${mark}${given.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text}${end}`
}
