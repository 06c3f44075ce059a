/** webpack and Rspack, which share hooks and differ in a few names. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Compilation, Compiler } from 'webpack'
import { type Diagnostic, formatFinding, messageOf } from '../../../errors.ts'
import { NULL_SPELLING, toSchemeless } from '../../../output/ids.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { Dependencies, HookContext, Host, HostInput } from '../../bundler-adapter.ts'
import { createConfigNotice } from '../../config-notice.ts'
import { mountInDevServer } from '../../dev-server-option.ts'
import { checkMessageFiles, isScript } from '../../message-files.ts'
import { createPerChunkNotice, wantsPerChunk } from '../../per-chunk-messages.ts'
import { isFirstInBuild } from '../../same-configuration.ts'
import { findLeak, leakError, type OutputFile } from '../../secret-scan.ts'
import { secretsToFind } from '../../secrets.ts'
import type { LoadedState } from '../../state.ts'
import { createCacheFile } from './cache.ts'
import { createWebpackPrebuilt, type WebpackPrebuilt } from './prebuilt-chunks.ts'

interface LoaderContext {
  readonly hot?: boolean
  cacheable(flag: boolean): void
  readonly _compiler: Compiler
  addDependency(file: string): void
  addMissingDependency(file: string): void
  addContextDependency(folder: string): void
}

export function webpackHost({ session, name, inspector, logger }: HostInput): Host {
  const warnPerChunk = createPerChunkNotice(logger)
  const notice = createConfigNotice({ session, logger })

  /** Made when a compilation runs: the options have no defaults before. */
  const prebuiltByBuild = new WeakMap<Compiler, WebpackPrebuilt>()
  const prebuiltOf = (compiler: Compiler): WebpackPrebuilt | undefined => prebuiltByBuild.get(outermost(compiler))

  /** Written once a process: while the bundler watches, the texts' own files are dependencies. */
  const cacheFiles = new WeakMap<
    Compiler,
    Promise<{ readonly path?: string | undefined; readonly isCacheable: boolean }>
  >()
  const openCacheFile = async (compiler: Compiler, state: LoadedState, { place: kind, filesAt }: WebpackPrebuilt) => {
    const place = JSON.stringify([session.command, kind, filesAt])
    const file = createCacheFile(compiler, state, place)
    const isCacheable = (await file?.write(state)) ?? true
    if (file) session.onChange(({ after }) => file.touch(after))
    return { path: file?.path, isCacheable }
  }

  const apply = (compiler: Compiler) => {
    mountInDevServer(compiler, { name, inspector, logger })
    let broken: readonly Diagnostic[] = []
    let isFirst = true
    const root = compiler.context
    const begin = async (command: 'build' | 'dev') => {
      session.configure({ root, command, mode: compiler.options.mode })
      const state = await session.begin({ keepLastGood: compiler.watchMode })
      const prebuilt =
        prebuiltByBuild.get(compiler) ?? createWebpackPrebuilt(compiler, { name, session, config: state.config })
      prebuiltByBuild.set(compiler, prebuilt)
      isFirst = isFirstInBuild(compiler, session, state.config)
      // Before the first module is looked up: a module that comes from the cache is never loaded.
      const file = cacheFiles.get(compiler) ?? openCacheFile(compiler, state, prebuilt)
      cacheFiles.set(compiler, file)
      await file
      const { hasPerChunk } = prebuilt
      if (session.command === 'build' && wantsPerChunk(state.config) && !hasPerChunk)
        warnPerChunk('this kind of output cannot wait for the texts of a chunk')
      return state
    }
    // `buildStart` is not awaited by webpack, and `beforeCompile` runs again in every child compiler.
    compiler.hooks.run.tapPromise(name, async () => void (await begin('build')))
    compiler.hooks.watchRun.tapPromise(name, async () => {
      const state = begin(compiler.options.mode === 'production' ? 'build' : 'dev')
      notice.watch(root)
      const { loaded } = await state
      broken = loaded.diagnostics.filter(({ severity }) => severity === 'error')
    })
    compiler.hooks.done.tap(name, () => {
      session.end()
      if (session.command === 'dev') session.startSync()
    })
    compiler.hooks.shutdown.tapPromise(name, () => session.close())
    compiler.hooks.thisCompilation.tap(name, (compilation) => {
      if (!isFirst) return
      prebuiltOf(compiler)?.tap(compilation)
      scanAssets(compiler, compilation)
      // Not thrown before the build: that would end the watch. Nothing is emitted, so the last good output stays.
      if (session.command === 'dev') return
      for (const diagnostic of broken) {
        compilation.errors.push(new compiler.webpack.WebpackError(formatFinding(diagnostic)))
      }
    })
  }

  const scanAssets = (compiler: Compiler, compilation: Compilation) => {
    if (session.command === 'dev') return
    const stage = compiler.webpack.Compilation.PROCESS_ASSETS_STAGE_REPORT
    const fail = (error: unknown) => {
      const { code } = error as { code?: string }
      compilation.errors.push(Object.assign(new compiler.webpack.WebpackError(messageOf(error)), { code }))
    }
    compilation.hooks.processAssets.tapPromise({ name, stage }, async () => {
      const leak = findLeak(outputFiles(compilation), await secretsToFind(session))
      if (leak) fail(leakError(leak))
      const assets = compilation.getAssets()
      const place = (asset: string) => toPosix(join(compiler.outputPath, asset.replace(/\?.*$/, '')))
      try {
        checkMessageFiles({
          root: compiler.context,
          names: assets.map(({ name }) => place(name)),
          scripts: assets
            .filter(({ name }) => isScript(place(name)))
            .map(({ name, source }) => ({ name: place(name), text: () => source.source().toString() })),
          made: (prebuiltOf(compiler)?.made() ?? []).map(place),
          folder: compiler.options.output.clean ? undefined : toPosix(compiler.outputPath),
        })
      } catch (error) {
        fail(error)
      }
    })
  }

  return {
    ids: NULL_SPELLING,
    // Does not throw here: the build goes on and fails at its end.
    fail: (context, { message }) => context.error(message),
    hotApi: (context) => (loaderOf(context)?.hot ? 'webpack' : undefined),
    async depend(context, dependencies) {
      const loader = loaderOf(context)
      if (!loader) return
      dependOnFiles(loader, dependencies)
      const { path, isCacheable = false } = (await cacheFiles.get(outermost(loader._compiler))) ?? {}
      // A pruned module is made twice in each build: what the cache could keep is not yet what goes into the output.
      const { id, state } = dependencies
      const isPruned = session.command === 'build' && state.config.prune !== false
      const isMadeTwice = isPruned && (id.kind === 'manifest' || id.kind === 'namespace')
      if (!isCacheable || isMadeTwice) loader.cacheable(false)
      else if (path !== undefined) loader.addDependency(path)
      // A warning shows in the overlay and clears itself; an error would cost a reload after the mend.
      for (const diagnostic of diagnosticsOf(dependencies)) context.warn(formatFinding(diagnostic))
    },
    async chunkAddresses(context, state) {
      const loader = loaderOf(context)
      return loader && session.command === 'build' ? prebuiltOf(loader._compiler)?.addresses(state) : undefined
    },
    textPlace(context) {
      const loader = loaderOf(context)
      return (loader && prebuiltOf(loader._compiler)?.place) ?? 'chunks'
    },
    hasPerChunk(context) {
      const loader = loaderOf(context)
      return loader !== undefined && prebuiltOf(loader._compiler)?.hasPerChunk === true
    },
    usedTexts(context) {
      const loader = loaderOf(context)
      return loader && session.command === 'build' ? prebuiltOf(loader._compiler)?.used() : undefined
    },
    hooks: {
      webpack(compiler) {
        apply(compiler)
        // webpack refuses unknown schemes before any plugin's resolveId is asked.
        compiler.hooks.normalModuleFactory.tap(name, (factory) => {
          factory.hooks.beforeResolve.tap(name, (data) => {
            const request = toSchemeless(data.request)
            if (request !== undefined) data.request = request
          })
        })
      },
      rspack: (compiler) => apply(compiler as unknown as Compiler),
    },
  }
}

/** A child compiler, such as a worker's, has its parent's output and cache. */
function outermost(compiler: Compiler): Compiler {
  const { parentCompilation } = compiler as { parentCompilation?: { compiler: Compiler } }
  return parentCompilation ? outermost(parentCompilation.compiler) : compiler
}

function loaderOf(context: HookContext): LoaderContext | undefined {
  return (context.getNativeBuildContext?.() as { loaderContext?: LoaderContext } | undefined)?.loaderContext
}

/** The files that hold the module's texts, and those that would, were they there. */
function dependOnFiles(loader: LoaderContext, { id, state, files }: Dependencies): void {
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

/** What is wrong with the files of a namespace; the module holds their last good texts. */
function diagnosticsOf({ id, state, files }: Dependencies) {
  if (id.kind !== 'namespace') return []
  const { patterns, diagnostics } = state.loaded.files
  return diagnostics.filter(({ place, severity }) => {
    if (severity !== 'error' || place?.file === undefined) return false
    const path = patterns.match(place.file)?.path
    return path !== undefined && files.includes(path)
  })
}

function* outputFiles(compilation: Compilation): Iterable<OutputFile> {
  for (const { name, source } of compilation.getAssets()) yield { name, content: source.buffer() }
}
