/** webpack and Rspack, which share hooks and differ in a few names. */
import { existsSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Compilation, Compiler } from 'webpack'
import { configDigest } from '../../config/digest.ts'
import { type Diagnostic, formatFinding } from '../../errors.ts'
import { NULL_SPELLING, toSchemeless } from '../../modules/ids.ts'
import { writeIfChanged } from '../../shared/atomic-write.ts'
import { createConfigNotice } from '../config-notice.ts'
import { mountInDevServer } from '../dev-server-option.ts'
import { findLeak, leakError, type OutputFile } from '../guard.ts'
import type { Dependencies, HookContext, Host, HostInput } from '../host.ts'
import { createPartsNotice, wantsParts } from '../parts.ts'
import { secretsToFind } from '../secrets.ts'
import type { LoadedState } from '../state.ts'
import { createWebpackLate, type WebpackLate } from './webpack-late.ts'

interface LoaderContext {
  readonly hot?: boolean
  cacheable(flag: boolean): void
  readonly _compiler: Compiler
  addDependency(file: string): void
  addMissingDependency(file: string): void
  addContextDependency(folder: string): void
}

export function webpackHost({ session, name, inspector, logger }: HostInput): Host {
  /** Written once a process: in watch mode the files themselves are the dependencies, and a stamp that moves would build twice. */
  let stamp: Promise<string | undefined> | undefined

  const tellOfParts = createPartsNotice(logger)
  const notice = createConfigNotice({ session, logger })

  const lates = new WeakMap<Compiler, WebpackLate>()
  /** Made when a compilation runs: the options have no defaults before. A worker's child compiler has its parent's output. */
  const lateOf = (compiler: Compiler): WebpackLate | undefined => {
    const { parentCompilation } = compiler as { parentCompilation?: { compiler: Compiler } }
    return parentCompilation ? lateOf(parentCompilation.compiler) : lates.get(compiler)
  }

  const apply = (compiler: Compiler) => {
    mountInDevServer(compiler, { name, inspector, logger })
    let broken: readonly Diagnostic[] = []
    const root = compiler.context
    const begin = async (command: 'build' | 'dev') => {
      session.configure({ root, command, mode: compiler.options.mode })
      const state = await session.begin({ keepLastGood: compiler.watchMode })
      // Before the first module is looked up: one that comes from the cache is never loaded, and would not write it.
      stamp ??= writeStamp(state)
      await stamp
      const late = lates.get(compiler) ?? createWebpackLate(compiler, { name, session, config: state.config })
      lates.set(compiler, late)
      const { hasParts } = late
      if (session.command === 'build' && wantsParts(state.config) && !hasParts)
        tellOfParts('this kind of output cannot wait for the texts of a chunk')
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
    session.onChange(async ({ after }) => {
      const file = pulsePath(after)
      // Any new content will do. Where it cannot be written, the change shows at the next edit.
      await writeIfChanged(file, `${after.digest()}\n`).catch(() => {})
    })
    compiler.hooks.shutdown.tapPromise(name, () => session.close())
    compiler.hooks.thisCompilation.tap(name, (compilation) => {
      lateOf(compiler)?.tap(compilation)
      guardAssets(compiler, compilation)
      // Not thrown before the build: that would end the watch. Nothing is emitted, so the last good output stays.
      if (session.command === 'dev') return
      for (const diagnostic of broken) {
        compilation.errors.push(new compiler.webpack.WebpackError(formatFinding(diagnostic)))
      }
    })
  }

  const guardAssets = (compiler: Compiler, compilation: Compilation) => {
    if (session.command === 'dev') return
    const stage = compiler.webpack.Compilation.PROCESS_ASSETS_STAGE_REPORT
    compilation.hooks.processAssets.tapPromise({ name, stage }, async () => {
      const leak = findLeak(outputFiles(compilation), await secretsToFind(session))
      if (leak) compilation.errors.push(new compiler.webpack.WebpackError(leakError(leak).message))
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
      if (session.command === 'dev') loader.addDependency(pulsePath(dependencies.state))
      stamp ??= writeStamp(dependencies.state)
      const file = await stamp
      if (file === undefined) loader.cacheable(false)
      else loader.addDependency(file)
      // A warning shows in the overlay and clears itself; an error would cost a reload after the mend.
      for (const diagnostic of diagnosticsOf(dependencies)) context.warn(formatFinding(diagnostic))
    },
    async lateAddresses(context, state) {
      const loader = loaderOf(context)
      return loader && session.command === 'build' ? lateOf(loader._compiler)?.addresses(state) : undefined
    },
    textPlace(context) {
      const loader = loaderOf(context)
      return (loader && lateOf(loader._compiler)?.place) ?? 'chunks'
    },
    hasParts(context) {
      const loader = loaderOf(context)
      return loader !== undefined && lateOf(loader._compiler)?.hasParts === true
    },
    usedTexts(context) {
      const loader = loaderOf(context)
      return loader && session.command === 'build' ? lateOf(loader._compiler)?.used() : undefined
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

/** Changes that come from the service have no file: this one tells the bundler's watcher. */
function pulsePath({ config }: LoadedState): string {
  return join(config.root, '.localization', `dev-${configDigest(config).slice(0, 12)}.txt`)
}

/**
 * Persistent caches keep a module as long as its files are unchanged, and what comes from the service has no file. So every module
 * depends on one that holds the catalog's digest. `undefined` where it cannot be written: nothing may be cached then.
 */
async function writeStamp({ config, digest }: LoadedState): Promise<string | undefined> {
  const stamp = join(config.root, '.localization', `catalog-${configDigest(config).slice(0, 12)}.txt`)
  try {
    // A time of its own for each digest, long past: a watcher must not take the writing for a change made while it compiled.
    if (await writeIfChanged(stamp, `${digest()}\n`)) {
      const seconds = Number.parseInt(digest().slice(0, 7), 16)
      await utimes(stamp, seconds, seconds)
    }
    return stamp
  } catch {
    return undefined
  }
}

function* outputFiles(compilation: Compilation): Iterable<OutputFile> {
  for (const { name, source } of compilation.getAssets()) yield { name, content: source.buffer() }
}
