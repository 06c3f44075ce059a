/** The adapter for webpack. Rspack has the same hooks, and differs only in a few names. */

import { existsSync } from 'node:fs'
import type { Compiler, LoaderContext } from 'webpack'
import { type Diagnostic, formatFinding } from '../../../errors.ts'
import { toSchemeless } from '../../../output/ids.ts'
import type { AdapterInput, BundlerAdapter, CreateAdapter, Dependencies, HookContext } from '../../bundler-adapter.ts'
import { CompilerBuild } from './compiler-build.ts'

export const createAdapter: CreateAdapter = (input) => {
  const { apply, ...adapter } = createCompilerAdapter(input)
  return {
    ...adapter,
    hooks: {
      webpack(compiler) {
        apply(compiler)
        // webpack rejects unknown schemes before it calls the `resolveId` hook of any plugin.
        compiler.hooks.normalModuleFactory.tap(input.name, (factory) => {
          factory.hooks.beforeResolve.tap(input.name, (data) => {
            const request = toSchemeless(data.request)
            if (request !== undefined) data.request = request
          })
        })
      },
    },
  }
}

/**
 * The part of the adapter that webpack and Rspack share. The bundler's own hook must call `apply` with the compiler.
 */
export function createCompilerAdapter(
  input: AdapterInput,
): Omit<BundlerAdapter, 'hooks'> & { apply(compiler: Compiler): void } {
  const { session } = input
  const builds = new WeakMap<Compiler, CompilerBuild>()
  const buildOf = (compiler: Compiler | undefined) => compiler && builds.get(outermost(compiler))
  return {
    apply(compiler) {
      moveVirtualModules(compiler, input.name)
      const build = new CompilerBuild(compiler, input)
      builds.set(compiler, build)
      build.apply()
    },
    hotApi: (context) => (loaderOf(context)?.hot ? 'webpack' : undefined),
    async depend(context, dependencies) {
      const loader = loaderOf(context)
      if (!loader) return
      dependOnFiles(loader, dependencies)
      const { path, isCacheable = false } = (await buildOf(loader._compiler)?.cacheFile) ?? {}
      // A build with `prune` generates these modules twice. The cache might store the first version, which is not in
      // the output.
      const { id, state } = dependencies
      const isPruned = session.command === 'build' && state.config.prune !== false
      const isMadeTwice = isPruned && (id.kind === 'manifest' || id.kind === 'namespace')
      if (!isCacheable || isMadeTwice) loader.cacheable(false)
      else if (path !== undefined) loader.addDependency(path)
      // These are warnings, because a warning disappears from the overlay when the file is fixed. After an error, the
      // page would reload.
      for (const diagnostic of diagnosticsOf(dependencies)) context.warn(formatFinding(diagnostic))
    },
    delivery: (context, id, state) => buildOf(loaderOf(context)?._compiler)?.delivery(id, state) ?? {},
  }
}

/**
 * Matches characters that start a fragment, a query or a loader prefix in a path. U+200B is Rspack's escape character.
 */
const SPECIAL = /[#?!\u200b]/g

/**
 * Replaces special characters in the paths of virtual modules. unplugin puts these modules below the project's folder,
 * and compares their paths with those that the bundler reports. If the bundler escaped a character, the paths would
 * never match, and the module would be empty.
 */
function moveVirtualModules({ options, webpack }: Compiler, name: string): void {
  // In Rspack before 1.5, there are no virtual files, so unplugin writes real ones.
  const { rspackVersion, experiments } = webpack as { rspackVersion?: string; experiments?: object }
  if (rspackVersion !== undefined && !Object.hasOwn(experiments ?? {}, 'VirtualModulesPlugin')) return
  for (const rule of options.module.rules as readonly (UnpluginRule | undefined)[]) {
    const plugin = rule?.use?.[0]?.options?.plugin
    if (plugin?.name === name)
      plugin.__virtualModulePrefix = plugin.__virtualModulePrefix.replace(
        SPECIAL,
        (char) => `%${char.charCodeAt(0).toString(16)}`,
      )
  }
}

/** The module rule by which unplugin loads this plugin's modules. */
interface UnpluginRule {
  readonly use?: readonly {
    readonly options?: { readonly plugin?: { readonly name: string; __virtualModulePrefix: string } }
  }[]
}

/** Returns the root compiler. Child compilers, such as those for workers, share its output and its cache. */
function outermost(compiler: Compiler): Compiler {
  const { parentCompilation } = compiler as { parentCompilation?: { compiler: Compiler } }
  return parentCompilation ? outermost(parentCompilation.compiler) : compiler
}

function loaderOf(context: HookContext): LoaderContext<unknown> | undefined {
  return (context.getNativeBuildContext?.() as { loaderContext?: LoaderContext<unknown> } | undefined)?.loaderContext
}

/** Makes a module depend on the files that contain its texts, and on missing files that would contain some of them. */
function dependOnFiles(loader: LoaderContext<unknown>, { id, state, files }: Dependencies): void {
  const { patterns } = state.loaded.files
  for (const file of files) loader.addDependency(file)
  if (id.kind === 'manifest' || id.kind === 'language') {
    for (const folder of patterns.bases) loader.addContextDependency(folder)
  } else if (id.kind === 'namespace') {
    for (const language of state.translations.chain(id.language)) {
      const path = patterns.pathOf({ language, namespace: id.namespace })
      if (path !== undefined && !files.includes(path) && !existsSync(path)) loader.addMissingDependency(path)
    }
  }
}

/**
 * Returns the errors in a namespace's files. While there are errors, the namespace's module contains the last good
 * texts.
 */
function diagnosticsOf({ id, state, files }: Dependencies): Diagnostic[] {
  if (id.kind !== 'namespace') return []
  const { patterns, diagnostics } = state.loaded.files
  return diagnostics.filter(({ place, severity }) => {
    if (severity !== 'error' || place?.file === undefined) return false
    const path = patterns.match(place.file)?.path
    return path !== undefined && files.includes(path)
  })
}
