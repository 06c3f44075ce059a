/** Prebuilt chunks in webpack and Rspack: assets that are addressed through the public path. */

import { posix } from 'node:path'
import type { Chunk, Compilation, Compiler, Module } from 'webpack'
import type { ResolvedConfig } from '../../../config/types.ts'
import { NULL_SPELLING } from '../../../output/ids.ts'
import type { ChunkExtension } from '../../../output/prebuilt-chunks.ts'
import { addressesExpression, type PrebuiltChunks } from '../../../output/prebuilt-chunks.ts'
import type { ModuleUsage } from '../../../usage/model.ts'
import type { AdapterInput, TextPlace } from '../../bundler-adapter.ts'
import { wantsPerChunk } from '../../per-chunk-messages.ts'
import type { LoadedState } from '../../state.ts'
import { ADDRESSES_AT_RUNTIME, createPerChunkRuntime, planChunks } from './per-chunk-messages.ts'

type FirstVersions = Readonly<Record<'webpack' | 'rspack', readonly [major: number, minor: number]>>

/** The first tested versions whose ES module output for Node can resolve its own address (`__webpack_base_uri__`). */
const FIRST_WITH_BASE: FirstVersions = { webpack: [5, 112], rspack: [1, 7] }

/** The first tested versions whose `modern-module` libraries import their chunks by name. */
const FIRST_WITH_CHUNK_IMPORTS: FirstVersions = { webpack: [5, 112], rspack: [2, 2] }

/** A `modern-module` library imports its chunks with `import`, without the bundler's chunk loader. */
const MODERN_MODULE = 'modern-module'

/** Libraries in a single file, and libraries whose chunk imports no other bundler can follow. */
const LIBRARY_TYPES = /^(?:modern-module|module|commonjs.*|umd2?|amd|amd-require)$/

function textPlaceOf(
  compiler: Compiler,
  { config: { library }, isTargetEdition }: Pick<CompilationTextsInput, 'config' | 'isTargetEdition'>,
): TextPlace {
  const { output, entry, externalsPresets } = compiler.options
  const entries = typeof entry === 'function' ? [] : Object.values(entry)
  const types = [output.library, ...entries.map((one) => one.library)].flatMap((one) => one?.type ?? [])
  // Node runs such an output directly. Pages load other types (`var`, `system`) through the public path.
  const isDetected = externalsPresets.node !== true && types.some((type) => LIBRARY_TYPES.test(type))
  if (library ?? isDetected) {
    const canImportChunks = types.every((type) => type === MODERN_MODULE) && isSince(compiler, FIRST_WITH_CHUNK_IMPORTS)
    return canImportChunks ? 'chunks' : 'inline'
  }
  if (library === undefined && externalsPresets.node !== true && isOneFile(compiler)) return 'inline'
  // Message files are ES modules and need `import()`. The bundler's own chunks follow its `target`.
  if (isBeforeImports(compiler, isTargetEdition)) return 'chunks'
  const isModuleForNode = externalsPresets.node === true && output.module === true
  return isModuleForNode && !isSince(compiler, FIRST_WITH_BASE) ? 'chunks' : 'files'
}

/** True if the output has no lazy chunks. It may be opened from disk, where nothing can be fetched. */
function isOneFile({ options }: Compiler): boolean {
  const { output, plugins, module } = options
  const { dynamicImportMode } = module.parser.javascript ?? {}
  return (
    dynamicImportMode === 'eager' ||
    (output as { readonly asyncChunks?: boolean }).asyncChunks === false ||
    plugins.some((plugin) => plugin && chunkLimitOf(plugin) === 1)
  )
}

function chunkLimitOf(plugin: object): number | undefined {
  if (plugin.constructor.name !== 'LimitChunkCountPlugin') return undefined
  // Rspack stores the arguments of its built-in plugins in `_args`.
  const { options, _args = [] } = plugin as { options?: ChunkLimit; _args?: readonly ChunkLimit[] }
  return (options ?? _args[0])?.maxChunks
}

interface ChunkLimit {
  readonly maxChunks?: number
}

type Environment = NonNullable<Compiler['options']['output']['environment']>

/**
 * The browser features of the target. Features that the target does not mention count as supported, like in the
 * bundlers.
 */
function isBeforeImports(compiler: Compiler, isTargetEdition = false): boolean {
  const { dynamicImport, module } = compiler.options.output.environment ?? {}
  return module === false || (isTargetEdition ? isBeforeBaseline(compiler) : dynamicImport === false)
}

/** Newer syntax of the runtime. Without `const`: Rsbuild always turns it off, because `var` is faster. */
const SYNTAX: readonly (keyof Environment)[] = [
  'arrowFunction',
  'asyncFunction',
  'destructuring',
  'forOf',
  'templateLiteral',
]

function isBeforeBaseline({ options }: Compiler): boolean {
  return SYNTAX.some((name) => options.output.environment?.[name] === false)
}

/** True if the bundler's runtime loads the output's chunks, and so can wait for the texts of a chunk. */
function hasChunkLoader({ options }: Pick<Compiler, 'options'>): boolean {
  return options.output.enabledLibraryTypes?.includes(MODERN_MODULE) !== true
}

interface MessageFolder {
  /** Relative to the output folder. */
  readonly folder: string
  readonly extension: ChunkExtension
  /** The expression that gives the folder's address. */
  readonly base: string
}

function messageFolderOf({ options }: Pick<Compiler, 'options'>): MessageFolder {
  const { chunkFilename } = options.output
  const beside = typeof chunkFilename === 'string' ? posix.dirname(chunkFilename) : '.'
  const folder = posix.join(beside.includes('[') ? '.' : beside, 'localization')
  const isForNode = options.externalsPresets.node === true
  // In Node, the public path is an address for browsers. Any script can `import()` an absolute URL.
  const path = `${isForNode ? '' : '__webpack_public_path__ + '}${JSON.stringify(`${folder}/`)}`
  return { folder, extension: isForNode ? '.mjs' : '.js', base: `new URL(${path}, __webpack_base_uri__).href` }
}

function isSince({ webpack }: Compiler, first: FirstVersions): boolean {
  const { rspackVersion } = webpack as { rspackVersion?: string }
  const [major = 0, minor = 0] = (rspackVersion ?? webpack.version).split('.').map(Number)
  const [firstMajor, firstMinor] = first[rspackVersion === undefined ? 'webpack' : 'rspack']
  return major > firstMajor || (major === firstMajor && minor >= firstMinor)
}

/** This plugin's modules as webpack and Rspack spell them in a module's path. */
const MANIFEST = encodeURIComponent(NULL_SPELLING.format({ kind: 'manifest' }))
const OWN = MANIFEST.slice(0, MANIFEST.indexOf('manifest'))
const MESSAGES = `${OWN}namespace`

/** After other plugins, which may still add modules in the same hook. */
const LAST_STAGE = 10_000

interface CompilationTextsInput extends Pick<AdapterInput, 'name' | 'session' | 'isTargetEdition'> {
  readonly config: Pick<ResolvedConfig, 'library'>
}

interface PerChunkTexts {
  readonly state: LoadedState
  readonly prebuilt: PrebuiltChunks
  readonly chunks: readonly Chunk[]
}

/** The texts of a compiler's consecutive compilations. */
export class CompilationTexts {
  readonly place: TextPlace
  /** True if modules are generated as ES5, because the bundler does not compile them. */
  readonly isEs5: boolean
  /** The folder of the message files, as the manifest addresses it. */
  readonly filesAt: MessageFolder
  /** True if texts may be loaded with the chunks that use them. */
  readonly canSplit: boolean
  readonly #compiler: Compiler
  readonly #input: CompilationTextsInput
  #used: LoadedState | undefined
  #usages: readonly (readonly [string, ModuleUsage])[] = []
  #perChunk: PerChunkTexts | undefined
  #isManifestImported = false
  #made: string[] = []
  #compilation: Compilation | undefined

  constructor(compiler: Compiler, input: CompilationTextsInput) {
    this.#compiler = compiler
    this.#input = input
    this.place = textPlaceOf(compiler, input)
    this.isEs5 = isBeforeBaseline(compiler)
    this.filesAt = messageFolderOf(compiler)
    this.canSplit = this.place === 'files' && hasChunkLoader(compiler)
    // The last hook in which Rspack can rebuild a module. Child compilers inherit it.
    const finished = (compilation: Compilation) =>
      compilation === this.#compilation ? this.#prune(compilation) : Promise.resolve()
    compiler.hooks.finishMake.tapPromise({ name: input.name, stage: LAST_STAGE }, finished)
  }

  /** Paths of the compilation's message files, relative to the output folder. */
  get made(): readonly string[] {
    return this.#made
  }

  /** The texts that the code uses; `undefined` while unknown, and without `prune`. */
  get used(): LoadedState | undefined {
    return this.#used
  }

  /** Hooks into a new compilation. */
  tap(compilation: Compilation): void {
    const { name } = this.#input
    this.#used = undefined
    this.#perChunk = undefined
    this.#isManifestImported = false
    this.#made = []
    this.#compilation = compilation
    const { hooks } = compilation
    // Chunks have their modules here, and modules are not concatenated yet.
    hooks.optimizeTree.tapPromise(name, () => this.#split(compilation))
    hooks.additionalTreeRuntimeRequirements.tap(name, (chunk) => {
      const { prebuilt, chunks } = this.#perChunk ?? {}
      if (prebuilt && chunks)
        compilation.addRuntimeModule(chunk, createPerChunkRuntime(this.#compiler, prebuilt, chunks))
    })
    const stage = this.#compiler.webpack.Compilation.PROCESS_ASSETS_STAGE_ADDITIONAL
    hooks.processAssets.tapPromise({ name, stage }, () => this.#emit(compilation))
  }

  /** The addresses in the manifest if texts are files. They have no hashes until the used keys are known. */
  async addresses(state: LoadedState): Promise<string | undefined> {
    if (this.place !== 'files') return undefined
    const { extension, base } = this.filesAt
    const comment = '/* webpackIgnore: true */ '
    if (this.canSplit && wantsPerChunk(state.config))
      return addressesExpression({ extension, hashes: '', base, comment, perChunk: ADDRESSES_AT_RUNTIME })
    const known = this.#used ?? (state.config.prune === false ? state : undefined)
    const hashes = known ? (await known.prebuilt(extension)).hashes : ''
    return addressesExpression({ extension, hashes, base, comment })
  }

  async #prune(compilation: Compilation): Promise<void> {
    const own = [...ownModulesIn(compilation)]
    // Checked before modules are concatenated: then the manifest becomes part of another module.
    this.#isManifestImported = this.place === 'files' && own.some(([id]) => id === MANIFEST)
    const { config } = await this.#input.session.ready()
    const withTexts = own.filter(([id]) => id === MANIFEST || id.startsWith(MESSAGES)).map(([, module]) => module)
    if (withTexts.length === 0 || config.prune === false) return
    this.#usages = await this.#usagesIn(compilation)
    this.#used = await this.#input.session.prune(this.#usages)
    // These modules were built before the used keys were known, or come from a cache.
    await Promise.all(withTexts.map((module) => rebuild(compilation, module)))
  }

  async #split(compilation: Compilation): Promise<void> {
    const { session } = this.#input
    const { config } = await session.ready()
    if (!this.#isManifestImported || !this.canSplit || !wantsPerChunk(config)) return
    const { plan, chunks } = planChunks(compilation)
    const state = await session.prune(this.#usages, plan)
    this.#perChunk = { state, prebuilt: await state.prebuilt(this.filesAt.extension), chunks }
  }

  async #emit(compilation: Compilation): Promise<void> {
    if (!this.#isManifestImported) return
    const { prebuilt } = this.#perChunk?.state ?? this.#used ?? (await this.#input.session.ready())
    const { RawSource } = this.#compiler.webpack.sources
    const { folder, extension } = this.filesAt
    for (const file of (await prebuilt(extension)).files) {
      const name = `${folder}/${file.name}`
      this.#made.push(name)
      // No `contenthash`: webpack would rename the file.
      const info = { immutable: true, minimized: true, javascriptModule: true }
      compilation.emitAsset(name, new RawSource(file.module.bytes), info)
    }
  }

  /** Reads from the compiler's file system, which includes the virtual files of plugins. */
  readonly #readFile = (path: string) =>
    new Promise<string | undefined>((resolve) => {
      const { inputFileSystem } = this.#compiler
      if (!inputFileSystem) return resolve(undefined)
      inputFileSystem.readFile(path, (_error, content) => resolve(content?.toString()))
    })

  /** Reads the parsed code of every module: no loader runs for a cached module. */
  async #usagesIn({ modules }: Compilation): Promise<(readonly [string, ModuleUsage])[]> {
    const usages: (readonly [string, ModuleUsage])[] = []
    for (const module of modules) {
      const { resource } = module as { resource?: unknown }
      if (typeof resource !== 'string' || resource.includes(OWN) || !/^(?:javascript|json)/.test(module.type)) continue
      const code = module.originalSource()?.source()
      const usage =
        code === undefined ? undefined : await this.#input.session.analyze(code.toString(), resource, this.#readFile)
      if (usage) usages.push([resource, usage])
    }
    return usages
  }
}

/** This plugin's modules, by the encoded end of their path. */
function* ownModulesIn({ modules }: Compilation): Iterable<readonly [id: string, module: Module]> {
  for (const module of modules) {
    const { resource } = module as { resource?: unknown }
    const at = typeof resource === 'string' ? resource.lastIndexOf(OWN) : -1
    if (at !== -1) yield [(resource as string).slice(at), module]
  }
}

function rebuild(compilation: Compilation, module: Module): Promise<void> {
  return new Promise((resolve, reject) => {
    compilation.rebuildModule(module, (error) => (error ? reject(error) : resolve()))
  })
}
