/** The builds of one webpack or Rspack compiler. */

import { existsSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Compilation, Compiler } from 'webpack'
import { configDigest } from '../../../config/digest.ts'
import { packageFolder } from '../../../config/find.ts'
import { type Diagnostic, formatFinding, messageOf } from '../../../errors.ts'
import { type ModuleId, NULL_SPELLING } from '../../../output/ids.ts'
import { writeIfChanged } from '../../../shared/atomic-write.ts'
import { hashOf } from '../../../shared/hash.ts'
import { packageVersion } from '../../../shared/package-version.ts'
import { toPosix } from '../../../shared/paths.ts'
import { type AdapterInput, type Delivery, isFirstInBuild, LIVE_WARNING } from '../../bundler-adapter.ts'
import { type BuiltModule, checkNotEmpty, checkOutput } from '../../check-output.ts'
import { createConfigNotice } from '../../config-notice.ts'
import { perChunkWarning, wantsPerChunk } from '../../per-chunk-messages.ts'
import type { Session } from '../../session.ts'
import type { LoadedState } from '../../state.ts'
import { mountInDevServer } from './dev-server.ts'
import { ownModulesIn, WebpackPort } from './port.ts'
import { type CompilerTexts, compilerTexts } from './text-place.ts'

/** The stage of a hook that must run last, because other plugins may still add modules in the same hook. */
const LAST_STAGE = 10_000

export class CompilerBuild {
  /**
   * `undefined` before the first build, because it depends on options that get their defaults only when the compiler
   * runs.
   */
  #texts: CompilerTexts | undefined
  /** The port of the last build's compilation. */
  #port: WebpackPort | undefined
  #cacheFile: ReturnType<typeof writeCacheFile> | undefined
  #broken: readonly Diagnostic[] = []
  #lastWarnings = ''
  #warningChanges = 0
  /** False if another instance of the plugin is already active in this compiler. */
  #isFirst = true

  constructor(
    private readonly compiler: Compiler,
    private readonly input: AdapterInput,
  ) {}

  /** The file on which cached modules depend. `undefined` before the first build. */
  get cacheFile() {
    return this.#cacheFile
  }

  /** See `BundlerAdapter`. */
  async delivery({ kind }: ModuleId, state: LoadedState): Promise<Delivery> {
    if (!this.#texts) return {}
    const { place, isEs5, isPerChunk } = this.#texts
    if (kind === 'manifest')
      return { chunkAddresses: await this.#port?.addresses(state), isInline: place === 'inline', isPerChunk }
    const isProvided = this.input.session.command === 'build' && place === 'files'
    return { isEs5, state: kind === 'namespace' ? this.#port?.used : undefined, isProvided }
  }

  apply(): void {
    const { name, session } = this.input
    const { hooks, context, options } = this.compiler
    mountInDevServer(this.compiler, this.input)
    const watchConfig = createConfigNotice(this.input)
    // `buildStart` is not used, because webpack does not await it. `beforeCompile` is not used, because it runs again
    // in every child compiler.
    hooks.run.tapPromise(name, async () => void (await this.#begin('build')))
    hooks.watchRun.tapPromise(name, async () => {
      const loading = this.#begin(options.mode === 'production' ? 'build' : 'dev')
      watchConfig(context)
      const { loaded } = await loading
      this.#broken = loaded.diagnostics.filter(({ severity }) => severity === 'error')
    })
    hooks.done.tap(name, () => {
      session.end()
      if (session.command === 'dev') session.dev.startSync()
    })
    // A build that another plugin ended with an error does not reach `done`.
    hooks.failed.tap(name, () => session.end())
    hooks.shutdown.tapPromise(name, () => session.close())
    hooks.thisCompilation.tap(name, (compilation) => this.#tap(compilation))
    // This is the last hook in which Rspack can rebuild a module. Child compilers inherit it.
    hooks.finishMake.tapPromise({ name, stage: LAST_STAGE }, async (compilation) => {
      if (this.#port?.compilation === compilation) await this.#port.prune()
    })
  }

  /**
   * Changes the hash when the warnings have changed. The hash names hot updates, and webpack writes a file with a given
   * name only once. If restoring a broken file also restored an earlier hash, the page would fetch an old update again
   * and again.
   */
  #renewHash(compilation: Compilation): void {
    compilation.hooks.fullHash.tap(this.input.name, (hash) => {
      const warnings = compilation.warnings.map(messageOf).join('\n')
      if (warnings !== this.#lastWarnings) this.#warningChanges++
      this.#lastWarnings = warnings
      hash.update(String(this.#warningChanges))
    })
  }

  async #begin(command: 'build' | 'dev'): Promise<LoadedState> {
    const { session } = this.input
    const compiler = this.compiler
    session.configure({ root: compiler.context, command, mode: compiler.options.mode })
    const state = await session.begin({ keepLastGood: compiler.watchMode })
    this.#texts ??= compilerTexts(compiler, state.config, this.input.isTargetEdition)
    this.#isFirst = isFirstInBuild(compiler, session, state.config)
    // This must happen before modules are looked up, because modules that are found in the cache are not loaded again.
    const { place, isEs5, filesAt } = this.#texts
    this.#cacheFile ??= writeCacheFile(
      compiler,
      session,
      state,
      JSON.stringify([session.command, place, isEs5, filesAt]),
    )
    await this.#cacheFile
    if (session.command === 'build' && wantsPerChunk(state.config) && !this.#texts.isPerChunk)
      session.warnOnce(perChunkWarning('this output format cannot wait for the texts of a chunk'))
    if (session.command === 'build' && state.config.delivery === 'live' && place !== 'files')
      session.warnOnce(LIVE_WARNING)
    return state
  }

  #tap(compilation: Compilation): void {
    if (!this.#isFirst) return
    checkModules(this.compiler, compilation, this.input.name)
    if (this.input.session.command === 'dev') {
      // Rspack has no `fullHash` hook and does not need it.
      if (!('rspackVersion' in this.compiler.webpack)) this.#renewHash(compilation)
      return
    }
    const { WebpackError } = this.compiler.webpack
    const port = this.#texts && new WebpackPort(this.compiler, compilation, this.#texts, this.input)
    this.#port = port
    checkAssets(this.compiler, compilation, this.input, () => port?.made ?? [])
    // Throwing before the build would end watch mode. With an error in the compilation, nothing is emitted, so the last
    // good output remains.
    for (const diagnostic of this.#broken) compilation.errors.push(new WebpackError(formatFinding(diagnostic)))
  }
}

/**
 * Writes the file on which cached modules depend. Must be called before the bundler reads its cache. Throws FILE_WRITE
 * if an outdated file remains. Returns no path if there is neither a persistent cache nor watch mode. `isCacheable` is
 * false if the file cannot be written.
 *
 * @param place describes where generated code has its texts, which depends on the bundler's options
 */
export async function writeCacheFile(compiler: Compiler, session: Session, state: LoadedState, place: string) {
  const { context, watchMode } = compiler
  const location = persistentCache(compiler)
  if (location === undefined && !watchMode) return { isCacheable: true }
  const config = configDigest(state.config)
  // Neither the file's name nor its folder depends on the plugin's options or `root`. If those change, a cached module
  // still depends on the same file.
  const folder = await packageFolder(context)
  const name = hashOf(location === undefined ? config : relative(folder, location), 12)
  const path = join(folder, '.localization', `bundler-cache-${name}.txt`)
  const contentOf = ({ digest, loaded }: LoadedState) => {
    // If a translation file is invalid, the last good texts are used and the digest stays the same, but the page must
    // show the problem.
    const { diagnostics } = loaded.files
    return hashOf(JSON.stringify([packageVersion(), config, digest(), diagnostics, place, watchMode]), 32)
  }
  // In watch mode, a change to this file triggers a build. If the file cannot be written, new texts appear after the
  // next edit of another file.
  session.dev.onChange(({ after }) => writeIfChanged(path, `${contentOf(after)}\n`).catch(() => {}))
  const content = contentOf(state)
  try {
    if (await writeIfChanged(path, `${content}\n`)) {
      // Bundlers do not trust a file that changed in the last few seconds. The file therefore gets an old mtime, which
      // is derived from its content.
      const seconds = Number.parseInt(content.slice(0, 7), 16)
      await utimes(path, seconds, seconds)
    }
    return { path, isCacheable: true }
  } catch (error) {
    // If a file with old content remained, the bundler would use its outdated cache.
    if (existsSync(path)) throw error
    return { path, isCacheable: false }
  }
}

/** Returns the folder of the persistent cache, or `undefined` if there is none. */
function persistentCache({ options, context }: Compiler): string | undefined {
  const { mode = '', name = '' } = options
  // In Rspack 1, the option is in `experiments`.
  const experiment = (options.experiments as { cache?: unknown } | undefined)?.cache
  const cache = typeof experiment === 'object' ? experiment : options.cache
  if (typeof cache !== 'object') return undefined
  const { type, storage = {} } = cache as { type?: string; storage?: { location?: string; directory?: string } }
  if (type === 'memory') return undefined
  // Set for webpack's cache, and for Rspack's cache that is compatible with it.
  const { cacheLocation } = cache as { cacheLocation?: string }
  return cacheLocation ?? storage.location ?? join(storage.directory ?? context, name, mode)
}

function checkModules(compiler: Compiler, compilation: Compilation, name: string): void {
  compilation.hooks.finishModules.tap(name, () => {
    try {
      checkNotEmpty(NULL_SPELLING, builtModulesIn(compilation))
    } catch (error) {
      fail(compiler, compilation, error)
    }
  })
}

/** Adds an error to the compilation. The build continues and fails at its end. */
function fail({ webpack }: Compiler, compilation: Compilation, error: unknown): void {
  const { code } = error as { code?: string }
  compilation.errors.push(Object.assign(new webpack.WebpackError(messageOf(error)), { code }))
}

function* builtModulesIn(compilation: Compilation): Iterable<BuiltModule> {
  for (const [id, module] of ownModulesIn(compilation)) {
    // A module that failed to build has no source, and its error has already been reported.
    const source = module.originalSource()
    if (source) yield { id: decodeURIComponent(id), size: source.size() }
  }
}

/** @param made paths of the compilation's message files, relative to the output folder */
function checkAssets(
  compiler: Compiler,
  compilation: Compilation,
  { name, session }: Pick<AdapterInput, 'name' | 'session'>,
  made: () => readonly string[],
): void {
  const stage = compiler.webpack.Compilation.PROCESS_ASSETS_STAGE_REPORT
  const pathOf = (asset: string) => toPosix(join(compiler.outputPath, asset.replace(/\?.*$/, '')))
  compilation.hooks.processAssets.tapPromise({ name, stage }, async () => {
    const errors = await checkOutput(session, {
      root: await session.root(),
      // `content` is called only if necessary, because Rspack copies the content into JavaScript when it is read.
      files: compilation.getAssets().map((asset) => {
        return { name: asset.name, path: pathOf(asset.name), content: () => asset.source.source() }
      }),
      made: made().map(pathOf),
      folder: compiler.options.output.clean ? undefined : toPosix(compiler.outputPath),
    })
    for (const error of errors) fail(compiler, compilation, error)
  })
}
