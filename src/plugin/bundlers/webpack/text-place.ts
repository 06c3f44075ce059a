/** Decides where a webpack or Rspack compiler puts texts. This depends on its target and on the kind of its output. */
import { posix } from 'node:path'
import type { Compiler } from 'webpack'
import type { ResolvedConfig } from '../../../config/types.ts'
import type { ChunkExtension } from '../../../output/prebuilt-chunks.ts'
import type { TextPlace } from '../../bundler-adapter.ts'
import { wantsPerChunk } from '../../per-chunk-messages.ts'

type FirstVersions = Readonly<Record<'webpack' | 'rspack', readonly [major: number, minor: number]>>

/** The first tested versions in which ES modules for Node know their own URL (`__webpack_base_uri__`). */
const FIRST_WITH_BASE: FirstVersions = { webpack: [5, 112], rspack: [1, 7] }

/** The first tested versions in which `modern-module` libraries import their chunks by name. */
const FIRST_WITH_CHUNK_IMPORTS: FirstVersions = { webpack: [5, 112], rspack: [2, 2] }

/** The type of library that imports its chunks with `import()` instead of the bundler's chunk loader. */
const MODERN_MODULE = 'modern-module'

/** Matches library types whose output is a single file, or whose chunk imports other bundlers cannot follow. */
const LIBRARY_TYPES = /^(?:modern-module|module|commonjs.*|umd2?|amd|amd-require)$/

export type CompilerTexts = Readonly<ReturnType<typeof compilerTexts>>

/**
 * Makes the decisions about texts. They depend on the compiler's options, which get their defaults only when the
 * compiler runs.
 */
export function compilerTexts(compiler: Compiler, config: ResolvedConfig, isTargetEdition?: boolean) {
  const place = textPlaceOf(compiler, config, isTargetEdition)
  return {
    place,
    /** True if modules must be generated as ES5, because the bundler does not compile them. */
    isEs5: isBeforeBaseline(compiler),
    filesAt: messageFolderOf(compiler),
    isPruned: config.prune !== false,
    /** True if texts are loaded together with the chunks that use them. */
    isPerChunk: wantsPerChunk(config) && place === 'files' && hasChunkLoader(compiler),
  }
}

function textPlaceOf(
  compiler: Compiler,
  { library }: Pick<ResolvedConfig, 'library'>,
  isTargetEdition: boolean | undefined,
): TextPlace {
  const { output, entry, externalsPresets } = compiler.options
  const entries = typeof entry === 'function' ? [] : Object.values(entry)
  const types = [output.library, ...entries.map((one) => one.library)].flatMap((one) => one?.type ?? [])
  // Outputs for Node run directly. Outputs of type `var` or `system` load texts through the public path.
  const isDetected = externalsPresets.node !== true && types.some((type) => LIBRARY_TYPES.test(type))
  if (library ?? isDetected) {
    const canImportChunks = types.every((type) => type === MODERN_MODULE) && isSince(compiler, FIRST_WITH_CHUNK_IMPORTS)
    return canImportChunks ? 'chunks' : 'inline'
  }
  if (library === undefined && externalsPresets.node !== true && isOneFile(compiler)) return 'inline'
  // Message files are ES modules, so loading them needs `import()`. The bundler's own chunks do not need it, because
  // their format depends on the target.
  if (isBeforeImports(compiler, isTargetEdition)) return 'chunks'
  const isModuleForNode = externalsPresets.node === true && output.module === true
  return isModuleForNode && !isSince(compiler, FIRST_WITH_BASE) ? 'chunks' : 'files'
}

/** Returns true if the output has no lazy chunks. Its page may be opened from disk, where it cannot fetch anything. */
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

type ChunkLimit = { readonly maxChunks?: number }

type Environment = NonNullable<Compiler['options']['output']['environment']>

/**
 * Returns true if the target's browsers lack `import()`. As in the bundlers themselves, a feature counts as supported
 * if the target does not mention it.
 */
function isBeforeImports(compiler: Compiler, isTargetEdition = false): boolean {
  const { dynamicImport, module } = compiler.options.output.environment ?? {}
  return module === false || (isTargetEdition ? isBeforeBaseline(compiler) : dynamicImport === false)
}

/** The newer syntax that the runtime uses. `const` is left out, because Rsbuild always turns it off for speed. */
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

/** Returns true if chunks are loaded by the bundler's runtime, which can wait for a chunk's texts. */
function hasChunkLoader({ options }: Pick<Compiler, 'options'>): boolean {
  return options.output.enabledLibraryTypes?.includes(MODERN_MODULE) !== true
}

/**
 * Returns the folder for message files, relative to the output folder, and the expression for its URL (`base`).
 */
function messageFolderOf({ options }: Pick<Compiler, 'options'>) {
  const { chunkFilename } = options.output
  const beside = typeof chunkFilename === 'string' ? posix.dirname(chunkFilename) : '.'
  const folder = posix.join(beside.includes('[') ? '.' : beside, 'localization')
  const isForNode = options.externalsPresets.node === true
  // Any script can `import()` an absolute URL. In Node, the URL does not contain the public path, which is for
  // browsers.
  const path = `${isForNode ? '' : '__webpack_public_path__ + '}${JSON.stringify(`${folder}/`)}`
  const extension: ChunkExtension = isForNode ? '.mjs' : '.js'
  return { folder, extension, base: `new URL(${path}, __webpack_base_uri__).href` }
}

function isSince({ webpack }: Compiler, first: FirstVersions): boolean {
  const { rspackVersion } = webpack as { rspackVersion?: string }
  const [major = 0, minor = 0] = (rspackVersion ?? webpack.version).split('.').map(Number)
  const [firstMajor, firstMinor] = first[rspackVersion === undefined ? 'webpack' : 'rspack']
  return major > firstMajor || (major === firstMajor && minor >= firstMinor)
}
