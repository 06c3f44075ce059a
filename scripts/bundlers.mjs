// Writes what follows from the table of bundlers (src/plugin/bundlers.ts): the entries src/<name>.ts,
// src/plugin/bundlers/adapters.ts
// and the bundlers' lines of package.json. `--check` only says whether they are current.
import { readFile, writeFile } from 'node:fs/promises'
import { createJiti } from 'jiti'

const root = new URL('../', import.meta.url)
const { BUNDLERS } = await createJiti(import.meta.url).import('../src/plugin/bundlers.ts')
const manifest = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))

/** Known bundlers keep their order in package.json; a new one is the last. */
const subpaths = Object.keys(manifest.exports)
const placeOf = (name) => {
  const place = subpaths.indexOf(`./${name}`)
  return place === -1 ? subpaths.length : place
}
const names = Object.keys(BUNDLERS).sort((a, b) => placeOf(a) - placeOf(b))

/** For bundlers that have no configuration file. */
const CALLS = {
  esbuild: "await build({ entryPoints: ['src/main.js'], bundle: true, outdir: 'dist', plugins: [localization()] })",
  bun: "await Bun.build({ entrypoints: ['src/main.js'], outdir: 'dist', plugins: [localization()] })",
}
const example = (name) => CALLS[name] ?? `export default { plugins: [localization()] } // ${name}.config.js`

/** `unplugin` has the code for all bundlers in one file: a dev server starts without it. */
const OWN_CREATE = { vite: './plugin/bundlers/vite/plugin.ts' }

const createImports = (name, create) => {
  const adapter = `import { createAdapter as ${name} } from './plugin/bundlers/${name}/adapter.ts'\n`
  const own = OWN_CREATE[name]
  return own ? `${adapter}import { ${create} } from '${own}'\n` : `import { ${create} } from 'unplugin'\n${adapter}`
}

const entry = (name) => {
  const { title, plugin } = BUNDLERS[name]
  const create = `create${name[0].toUpperCase()}${name.slice(1)}Plugin`
  const types = ['CreatePlugin', plugin].sort().join(', ')
  return `/**
 * The plugin for ${title}. Options: see \`PluginOptions\`. Other options come from \`localization.config.*\` and the
 * environment.
 *
 * \`\`\`ts
 * import localization from 'unplugin-localization/${name}'
 *
 * ${example(name)}
 * \`\`\`
 */
// Written by scripts/bundlers.mjs.
${createImports(name, create)}import { createFactory } from './plugin/factory.ts'
import type { ${types} } from './plugin/public.ts'

export type { PluginOptions } from './plugin/public.ts'

const plugin = ${create}(createFactory({ ${name} })) as CreatePlugin<${plugin}>

export default plugin
`
}

const adapters = () => `/** Every adapter by its bundler's name. Written by scripts/bundlers.mjs. */
import type { CompilerPlugin, CreatePlugin, NamedPlugin, SetupPlugin } from '../public.ts'
${[...names]
  .sort()
  .map((name) => `import { createAdapter as ${name} } from './${name}/adapter.ts'`)
  .join('\n')}

export const ADAPTERS = { ${names.join(', ')} }

/** The plugin for every bundler: \`unplugin.vite()\`, \`unplugin.webpack()\` and so on. */
export interface LocalizationUnplugin {
${names.map((name) => `  readonly ${name}: CreatePlugin<${BUNDLERS[name].plugin}>`).join('\n')}
}
`

const conditions = (name) => ({
  require: { types: `./dist/${name}.d.cts`, default: `./dist/${name}.cjs` },
  types: `./dist/${name}.d.ts`,
  default: `./dist/${name}.js`,
})

const sorted = (entries) => Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))

function packageJson() {
  const { '.': main, ...others } = manifest.exports
  const bundlerEntries = names.map((name) => [`./${name}`, conditions(name)])
  const peers = Object.values(BUNDLERS).map(({ package: name, versions }) => [name, versions])
  const optional = Object.fromEntries(peers.map(([name]) => [name, { optional: true }]))
  return `${JSON.stringify(
    {
      ...manifest,
      exports: {
        '.': main,
        ...Object.fromEntries(bundlerEntries),
        ...without(others, Object.fromEntries(bundlerEntries)),
      },
      peerDependencies: sorted([...Object.entries(manifest.peerDependencies), ...peers]),
      peerDependenciesMeta: { ...manifest.peerDependenciesMeta, ...optional },
    },
    null,
    2,
  )}\n`
}

function without(object, other) {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !Object.hasOwn(other, key)))
}

const files = {
  ...Object.fromEntries(names.map((name) => [`src/${name}.ts`, entry(name)])),
  'src/plugin/bundlers/adapters.ts': adapters(),
  'package.json': packageJson(),
}

for (const [name, fresh] of Object.entries(files)) {
  const path = new URL(name, root)
  if (fresh === (await readFile(path, 'utf8').catch(() => ''))) continue
  if (process.argv.includes('--check')) {
    process.stderr.write(`${name} is not what src/plugin/bundlers.ts asks for: run node scripts/bundlers.mjs\n`)
    process.exitCode = 1
  } else {
    await writeFile(path, fresh)
    process.stderr.write(`wrote ${name}\n`)
  }
}
