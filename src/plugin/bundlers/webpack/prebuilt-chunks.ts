/** Prebuilt chunks in webpack and Rspack: assets that are added when all modules are built, addressed through the public path. */
import { posix } from 'node:path'
import type { Compilation, Compiler, Module } from 'webpack'
import type { ResolvedConfig } from '../../../config/types.ts'
import { NULL_SPELLING } from '../../../output/ids.ts'
import { addressesExpression, type ChunkExtension, type PrebuiltChunks } from '../../../output/prebuilt-chunks.ts'
import type { ModuleUsage } from '../../../usage/model.ts'
import type { HostInput, TextPlace } from '../../bundler-adapter.ts'
import { wantsPerChunk } from '../../per-chunk-messages.ts'
import type { Session } from '../../session.ts'
import type { LoadedState } from '../../state.ts'
import {
  ADDRESSES_AT_RUNTIME,
  type ChunkNames,
  codeChunks,
  createChunkNames,
  createPerChunkRuntime,
} from './per-chunk-messages.ts'

interface ChunkPlace {
  /** Below the output folder. */
  readonly folder: string
  readonly extension: ChunkExtension
  /** The expression of the folder's address. */
  readonly base: string
}

function chunkPlaceOf({ options }: Pick<Compiler, 'options'>): ChunkPlace {
  const { chunkFilename } = options.output
  const beside = typeof chunkFilename === 'string' ? posix.dirname(chunkFilename) : '.'
  const folder = posix.join(beside.includes('[') ? '.' : beside, 'localization')
  const isForNode = options.externalsPresets.node === true
  // Node's public path is where a browser would look. `import()` of an address takes whole ones from any kind of script.
  const path = `${isForNode ? '' : '__webpack_public_path__ + '}${JSON.stringify(`${folder}/`)}`
  return { folder, extension: isForNode ? '.mjs' : '.js', base: `new URL(${path}, __webpack_base_uri__).href` }
}

type FirstVersions = Readonly<Record<'webpack' | 'rspack', readonly [major: number, minor: number]>>

/** The first versions whose ES module output for Node knows where it is (`__webpack_base_uri__`), as far as it was tried. */
const FIRST_WITH_BASE: FirstVersions = { webpack: [5, 112], rspack: [1, 7] }

/** The first versions whose `modern-module` libraries import their chunks by name, as far as it was tried. */
const FIRST_WITH_CHUNK_IMPORTS: FirstVersions = { webpack: [5, 112], rspack: [2, 2] }

function isSince({ webpack }: Compiler, first: FirstVersions): boolean {
  const { rspackVersion } = webpack as { rspackVersion?: string }
  const [major = 0, minor = 0] = (rspackVersion ?? webpack.version).split('.').map(Number)
  const [firstMajor, firstMinor] = first[rspackVersion === undefined ? 'webpack' : 'rspack']
  return major > firstMajor || (major === firstMajor && minor >= firstMinor)
}

/** Libraries that are one file, or import their chunks by addresses that no other bundler can follow. */
const LIBRARY_TYPES = /^(?:module|commonjs.*|umd2?|amd|amd-require)$/

function placeOf(compiler: Compiler, { library }: Pick<ResolvedConfig, 'library'>): TextPlace {
  const { output, entry, externalsPresets } = compiler.options
  const entries = typeof entry === 'function' ? [] : Object.values(entry)
  const types = [output.library, ...entries.map((one) => one.library)].flatMap((one) => one?.type ?? [])
  const hasChunkImports = (type: string) => type === 'modern-module'
  // Node runs such an output as it is. What a page loads by its own address (`var`, `system`, ...) has a public path.
  const isDetected = !externalsPresets.node && types.some((type) => hasChunkImports(type) || LIBRARY_TYPES.test(type))
  if (library ?? isDetected)
    return types.every(hasChunkImports) && isSince(compiler, FIRST_WITH_CHUNK_IMPORTS) ? 'chunks' : 'inline'
  return hasPlaceForFiles(compiler) ? 'files' : 'chunks'
}

function hasPlaceForFiles(compiler: Compiler): boolean {
  const { externalsPresets, output } = compiler.options
  return externalsPresets.node !== true || output.module !== true || isSince(compiler, FIRST_WITH_BASE)
}

/** As bundlers spell our modules in a module's path. */
const MANIFEST = encodeURIComponent(NULL_SPELLING.format({ kind: 'manifest' }))
const OWN = MANIFEST.slice(0, MANIFEST.indexOf('manifest'))
const MESSAGES = `${OWN}namespace`

/** A module library imports its chunks by itself, past the bundler's loader. */
function hasChunkLoader({ options }: Pick<Compiler, 'options'>): boolean {
  return options.output.enabledLibraryTypes?.includes('modern-module') !== true
}

export interface WebpackPrebuilt {
  readonly place: TextPlace
  /** Where files of texts are, as the manifest addresses them. */
  readonly filesAt: ChunkPlace
  /** Texts may come with chunks. */
  readonly hasPerChunk: boolean
  /** A compilation begins. */
  tap(compilation: Compilation): void
  /** Message files of this compilation, below the output folder. */
  made(): readonly string[]
  /** The manifest's addresses, where texts are files; without hashes until it is known what the modules use. */
  addresses(state: LoadedState): Promise<string | undefined>
  /** What the modules of messages hold, once it is known what the code uses. */
  used(): LoadedState | undefined
}

export interface WebpackPrebuiltInput extends Pick<HostInput, 'name' | 'session'> {
  readonly config: Pick<ResolvedConfig, 'library'>
}

export function createWebpackPrebuilt(
  compiler: Compiler,
  { name, session, config }: WebpackPrebuiltInput,
): WebpackPrebuilt {
  const place = placeOf(compiler, config)
  const filesAt = chunkPlaceOf(compiler)
  const { folder, extension, base } = filesAt
  const { Compilation: constants, sources } = compiler.webpack
  const hasPerChunk = place === 'files' && hasChunkLoader(compiler)
  let pruned: LoadedState | undefined
  // Looked for before modules are concatenated: the manifest is a part of another one then.
  let isImported = false
  let made: string[] = []
  /** What comes with chunks is known when there are chunks. */
  let perChunk:
    | { readonly state: LoadedState; readonly prebuilt: PrebuiltChunks; readonly names: ChunkNames }
    | undefined
  let usages: [string, ModuleUsage][] = []

  const prune = async (compilation: Compilation) => {
    const own = [...ownModulesIn(compilation)]
    isImported = place === 'files' && own.some(([id]) => id === MANIFEST)
    const { config } = await session.ready()
    const made = own.filter(([id]) => id === MANIFEST || id.startsWith(MESSAGES)).map(([, module]) => module)
    if (made.length === 0 || config.prune === false) return
    usages = await usagesIn(compilation, session)
    pruned = await session.prune(usages)
    // Made before the modules that they are about: once more, and from a cache as well.
    await Promise.all(made.map((module) => rebuild(compilation, module)))
  }

  const part = async (compilation: Compilation) => {
    const { config } = await session.ready()
    if (!isImported || !hasPerChunk || !wantsPerChunk(config)) return
    const names = createChunkNames()
    const state = await session.prune(usages, codeChunks(compilation, names))
    perChunk = { state, prebuilt: await state.prebuilt(extension), names }
  }

  const emit = async (compilation: Compilation) => {
    if (!isImported) return
    const { prebuilt } = perChunk?.state ?? pruned ?? (await session.ready())
    for (const file of (await prebuilt(extension)).files) {
      made.push(`${folder}/${file.name}`)
      // No `contenthash`: webpack would name the file anew.
      compilation.emitAsset(`${folder}/${file.name}`, new sources.RawSource(file.module.bytes), {
        immutable: true,
        minimized: true,
        javascriptModule: true,
      })
    }
  }

  return {
    place,
    filesAt,
    hasPerChunk,
    tap(compilation) {
      if (session.command === 'dev') return
      pruned = undefined
      isImported = false
      made = []
      perChunk = undefined
      compilation.hooks.finishModules.tapPromise({ name, stage: -1 }, () => prune(compilation))
      // Chunks have their modules, and those are not yet put together.
      compilation.hooks.optimizeTree.tapPromise(name, () => part(compilation))
      compilation.hooks.additionalTreeRuntimeRequirements.tap(name, (chunk) => {
        if (perChunk)
          compilation.addRuntimeModule(chunk, createPerChunkRuntime(compiler, perChunk.prebuilt, perChunk.names))
      })
      const stage = constants.PROCESS_ASSETS_STAGE_ADDITIONAL
      compilation.hooks.processAssets.tapPromise({ name, stage }, () => emit(compilation))
    },
    made: () => made,
    used: () => pruned,
    async addresses(state) {
      if (place !== 'files') return undefined
      const comment = '/* webpackIgnore: true */ '
      if (hasPerChunk && wantsPerChunk(state.config))
        return addressesExpression({ extension, hashes: '', base, comment, perChunk: ADDRESSES_AT_RUNTIME })
      const isKnown = pruned !== undefined || state.config.prune === false
      const { hashes } = isKnown ? await (pruned ?? state).prebuilt(extension) : { hashes: '' }
      return addressesExpression({ extension, hashes, base, comment })
    },
  }
}

/** This plugin's modules by the encoded end of their path. */
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

/** From the code that the bundler has parsed, wherever it took it from: a module that comes from a cache runs through no loader. */
async function usagesIn({ modules }: Compilation, session: Session): Promise<[string, ModuleUsage][]> {
  const usages: [string, ModuleUsage][] = []
  for (const module of modules) {
    const { resource } = module as { resource?: unknown }
    if (typeof resource !== 'string' || resource.includes(OWN) || !module.type.startsWith('javascript')) continue
    const code = module.originalSource()?.source()
    const usage = code === undefined ? undefined : await session.analyze(code.toString(), resource)
    if (usage) usages.push([resource, usage])
  }
  return usages
}
