/** Where an output of webpack or Rspack has its texts. */
import { posix } from 'node:path'
import type { Compiler } from 'webpack'
import type { ResolvedConfig } from '../../../config/types.ts'
import type { ChunkExtension } from '../../../output/prebuilt-chunks.ts'
import type { TextPlace } from '../../bundler-adapter.ts'

type FirstVersions = Readonly<Record<'webpack' | 'rspack', readonly [major: number, minor: number]>>

/** The first tested versions whose ES module output for Node knows its own address (`__webpack_base_uri__`). */
const FIRST_WITH_BASE: FirstVersions = { webpack: [5, 112], rspack: [1, 7] }

/** The first tested versions whose `modern-module` libraries import their chunks by name. */
const FIRST_WITH_CHUNK_IMPORTS: FirstVersions = { webpack: [5, 112], rspack: [2, 2] }

/** A module library imports its chunks by itself, past the bundler's chunk loader. */
const MODERN_MODULE = 'modern-module'

/** Libraries that are one file, or import their chunks by addresses that no other bundler can follow. */
const LIBRARY_TYPES = /^(?:modern-module|module|commonjs.*|umd2?|amd|amd-require)$/

export function textPlaceOf(compiler: Compiler, { library }: Pick<ResolvedConfig, 'library'>): TextPlace {
  const { output, entry, externalsPresets } = compiler.options
  const entries = typeof entry === 'function' ? [] : Object.values(entry)
  const types = [output.library, ...entries.map((one) => one.library)].flatMap((one) => one?.type ?? [])
  // Node runs such an output as it is. A page loads other types (`var`, `system`) through the public path.
  const isDetected = externalsPresets.node !== true && types.some((type) => LIBRARY_TYPES.test(type))
  if (library ?? isDetected) {
    const canImportChunks = types.every((type) => type === MODERN_MODULE) && isSince(compiler, FIRST_WITH_CHUNK_IMPORTS)
    return canImportChunks ? 'chunks' : 'inline'
  }
  const isModuleForNode = externalsPresets.node === true && output.module === true
  return isModuleForNode && !isSince(compiler, FIRST_WITH_BASE) ? 'chunks' : 'files'
}

/** Whether the bundler's runtime loads the output's chunks: it can wait for the texts of a chunk. */
export function hasChunkLoader({ options }: Pick<Compiler, 'options'>): boolean {
  return options.output.enabledLibraryTypes?.includes(MODERN_MODULE) !== true
}

export interface MessageFolder {
  /** Below the output folder. */
  readonly folder: string
  readonly extension: ChunkExtension
  /** The expression of the folder's address. */
  readonly base: string
}

export function messageFolderOf({ options }: Pick<Compiler, 'options'>): MessageFolder {
  const { chunkFilename } = options.output
  const beside = typeof chunkFilename === 'string' ? posix.dirname(chunkFilename) : '.'
  const folder = posix.join(beside.includes('[') ? '.' : beside, 'localization')
  const isForNode = options.externalsPresets.node === true
  // Node's public path is an address for browsers. A script of any kind can `import()` a whole address.
  const path = `${isForNode ? '' : '__webpack_public_path__ + '}${JSON.stringify(`${folder}/`)}`
  return { folder, extension: isForNode ? '.mjs' : '.js', base: `new URL(${path}, __webpack_base_uri__).href` }
}

function isSince({ webpack }: Compiler, first: FirstVersions): boolean {
  const { rspackVersion } = webpack as { rspackVersion?: string }
  const [major = 0, minor = 0] = (rspackVersion ?? webpack.version).split('.').map(Number)
  const [firstMajor, firstMinor] = first[rspackVersion === undefined ? 'webpack' : 'rspack']
  return major > firstMajor || (major === firstMajor && minor >= firstMinor)
}
