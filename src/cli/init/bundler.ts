/** Plans the plugin's two lines. For a tool without plugins, they are the lines that run `localization generate`. */
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

/** A script that starts with one of these tools runs or builds the app. `bun install` and `bun run` do not. */
const WITHOUT_PLUGINS =
  /^(?:\w+=\S+\s+)*(?:node|jest|deno|bun(?! (?:install|x|run|add)\b)|metro|parcel|react-native|expo)\b/

/** The lines in docs/tools.md. package.json is not edited: only the user knows which scripts need the texts. */
async function planManifest({ root, scripts, packages }: Project): Promise<Planned> {
  const path = 'package.json'
  const own = Object.entries(scripts).filter(([, command]) => WITHOUT_PLUGINS.test(command))
  const isParcel = packages.has('parcel')
  if (own.length === 0 && !isParcel && !packages.has('react-native')) return joinPlans([])
  if ((await readText(root, path))?.includes('"#translations"')) return joinPlans([{ done: [path] }])
  const modules = './.localization/modules'
  const lines = [
    `"imports": { "#translations": "${modules}/index.js", "#translations/*": "${modules}/*.js" }`,
    ...(isParcel ? ['"@parcel/resolver-default": { "packageExports": true }'] : []),
    ...own.map(([name, command]) => `"${name}": ${JSON.stringify(`localization generate && ${command}`)}`),
  ]
  return joinPlans([{ manual: [{ place: path, reason: 'its tools take no plugins', lines }] }])
}
