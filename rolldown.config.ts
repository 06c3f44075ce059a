import { readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { isAbsolute, relative } from 'node:path'
import { defineConfig, type OutputChunk, type Plugin, type PluginContext, type RolldownOptions } from 'rolldown'
import { buildInspector } from './scripts/build-inspector.ts'
import { buildNotices } from './scripts/build-notices.ts'
import { BUNDLER_NAMES, BUNDLERS, type BundlerName } from './src/plugin/bundlers.ts'

const PLUGINS = ['index', ...BUNDLER_NAMES]
const OTHERS = ['client', 'service', 'next', 'cli']
/** What a CommonJS file may `require`, beside the bundlers' entries. */
const COMMON_JS = ['index', 'client', 'service']
const PAGE = ['runtime', 'i18next', 'vue-i18n', 'react-intl']

/** What plugins import later, in one file each: the configuration when a bundler starts, the rest when it loads. */
const LATER = { config: ['config/resolve'], load: ['plugin/load', 'plugin/generate'] }

/** A group includes what its modules import, unless an earlier group has it. */
const LATER_GROUPS = [...Object.keys(LATER).map((name) => `shared-${name}`), ...Object.keys(LATER)]

const source = (name: string) => `src/${name}.ts`
const entries = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, source(name)]))

/** webpack and Rspack load these by their path, which `unplugin` knows from its own. */
const LOADERS = BUNDLER_NAMES.filter((name) => BUNDLERS[name].plugin === 'CompilerPlugin').flatMap((bundler) =>
  ['load', 'transform'].map((name) => `${bundler}/loaders/${name}`),
)

const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
/** What else is imported becomes part of the package: see `scripts/copied.mjs`. */
const installed = Object.keys({ ...dependencies, ...peerDependencies })

const shared = {
  platform: 'node',
  transform: { target: 'node20' },
  external: (id: string) => isBuiltin(id) || installed.some((name) => id === name || id.startsWith(`${name}/`)),
} as const

/**
 * What goes into pages has nothing in common with the rest: a runtime is one file, which bundlers are given as text.
 */
const page = (names: readonly string[]): RolldownOptions => ({
  ...shared,
  // The oldest browsers with `import()`. Bundlers do not compile what they are given as text.
  transform: { target: 'es2017', assumptions: { setPublicClassFields: true } },
  input: entries(names),
  plugins: [runtimeInEs5()],
  output: {
    dir: 'dist',
    entryFileNames: '[name].js',
    chunkFileNames: 'page-[name]-[hash].js',
    // Not every page is minified.
    comments: { jsdoc: false },
  },
})

/** One entry per subpath of package.json's `exports`, and the command. `scripts/build-types.mjs` builds their types. */
export default defineConfig([
  {
    ...shared,
    input: {
      ...entries([...PLUGINS, ...OTHERS]),
      ...Object.fromEntries(LOADERS.map((path) => [path, `node_modules/unplugin/dist/${path}.mjs`])),
    },
    plugins: [startInOneFile(), processAsIs(), commonJsEntries(), staticFiles()],
    output: {
      dir: 'dist',
      entryFileNames: ({ name }) => (LOADERS.includes(name) ? '[name].mjs' : '[name].js'),
      chunkFileNames: '[name]-[hash].js',
      // What they say is in the declarations too.
      comments: { jsdoc: false },
      codeSplitting: {
        groups: ['shared', 'start', 'plugin', ...LATER_GROUPS].map((name, at, { length }) => ({
          name,
          test: (id: string) => groups.get(id) === name,
          priority: length - at,
        })),
      },
    },
  },
  page(PAGE),
  page(['runtime-live']),
])

/** The file each module goes to. */
const groups = new Map<string, string>()

/**
 * What a plugin needs at its start in two files, one of them for the rest as well: it takes longer to find files than
 * to read them.
 */
function startInOneFile(): Plugin {
  return {
    name: 'start-in-one-file',
    buildStart() {
      // Not by an option of the bundler's: the second of the two would remove what the first has made.
      rmSync('dist', { recursive: true, force: true })
    },
    buildEnd() {
      const ofPlugins = reachedFrom(this, PLUGINS.map(source))
      const ofOthers = reachedFrom(this, OTHERS.map(source))
      // What only other bundlers need is in no file that a Vite build or its configuration imports.
      const ofVite = reachedFrom(this, ['vite', ...Object.values(LATER).flat()].map(source))
      for (const id of reachedFrom(this, dynamicImports(this, ofVite), { withRoots: true })) ofVite.add(id)
      for (const id of ofPlugins) groups.set(id, ofOthers.has(id) ? 'shared' : ofVite.has(id) ? 'start' : 'plugin')
      for (const [name, roots] of Object.entries(LATER))
        for (const id of reachedFrom(this, roots.map(source), { withRoots: true }))
          if (!groups.has(id)) groups.set(id, ofOthers.has(id) ? `shared-${name}` : name)
    },
  }
}

/** Imported as a module it would make every part of it at once: reports, warnings and all. */
function processAsIs(): Plugin {
  return {
    name: 'process-as-is',
    resolveId: (id) => (id === 'node:process' ? '\0process' : null),
    load: (id) => (id === '\0process' ? 'export default globalThis.process' : null),
  }
}

/** By static imports, without the entries themselves. */
function reachedFrom(context: PluginContext, names: readonly string[], { withRoots = false } = {}): Set<string> {
  const reached = new Set<string>()
  const open = [...context.getModuleIds()].filter((id) => names.includes(toPosix(relative(process.cwd(), id))))
  if (withRoots) for (const id of open) reached.add(id)
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const next of context.getModuleInfo(id)?.importedIds ?? []) {
      if (reached.has(next) || !isAbsolute(next)) continue
      reached.add(next)
      open.push(next)
    }
  }
  return reached
}

function dynamicImports(context: PluginContext, ids: Iterable<string>): string[] {
  const imported = [...ids].flatMap((id) => context.getModuleInfo(id)?.dynamicallyImportedIds ?? [])
  return imported.map((id) => toPosix(relative(process.cwd(), id)))
}

/** No entry imports them. */
function staticFiles(): Plugin {
  const copied = new Set([`${process.cwd()}/node_modules/preact/`])
  return {
    name: 'static-files',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue
        for (const id of file.moduleIds) {
          const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(toPosix(id)) ?? []
          if (folder !== undefined) copied.add(folder)
        }
      }
    },
    async closeBundle() {
      await buildInspector()
      await buildNotices(copied)
    },
  }
}

/** Node can `require` ES modules. Vite 5, TypeScript and others want files that are named as CommonJS. */
function commonJsEntries(): Plugin {
  return {
    name: 'common-js-entries',
    generateBundle(_options, bundle) {
      const emit = (fileName: string, lines: readonly string[]) =>
        this.emitFile({ type: 'asset', fileName, source: `${lines.join('\n')}\n` })
      // Another chunk may have an entry's name.
      const entries = Object.values(bundle).filter((file) => file.type === 'chunk' && file.isEntry)
      for (const { name, exports } of entries as readonly OutputChunk[]) {
        if (COMMON_JS.includes(name)) emit(`${name}.cjs`, moduleLines(name, exports))
        const isBundler = BUNDLER_NAMES.includes(name as BundlerName)
        if (!isBundler && name !== 'next') continue
        emit(`${name}.cjs`, [`module.exports = require('./${name}.js').default`])
        emit(`${name}.d.cts`, isBundler ? pluginTypes(name) : NEXT_TYPES)
      }
    },
  }
}

function moduleLines(entry: string, names: readonly string[]): string[] {
  return [
    "Object.defineProperty(exports, '__esModule', { value: true })",
    `const entry = require('./${entry}.js')`,
    ...names.map((name) => `exports.${name} = entry.${name}`),
  ]
}

/** For outputs of webpack and Rspack whose browsers know no more: only the imports and exports are newer. */
function runtimeInEs5(): Plugin {
  return {
    name: 'runtime-in-es5',
    async generateBundle(_options, bundle) {
      const { default: typescript } = await import('typescript')
      const [name, runtime] = Object.entries(bundle).find(([each]) => each.startsWith('runtime')) ?? []
      const { code } = runtime as OutputChunk
      const { outputText } = typescript.transpileModule(code, {
        compilerOptions: {
          target: typescript.ScriptTarget.ES5,
          module: typescript.ModuleKind.ESNext,
          downlevelIteration: true,
        },
      })
      this.emitFile({ type: 'asset', fileName: `${name?.replace(/\.js$/, '')}.es5.js`, source: outputText })
    },
  }
}

/** The types where `require()` returns the function itself. `scripts/build-types.mjs` builds all other types. */
function pluginTypes(bundler: string): string[] {
  return [
    "import type { LocalizationUnplugin, PluginOptions as Options } from './index.cjs'",
    `declare const localization: LocalizationUnplugin['${bundler}']`,
    'declare namespace localization {',
    '  type PluginOptions = Options',
    '}',
    'export = localization',
  ]
}

const NEXT_TYPES = [
  "import type wrap from './next.js' with { 'resolution-mode': 'import' }",
  "import type * as next from './next.js' with { 'resolution-mode': 'import' }",
  'declare const withLocalization: typeof wrap',
  'declare namespace withLocalization {',
  '  type PluginOptions = next.PluginOptions',
  '  type NextConfigExport<Config, Context> = next.NextConfigExport<Config, Context>',
  '}',
  'export = withLocalization',
]

const toPosix = (path: string) => path.replaceAll('\\', '/')
