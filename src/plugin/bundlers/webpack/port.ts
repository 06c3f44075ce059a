/**
 * The port for one compilation of webpack or Rspack. Message files are assets, which pages load through the public
 * path.
 */
import type { Chunk, Compilation, Compiler, Module } from 'webpack'
import { NULL_SPELLING } from '../../../output/ids.ts'
import type { ChunkExtension, PrebuiltChunk, PrebuiltChunks } from '../../../output/prebuilt-chunks.ts'
import type { ModuleUsage } from '../../../usage/model.ts'
import type { CodePlan } from '../../../usage/parts.ts'
import type { AdapterInput, TextPlace } from '../../bundler-adapter.ts'
import { addressesIn, type OutputPort, OutputTexts } from '../../output-texts.ts'
import type { LoadedState } from '../../state.ts'
import { ADDRESSES_AT_RUNTIME, createPerChunkRuntime, planChunks, resourceOf } from './per-chunk-messages.ts'
import type { CompilerTexts } from './text-place.ts'

/** The encoded ids of this plugin's modules, as they occur in the paths of modules. */
const MANIFEST = encodeURIComponent(NULL_SPELLING.format({ kind: 'manifest' }))
const OWN = MANIFEST.slice(0, MANIFEST.indexOf('manifest'))
const MESSAGES = `${OWN}namespace`

export class WebpackPort implements OutputPort {
  readonly place: TextPlace
  readonly isOneFile = false
  readonly extension: ChunkExtension
  readonly comment = '/* webpackIgnore: true */ '
  /** The emitted message files. Paths are relative to the output folder. */
  readonly made: string[] = []
  readonly #texts: OutputTexts
  readonly #analyze: (code: string, path: string) => Promise<ModuleUsage | undefined>
  #usages: Promise<readonly (readonly [string, ModuleUsage])[]> | undefined
  #used: LoadedState | undefined
  #isManifestImported = false
  #chunks: readonly Chunk[] = []
  /** The message files of a build with `prune.perChunk`. Set when the chunks are known. */
  #perChunk: PrebuiltChunks | undefined

  constructor(
    private readonly compiler: Compiler,
    readonly compilation: Compilation,
    private readonly own: CompilerTexts,
    input: AdapterInput,
  ) {
    const { name, session } = input
    this.place = own.place
    this.extension = own.filesAt.extension
    this.#texts = new OutputTexts(input, () => this.#modules())
    this.#analyze = (code, path) => session.analyze(code, path, (file) => readFrom(compiler, file))
    const { hooks } = compilation
    // When this hook runs, chunks already have their modules, and modules have not been concatenated yet.
    hooks.optimizeTree.tapPromise(name, () => this.#split())
    hooks.additionalTreeRuntimeRequirements.tap(name, (chunk) => {
      if (this.#perChunk)
        compilation.addRuntimeModule(chunk, createPerChunkRuntime(compiler, this.#perChunk, this.#chunks))
    })
    const stage = compiler.webpack.Compilation.PROCESS_ASSETS_STAGE_ADDITIONAL
    hooks.processAssets.tapPromise({ name, stage }, async () => {
      if (this.#isManifestImported) await this.#texts.emit(this)
    })
  }

  /** The texts that the code uses. `undefined` if `prune` is off, and until the used texts are known. */
  get used(): LoadedState | undefined {
    return this.#used
  }

  chunks(): CodePlan {
    const { plan, chunks } = planChunks(this.compilation)
    this.#chunks = chunks
    return plan
  }

  perChunk(): string | undefined {
    return this.own.isPerChunk ? ADDRESSES_AT_RUNTIME : undefined
  }

  baseIn(): string {
    return this.own.filesAt.base
  }

  emit(files: readonly PrebuiltChunk[]): void {
    const { RawSource } = this.compiler.webpack.sources
    for (const file of files) {
      const name = `${this.own.filesAt.folder}/${file.name}`
      this.made.push(name)
      // `contenthash` is left unset, because setting it would make webpack rename the file.
      const info = file.name.endsWith('.json') ? {} : { immutable: true, minimized: true, javascriptModule: true }
      this.compilation.emitAsset(name, new RawSource(file.module.bytes), info)
    }
  }

  /**
   * Returns the expression for the manifest's addresses, or `undefined` if texts are not in files. The expression has
   * no hashes until the used keys are known.
   */
  async addresses(state: LoadedState): Promise<string | undefined> {
    if (this.place !== 'files') return undefined
    const known = this.#used ?? (state.config.prune === false ? state : undefined)
    return addressesIn(this, MANIFEST, this.own.isPerChunk ? undefined : known)
  }

  /**
   * Rebuilds the modules that contain texts, so that they contain only the used ones. Must be called when all modules
   * have been built. The modules have no placeholders, because chunks with placeholders would keep their names when
   * their texts change.
   */
  async prune(): Promise<void> {
    const own = [...ownModulesIn(this.compilation)]
    // Checked before concatenation, which makes the manifest part of another module.
    this.#isManifestImported = own.some(([id]) => id === MANIFEST)
    const withTexts = own.filter(([id]) => id === MANIFEST || id.startsWith(MESSAGES)).map(([, module]) => module)
    if (withTexts.length === 0 || !this.own.isPruned) return
    this.#used = await this.#texts.used()
    // These modules were built before the used keys were known, or come from a cache.
    await Promise.all(withTexts.map((module) => rebuild(this.compilation, module)))
  }

  async #split(): Promise<void> {
    if (!this.#isManifestImported || !this.own.isPerChunk) return
    const { prebuilt } = await this.#texts.of(this)
    this.#perChunk = await prebuilt(this.extension)
  }

  /**
   * Returns what each module uses. Analyzes all modules once. A loader could not do this, because no loader runs for a
   * module from the cache.
   */
  #modules(): Promise<readonly (readonly [string, ModuleUsage])[]> {
    this.#usages ??= usagesIn(this.compilation, this.#analyze)
    return this.#usages
  }
}

async function usagesIn(
  { modules }: Compilation,
  analyze: (code: string, path: string) => Promise<ModuleUsage | undefined>,
): Promise<(readonly [string, ModuleUsage])[]> {
  const usages: (readonly [string, ModuleUsage])[] = []
  for (const module of modules) {
    const resource = resourceOf(module)
    if (resource === undefined || resource.includes(OWN) || !/^(?:javascript|json)/.test(module.type)) continue
    const code = module.originalSource()?.source()
    const usage = code === undefined ? undefined : await analyze(code.toString(), resource)
    if (usage) usages.push([resource, usage])
  }
  return usages
}

/** Reads from the compiler's file system, which also contains the virtual files of other plugins. */
function readFrom({ inputFileSystem }: Compiler, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    if (!inputFileSystem) return resolve(undefined)
    inputFileSystem.readFile(path, (_error, content) => resolve(content?.toString()))
  })
}

/** Returns this plugin's modules. The id is the encoded part at the end of the module's path. */
export function* ownModulesIn({ modules }: Compilation): Iterable<readonly [id: string, module: Module]> {
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
