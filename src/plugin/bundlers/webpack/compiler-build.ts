/** The builds of one compiler of webpack or Rspack. */
import type { Compilation, Compiler } from 'webpack'
import { type Diagnostic, formatFinding } from '../../../errors.ts'
import type { AdapterInput } from '../../bundler-adapter.ts'
import { createConfigNotice } from '../../config-notice.ts'
import { createPerChunkNotice, wantsPerChunk } from '../../per-chunk-messages.ts'
import { isFirstInBuild } from '../../same-configuration.ts'
import type { LoadedState } from '../../state.ts'
import { type CacheFile, writeCacheFile } from './cache.ts'
import { mountInDevServer } from './dev-server.ts'
import { checkAssets } from './output-checks.ts'
import { CompilationTexts } from './prebuilt-chunks.ts'

export class CompilerBuild {
  readonly #compiler: Compiler
  readonly #input: AdapterInput
  readonly #warnOfChunks: (reason: string) => void
  #texts: CompilationTexts | undefined
  #cacheFile: Promise<CacheFile> | undefined
  #broken: readonly Diagnostic[] = []
  /** False where another instance of the plugin does everything. */
  #isFirst = true

  constructor(compiler: Compiler, input: AdapterInput) {
    this.#compiler = compiler
    this.#input = input
    this.#warnOfChunks = createPerChunkNotice(input.logger)
  }

  /** `undefined` before the first build: the compiler's options have no defaults until it runs. */
  get texts(): CompilationTexts | undefined {
    return this.#texts
  }

  /** Written once in a process: while the bundler watches, modules depend on the translation files themselves. */
  get cacheFile(): Promise<CacheFile> | undefined {
    return this.#cacheFile
  }

  apply(): void {
    const { name, session, logger } = this.#input
    const { hooks, context, options } = this.#compiler
    mountInDevServer(this.#compiler, this.#input)
    const watchConfig = createConfigNotice({ session, logger })
    // webpack does not await `buildStart`, and `beforeCompile` runs again in every child compiler.
    hooks.run.tapPromise(name, async () => void (await this.#begin('build')))
    hooks.watchRun.tapPromise(name, async () => {
      const loading = this.#begin(options.mode === 'production' ? 'build' : 'dev')
      void watchConfig(context)
      const { loaded } = await loading
      this.#broken = loaded.diagnostics.filter(({ severity }) => severity === 'error')
    })
    hooks.done.tap(name, () => {
      session.end()
      if (session.command === 'dev') session.dev.startSync()
    })
    hooks.shutdown.tapPromise(name, () => session.close())
    hooks.thisCompilation.tap(name, (compilation) => this.#tap(compilation))
  }

  async #begin(command: 'build' | 'dev'): Promise<LoadedState> {
    const { name, session } = this.#input
    const compiler = this.#compiler
    session.configure({ root: compiler.context, command, mode: compiler.options.mode })
    const state = await session.begin({ keepLastGood: compiler.watchMode })
    this.#texts ??= new CompilationTexts(compiler, { name, session, config: state.config })
    this.#isFirst = isFirstInBuild(compiler, session, state.config)
    // Before the first module is looked up: a module that comes from the cache is never loaded.
    const { place, filesAt } = this.#texts
    this.#cacheFile ??= writeCacheFile(compiler, session, state, JSON.stringify([session.command, place, filesAt]))
    await this.#cacheFile
    if (session.command === 'build' && wantsPerChunk(state.config) && !this.#texts.canSplit)
      this.#warnOfChunks('this kind of output cannot wait for the texts of a chunk')
    return state
  }

  #tap(compilation: Compilation): void {
    if (!this.#isFirst || this.#input.session.command === 'dev') return
    const { WebpackError } = this.#compiler.webpack
    this.#texts?.tap(compilation)
    checkAssets(this.#compiler, compilation, this.#input, () => this.#texts?.made ?? [])
    // Not thrown before the build: that would end the watch. Nothing is emitted, so the last good output stays.
    for (const diagnostic of this.#broken) compilation.errors.push(new WebpackError(formatFinding(diagnostic)))
  }
}
