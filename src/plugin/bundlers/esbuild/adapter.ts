/**
 * The adapter for esbuild. Its hooks have filters, because each call from esbuild's Go process takes time. Errors are
 * returned instead of thrown, because an exception would end watch mode.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { BuildOptions, BuildResult, OnLoadResult, PluginBuild } from 'esbuild'
import type { ResolvedConfig } from '../../../config/types.ts'
import { type Diagnostic, formatFinding, messageOf } from '../../../errors.ts'
import { NULL_SPELLING, REQUEST_FILTER } from '../../../output/ids.ts'
import { toPosix } from '../../../shared/paths.ts'
import { type AdapterInput, type CreateAdapter, isFirstInBuild } from '../../bundler-adapter.ts'
import { type BuiltFile, type BuiltModule, checkNotEmpty, checkOutput } from '../../check-output.ts'
import { createConfigNotice } from '../../config-notice.ts'
import { perChunkWarning, wantsPerChunk } from '../../per-chunk-messages.ts'
import type { LoadedState } from '../../state.ts'
import { createEsbuildTexts, type EsbuildTexts } from './port.ts'

export const createAdapter: CreateAdapter = (input) => {
  const builds = new WeakMap<BuildOptions, EsbuildRun>()
  return {
    // `EsbuildRun` loads the manifest, because only its own hook can watch folders.
    delivery(context, _id, { config }) {
      const { build } = (context.getNativeBuildContext?.() ?? {}) as { readonly build?: PluginBuild }
      const run = build && builds.get(build.initialOptions)
      return { isPending: config.prune !== false && run?.canEdit, isProvided: run?.hasFiles(config) }
    },
    hooks: {
      esbuild: {
        onResolveFilter: REQUEST_FILTER,
        onLoadFilter: NULL_SPELLING.filter,
        loader: 'js',
        setup(build) {
          const run = new EsbuildRun(build, input)
          builds.set(build.initialOptions, run)
          run.setup()
        },
      },
    },
  }
}

/**
 * The esbuild function that was called. With `build()`, plugins can change the output before it is used. With
 * `context()`, esbuild serves its own copy of the files, so changes at the end of a build never reach the browser.
 * esbuild does not tell plugins which it was, but the stack shows it, because `setup` runs inside the call.
 */
type EsbuildCall = 'build' | 'context'

const FRAME = /^\s*(?:at )?(?:async )?(?:Object\.)?(build|context)(?:@| \().*esbuild/m

/**
 * Finds out which function was called. Must be called in `setup`. Returns `undefined` if another plugin had an
 * asynchronous `setup` before this one.
 */
function esbuildCall(): EsbuildCall | undefined {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = Number.POSITIVE_INFINITY
  const { stack } = new Error('of this call')
  Error.stackTraceLimit = stackTraceLimit
  return FRAME.exec(String(stack))?.[1] as EsbuildCall | undefined
}

const MANIFEST_FILTER = new RegExp(`${NULL_SPELLING.filter.source}manifest\\.js$`)

/** The plugin during one call to esbuild, with all builds of that call. */
class EsbuildRun {
  readonly #root: string
  readonly #call: EsbuildCall | undefined
  readonly #texts: EsbuildTexts | undefined
  /**
   * Errors in translation files. They are reported at the end of the build, because esbuild would otherwise stop
   * watching the files and discard the last output.
   */
  #broken: readonly Diagnostic[] = []

  /** Must be called in `setup`. */
  constructor(
    private readonly build: PluginBuild,
    private readonly input: AdapterInput,
  ) {
    const { initialOptions } = build
    this.#root = initialOptions.absWorkingDir ?? process.cwd()
    this.#call = esbuildCall()
    if (this.#call === 'build') this.#texts = createEsbuildTexts(initialOptions, this.#root, input)
  }

  /** True if texts can be inserted into the output after a build. */
  get canEdit(): boolean {
    return this.#texts !== undefined
  }

  /** True if `load()` fetches texts from files next to the output. */
  hasFiles(config: ResolvedConfig): boolean {
    return this.#texts?.isFiles(config) ?? false
  }

  setup(): void {
    const build = this.build
    const { session, name } = this.input
    const { initialOptions } = build
    session.configure({ root: this.#root, command: 'build' })
    const keepsMetafile = initialOptions.metafile === true
    // The metafile is needed, because only it lists the written files.
    initialOptions.metafile = true
    const watchConfig = createConfigNotice(this.input)
    const failure = (text: string) => ({ text, pluginName: name })
    build.onStart(async () => {
      const loading = session.begin({ keepLastGood: true })
      // Always polls, because esbuild does not tell plugins whether it is in watch mode.
      watchConfig(this.#root)
      return this.#start(loading).then(
        () => null,
        (error: unknown) => ({ errors: [failure(messageOf(error))] }),
      )
    })
    // New files are detected by watching their folders, which is not possible in unplugin's `load` hook.
    build.onLoad({ filter: MANIFEST_FILTER }, () =>
      this.#loadManifest().catch((error: unknown) => ({ errors: [failure(messageOf(error))] })),
    )
    build.onEnd(async (result) => {
      session.end()
      const texts = [...this.#broken.map(formatFinding), ...(await this.#finish(result))]
      if (!keepsMetafile) result.metafile = undefined
      return { errors: texts.map(failure) }
    })
    build.onDispose(() => void session.close())
  }

  async #start(loading: Promise<LoadedState>): Promise<void> {
    const { loaded, config } = await loading
    const { session } = this.input
    isFirstInBuild(this.build.initialOptions, session, config)
    if (this.#call === 'build' && wantsPerChunk(config))
      session.warnOnce(perChunkWarning('esbuild does not support per-chunk messages'))
    if (this.#call === 'context' && config.prune !== false)
      session.warnOnce("prune: esbuild's context() keeps every key; only build() prunes. See docs/build.md")
    if (this.#call === undefined)
      session.warnOnce(
        'texts are bundled as modules, and no key is pruned: a plugin with an asynchronous setup hides ' +
          'whether esbuild runs build() or context(). Move this plugin to the start of `plugins`',
      )
    this.#broken = loaded.diagnostics.filter(({ severity }) => severity === 'error')
  }

  async #loadManifest(): Promise<OnLoadResult> {
    const state = await this.input.session.ready()
    const how = { chunkAddresses: await this.#texts?.addresses(state) }
    const { generateModule } = await import('../../generate.ts')
    const { code, files } = await generateModule(state, { kind: 'manifest' }, undefined, how)
    const watchDirs = await foldersBelow(state.loaded.files.patterns.bases)
    return { contents: code, loader: 'js', resolveDir: this.#root, watchDirs, watchFiles: [...files] }
  }

  /**
   * Completes and checks the output. Returns the errors. Never throws, because the output is already on disk and must
   * be searched for secrets in any case.
   */
  async #finish(result: BuildResult): Promise<string[]> {
    const errors: string[] = []
    const { metafile } = result
    const isComplete = this.#texts && metafile && result.errors.length === 0
    const noted = (error: unknown) => void errors.push(messageOf(error))
    const made = isComplete ? await this.#texts?.finish({ ...result, metafile }).catch(noted) : undefined
    try {
      checkNotEmpty(NULL_SPELLING, modulesOf(this.input.name, result))
    } catch (error) {
      noted(error)
    }
    const folder = this.#texts && toPosix(this.#texts.outputFolder)
    const files = this.#filesOf(result, made !== undefined)
    const isWritten = result.outputFiles === undefined
    const found = await checkOutput(this.input.session, {
      root: this.#root,
      files,
      made: made ?? [],
      folder,
      isWritten,
    })
    return [...errors, ...found.map(messageOf)]
  }

  /** @param isFinished true if the placeholders in the scripts were replaced */
  #filesOf({ outputFiles, metafile }: BuildResult, isFinished: boolean): BuiltFile[] {
    const place = (name: string) => {
      const path = resolve(this.#root, name)
      const isScript = isFinished && this.#texts?.isScript(toPosix(relative(this.#root, path)))
      return { name, path: toPosix(path), isScript: isScript === true }
    }
    if (outputFiles) return outputFiles.map(({ path, contents }) => ({ ...place(path), content: () => contents }))
    const names = Object.keys(metafile?.outputs ?? {})
    return names.map((name) => ({ ...place(name), content: () => readFile(resolve(this.#root, name)) }))
  }
}

/** Returns this plugin's modules. unplugin uses the plugin's name as their namespace. */
function modulesOf(name: string, { metafile }: BuildResult): BuiltModule[] {
  const inputs = Object.entries(metafile?.inputs ?? {})
  return inputs.map(([path, { bytes }]) => ({ id: path.slice(name.length + 1), size: bytes }))
}

/** Returns the folders and all of their subfolders, because esbuild does not watch folders recursively. */
async function foldersBelow(bases: readonly string[]): Promise<string[]> {
  const below = await Promise.all(
    bases.map(async (base) => {
      // A missing folder is also watched, so that its creation is detected.
      const entries = await readdir(base, { withFileTypes: true, recursive: true }).catch(() => [])
      return entries
        .filter((entry) => entry.isDirectory() && !/[\\/](?:\.|node_modules)/.test(entry.parentPath.slice(base.length)))
        .map((entry) => join(entry.parentPath, entry.name))
    }),
  )
  return [...bases, ...below.flat()]
}
