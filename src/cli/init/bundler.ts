/** Plans the two lines that add the plugin. For tools without plugins, adds `localization generate` to package.json. */
import { joinPlans, type Planned, planEdit, readText } from './changes.ts'
import { addPlugin, type PluginPlace, wrapNextConfig } from './edit/config.ts'
import { frameworkInfo } from './libraries.ts'
import { configsIn, namedConfigs, type Project, readConfigs, type ToolName } from './project.ts'

export function linesFor(tool: ToolName): string[] {
  if (tool === 'next')
    return [`import withLocalization from 'unplugin-localization/next'`, 'export default withLocalization(nextConfig)']
  // Farm's cache keeps old texts.
  const also = tool === 'farm' ? ['compilation: { persistentCache: false }'] : []
  return [`import localization from 'unplugin-localization/${tool}'`, 'plugins: [localization()]', ...also]
}

const byHand = (tool: ToolName, reason: string): Planned =>
  joinPlans([{ manual: [{ place: undefined, reason, lines: linesFor(tool) }] }])

export async function planBundler(project: Project): Promise<Planned> {
  const { root, names, scripts, tool, framework } = project
  if (tool === undefined) return planManifest(project)
  if (tool === 'esbuild' || tool === 'bun') return planScripts(project, tool)
  const named = namedConfigs(scripts, tool)
  const done = [...(await readConfigs(root, scripts, tool))].filter(([, text]) =>
    text.includes('unplugin-localization'),
  )
  if (done.length > 0) return joinPlans([{ done: done.map(([path]) => path) }])
  if (named.length > 1) {
    const reason = `the scripts use several configurations: ${named.join(', ')}. A file that all of them import is best`
    return byHand(tool, reason)
  }
  if (tool === 'farm') return byHand(tool, 'init does not edit farm.config.*')
  const { config } = (framework && tool === 'vite' && frameworkInfo(framework)) || {}
  const name = config?.name ?? tool
  const [path] = [...named, ...configsIn(names, name, 'config\\.'), ...configsIn(names, name, 'common\\.')]
  const edit = (text: string, file: string) =>
    tool === 'next' ? wrapNextConfig(text, file) : addPlugin(text, file, { entry: tool, ...config })
  const before = path === undefined ? undefined : await readText(root, path)
  if (path !== undefined && before !== undefined) return planEdit(path, before, edit(before, path), linesFor(tool))
  // The tools in this table also run without a configuration.
  const empty = EMPTY[name]
  if (empty === undefined) return byHand(tool, `found no ${name}.config.*`)
  const made = `${name}.config.${project.isTypeScript ? 'ts' : project.isModule ? 'js' : 'mjs'}`
  return joinPlans([{ changes: [{ path: made, before: undefined, after: edit(empty, made).text ?? '' }] }])
}

const EMPTY: Readonly<Record<string, string>> = {
  vite: "import { defineConfig } from 'vite'\n\nexport default defineConfig({\n})\n",
  next: 'export default {}\n',
  rsbuild: "import { defineConfig } from '@rsbuild/core'\n\nexport default defineConfig({\n})\n",
}

const CALLS = {
  esbuild: {
    methods: ['build', 'context', 'esbuild.build', 'esbuild.context'],
    loads: /\b(?:from|require\()\s*['"]esbuild['"]/,
  },
  bun: { methods: ['Bun.build'], loads: /\bBun\.build\(/ },
} as const

/** The build scripts that package.json runs, and files with a usual name, such as `build.mjs`. */
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
      : "found no script that calls esbuild's build()",
  )
}

/** A script that starts with one of these tools runs or builds the app. `bun install` and `bun run` do not. */
const WITHOUT_PLUGINS =
  /^(?:localization generate && )?(?:\w+=\S+\s+)*(?:node|jest|deno|bun(?! (?:install|x|run|add)\b)|metro|parcel|react-native|expo)\b/

const GENERATE = 'localization generate'
const IMPORTS = {
  '#translations': './.localization/modules/index.js',
  '#translations/*': './.localization/modules/*.js',
}

/** Follows docs/tools.md. */
async function planManifest({ root, scripts, packages }: Project): Promise<Planned> {
  const path = 'package.json'
  const before = await readText(root, path)
  const own = Object.entries(scripts).filter(([, command]) => WITHOUT_PLUGINS.test(command))
  const isParcel = packages.has('parcel')
  if (before === undefined || (own.length === 0 && !isParcel && !packages.has('react-native'))) return joinPlans([])
  const generating = own.map(([name, command]) => [
    name,
    command.includes(GENERATE) ? command : `${GENERATE} && ${command}`,
  ])
  const after = changeManifest(before, (manifest) => ({
    ...manifest,
    ...(own.length > 0 && { scripts: { ...(manifest.scripts as object), ...Object.fromEntries(generating) } }),
    imports: { ...IMPORTS, ...(manifest.imports as object | undefined) },
    ...(isParcel && {
      '@parcel/resolver-default': { packageExports: true, ...(manifest['@parcel/resolver-default'] as object) },
    }),
  }))
  return joinPlans([after === undefined ? { done: [path] } : { changes: [{ path, before, after }] }])
}

/** Changes package.json, but keeps its indentation, BOM and line ends. Returns `undefined` if nothing changes. */
export function changeManifest(
  given: string,
  change: (manifest: Readonly<Record<string, unknown>>) => object,
): string | undefined {
  const before = JSON.parse(given.replace(/^\ufeff/, '')) as Readonly<Record<string, unknown>>
  const after = change(before)
  if (JSON.stringify(after) === JSON.stringify(before)) return undefined
  const [, indent = given.trimEnd().includes('\n') ? '  ' : ''] = /^([ \t]+)"/m.exec(given) ?? []
  const [mark = '', end = ''] = [/^\ufeff/.exec(given)?.[0], /\s*$/.exec(given)?.[0]]
  const text = JSON.stringify(after, null, indent)
  return `${mark}${given.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text}${end}`
}
