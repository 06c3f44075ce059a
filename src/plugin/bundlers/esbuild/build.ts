/** One use of the plugin in an esbuild build, from `setup` to the end of each build. */
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { BuildResult, OnLoadResult, PluginBuild } from 'esbuild'
import type { ResolvedConfig } from '../../../config/types.ts'
import { type Diagnostic, formatFinding, messageOf } from '../../../errors.ts'
import { NULL_SPELLING } from '../../../output/ids.ts'
import type { AdapterInput } from '../../bundler-adapter.ts'
import { createConfigNotice } from '../../config-notice.ts'
import { type BuiltModule, checkNotEmpty } from '../../empty-modules.ts'
import { createPerChunkNotice, wantsPerChunk } from '../../per-chunk-messages.ts'
import { isFirstInBuild } from '../../same-configuration.ts'
import { leakError, leaksIn, type OutputFile, removeLeaks } from '../../secret-scan.ts'
import { secretsToFind } from '../../secrets.ts'
import type { LoadedState } from '../../state.ts'
import { createWarnOnce } from '../../warn-once.ts'
import { createOutputTexts, type OutputTexts } from './output-texts.ts'

/**
 * esbuild's `build()` hands its output to plugins before anybody uses it. What a `context()` serves stays in esbuild's
 * own memory: a plugin's changes at the end of a build never reach the browser. No value that a plugin is given tells
 * the two calls apart, but `setup` runs inside the call.
 */
type EsbuildCall = 'build' | 'context'

const FRAME = /^\s*(?:at )?(?:async )?(?:Object\.)?(build|context)(?:@| \().*esbuild/m

/** To be called in `setup`. `undefined`: another plugin's asynchronous `setup` came before. */
function esbuildCall(): EsbuildCall | undefined {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = Number.POSITIVE_INFINITY
  const { stack } = new Error('of this call')
  Error.stackTraceLimit = stackTraceLimit
  return FRAME.exec(String(stack))?.[1] as EsbuildCall | undefined
}

const MANIFEST_FILTER = new RegExp(`${NULL_SPELLING.filter.source}manifest\\.js$`)

export class EsbuildRun {
  readonly #build: PluginBuild
  readonly #input: AdapterInput
  readonly #root: string
  readonly #call: EsbuildCall | undefined
  readonly #texts: OutputTexts | undefined
  readonly #warnOnce: (message: string) => void
  readonly #warnOfChunks: (reason: string) => void
  /** Errors in translation files, reported at the end: before, one would lose the watch and the last output. */
  #broken: readonly Diagnostic[] = []

  /** To be called in `setup`. */
  constructor(build: PluginBuild, input: AdapterInput) {
    const { initialOptions } = build
    this.#build = build
    this.#input = input
    this.#root = initialOptions.absWorkingDir ?? process.cwd()
    this.#call = esbuildCall()
    const { session, logger } = input
    this.#warnOnce = createWarnOnce(logger)
    this.#warnOfChunks = createPerChunkNotice(logger)
    if (this.#call === 'build')
      this.#texts = createOutputTexts({ options: initialOptions, root: this.#root, session, logger })
  }

  /** Whether texts can be put into the output at the end of a build. */
  get canEdit(): boolean {
    return this.#texts !== undefined
  }

  /** Whether `load()` fetches texts from files beside the output. */
  hasFiles(config: ResolvedConfig): boolean {
    return this.#texts?.isFiles(config) ?? false
  }

  setup(): void {
    const build = this.#build
    const { session, name, logger } = this.#input
    const { initialOptions } = build
    session.configure({ root: this.#root, command: 'build' })
    const keepsMetafile = initialOptions.metafile === true
    // The one way to learn which files were written.
    initialOptions.metafile = true
    const watchConfig = createConfigNotice({ session, logger })
    const failure = (text: string) => ({ text, pluginName: name })
    build.onStart(async () => {
      const loading = session.begin({ keepLastGood: true })
      // esbuild does not report whether it watches. Without a watch, the notice ends with the session.
      watchConfig(this.#root)
      return this.#start(loading).then(
        () => null,
        (error: unknown) => ({ errors: [failure(messageOf(error))] }),
      )
    })
    // unplugin's own hook can watch files, not folders, and new files are seen through their folder.
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
    isFirstInBuild(this.#build.initialOptions, this.#input.session, config)
    if (this.#call === 'build' && wantsPerChunk(config)) this.#warnOfChunks('esbuild has no per-chunk messages')
    if (this.#call === 'context' && config.prune !== false)
      this.#warnOnce("prune: esbuild's context() keeps every key; build() prunes. See docs/build.md")
    if (this.#call === undefined)
      this.#warnOnce(
        'texts are modules of the bundle, and no key is pruned: a plugin with an asynchronous setup hides ' +
          'whether esbuild runs build() or context(). Put this plugin first in `plugins`',
      )
    this.#broken = loaded.diagnostics.filter(({ severity }) => severity === 'error')
  }

  async #loadManifest(): Promise<OnLoadResult> {
    const state = await this.#input.session.ready()
    const how = { chunkAddresses: await this.#texts?.addresses(state) }
    const { generateModule } = await import('../../generate.ts')
    const { code, files } = await generateModule(state, { kind: 'manifest' }, undefined, how)
    const watchDirs = await foldersBelow(state.loaded.files.patterns.bases)
    return { contents: code, loader: 'js', resolveDir: this.#root, watchDirs, watchFiles: [...files] }
  }

  /** Returns the build's errors. Throws none: the output is on the disk by now, and must be searched. */
  async #finish(result: BuildResult): Promise<string[]> {
    const errors: string[] = []
    if (result.errors.length === 0)
      await this.#texts?.finish(result).catch((error: unknown) => errors.push(messageOf(error)))
    try {
      checkNotEmpty(NULL_SPELLING, modulesOf(this.#input.name, result))
    } catch (error) {
      errors.push(messageOf(error))
    }
    const secrets = await secretsToFind(this.#input.session)
    const leaks = secrets.length === 0 ? [] : [...leaksIn(await this.#outputFiles(result), secrets)]
    if (leaks[0]) {
      // Here the output is on the disk before a plugin can see it.
      const done = result.outputFiles ? '' : removeLeaks(leaks, (file) => resolve(this.#root, file))
      errors.push(leakError(leaks[0], done).message)
    }
    return errors
  }

  async #outputFiles({ outputFiles, metafile }: BuildResult): Promise<OutputFile[]> {
    if (outputFiles) return outputFiles.map(({ path, contents }) => ({ name: path, content: contents }))
    const names = Object.keys(metafile?.outputs ?? {})
    return Promise.all(names.map(async (name) => ({ name, content: await readFile(resolve(this.#root, name)) })))
  }
}

/** unplugin's namespace is the plugin's name. */
function modulesOf(name: string, { metafile }: BuildResult): BuiltModule[] {
  const inputs = Object.entries(metafile?.inputs ?? {})
  return inputs.map(([path, { bytes }]) => ({ id: path.slice(name.length + 1), size: bytes }))
}

/** The folders and all folders below: esbuild does not look below the folder that it is given. */
async function foldersBelow(bases: readonly string[]): Promise<string[]> {
  const below = await Promise.all(
    bases.map(async (base) => {
      // An absent folder has none below; its appearance is watched for.
      const entries = await readdir(base, { withFileTypes: true, recursive: true }).catch(() => [])
      return entries
        .filter((entry) => entry.isDirectory() && !/[\\/](?:\.|node_modules)/.test(entry.parentPath.slice(base.length)))
        .map((entry) => join(entry.parentPath, entry.name))
    }),
  )
  return [...bases, ...below.flat()]
}
