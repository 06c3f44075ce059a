/** Late files in webpack and Rspack: assets that are added when all modules are built, addressed through the public path. */
import { posix } from 'node:path'
import type { Compilation, Compiler } from 'webpack'
import { NULL_SPELLING } from '../../modules/ids.ts'
import type { LateExtension } from '../../modules/late.ts'
import type { HostInput } from '../host.ts'

export interface LatePlace {
  /** Below the output folder. */
  readonly folder: string
  readonly extension: LateExtension
  /** The expression of the folder's address. */
  readonly base: string
}

export function webpackLatePlace({ options }: Pick<Compiler, 'options'>): LatePlace {
  const { chunkFilename } = options.output
  const beside = typeof chunkFilename === 'string' ? posix.dirname(chunkFilename) : '.'
  const folder = posix.join(beside.includes('[') ? '.' : beside, 'localization')
  const isForNode = options.externalsPresets.node === true
  // Node's public path is where a browser would look. `import()` of an address takes whole ones from any kind of script.
  const path = `${isForNode ? '' : '__webpack_public_path__ + '}${JSON.stringify(`${folder}/`)}`
  return { folder, extension: isForNode ? '.mjs' : '.js', base: `new URL(${path}, __webpack_base_uri__).href` }
}

/** As bundlers spell the manifest in a module's path. */
const MANIFEST = encodeURIComponent(NULL_SPELLING.format({ kind: 'manifest' }))

export function emitLateAssets(compiler: Compiler, compilation: Compilation, { name, session }: HostInput): void {
  const { Compilation: constants, sources } = compiler.webpack
  const stage = constants.PROCESS_ASSETS_STAGE_ADDITIONAL
  compilation.hooks.processAssets.tapPromise({ name, stage }, async () => {
    if (session.command === 'dev' || !hasManifest(compilation)) return
    const { folder, extension } = webpackLatePlace(compiler)
    const { late } = await session.ready()
    for (const file of (await late(extension)).files) {
      // No `contenthash`: webpack would name the file anew.
      compilation.emitAsset(`${folder}/${file.name}`, new sources.RawSource(file.content), {
        immutable: true,
        minimized: true,
        javascriptModule: true,
      })
    }
  })
}

function hasManifest({ modules }: Compilation): boolean {
  for (const module of modules) {
    const { resource } = module as { resource?: unknown }
    if (typeof resource === 'string' && resource.endsWith(MANIFEST)) return true
  }
  return false
}
