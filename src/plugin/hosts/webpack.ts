/** webpack and Rspack, which share hooks and differ in a few names. */
import { join } from 'node:path'
import type { Compilation, Compiler } from 'webpack'
import { configDigest } from '../../config/digest.ts'
import { NULL_SPELLING, toSchemeless } from '../../modules/ids.ts'
import { writeIfChanged } from '../../shared/atomic-write.ts'
import { findLeak, leakError, type OutputFile } from '../guard.ts'
import type { HookContext, Host, HostInput } from '../host.ts'
import type { LoadedState } from '../session.ts'

interface LoaderContext {
  readonly hot?: boolean
  cacheable(flag: boolean): void
  addDependency(file: string): void
  addContextDependency(folder: string): void
}

export function webpackHost({ session, name }: HostInput): Host {
  const apply = (compiler: Compiler) => {
    const root = compiler.context
    const begin = (command: 'build' | 'dev') => {
      session.configure({ root, command, mode: compiler.options.mode })
      return session.begin()
    }
    // `buildStart` is not awaited by webpack, and `beforeCompile` runs again in every child compiler.
    compiler.hooks.run.tapPromise(name, async () => void (await begin('build')))
    compiler.hooks.watchRun.tapPromise(
      name,
      async () => void (await begin(compiler.options.mode === 'production' ? 'build' : 'dev')),
    )
    compiler.hooks.done.tap(name, () => session.end())
    compiler.hooks.shutdown.tapPromise(name, () => session.close())
    compiler.hooks.thisCompilation.tap(name, (compilation) => guardAssets(compiler, compilation))
  }

  const guardAssets = (compiler: Compiler, compilation: Compilation) => {
    if (session.command === 'dev') return
    const stage = compiler.webpack.Compilation.PROCESS_ASSETS_STAGE_REPORT
    compilation.hooks.processAssets.tap({ name, stage }, () => {
      const leak = findLeak(outputFiles(compilation), session.secrets())
      if (leak) compilation.errors.push(new compiler.webpack.WebpackError(leakError(leak).message))
    })
  }

  return {
    ids: NULL_SPELLING,
    // Does not throw here: the build goes on and fails at its end.
    fail: (context, { message }) => context.error(message),
    hotApi: (context) => (loaderOf(context)?.hot ? 'webpack' : undefined),
    watch(context, folders) {
      for (const folder of folders) loaderOf(context)?.addContextDependency(folder)
    },
    stamp: (context, state) => stampModule(loaderOf(context), state),
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

/**
 * Persistent caches keep a module as long as its files are unchanged, and what comes from the service has no file. So every module
 * depends on one that holds the catalog's digest; where it cannot be written, the module is not cached at all.
 */
async function stampModule(loader: LoaderContext | undefined, { config, digest }: LoadedState): Promise<void> {
  if (!loader) return
  const stamp = join(config.root, '.localization', `catalog-${configDigest(config).slice(0, 12)}.txt`)
  try {
    await writeIfChanged(stamp, `${digest()}\n`)
    loader.addDependency(stamp)
  } catch {
    loader.cacheable(false)
  }
}

function* outputFiles(compilation: Compilation): Iterable<OutputFile> {
  for (const { name, source } of compilation.getAssets()) yield { name, content: source.buffer() }
}
