/** Prebuilt chunks in Rollup, Rolldown and Vite: emitted when rendering starts, addressed relative to the chunk that fetches them. */
import { posix } from 'node:path'
import type { ResolvedConfig } from '../../../config/types.ts'
import type { Logger } from '../../../logger.ts'
import { NULL_SPELLING } from '../../../output/ids.ts'
import { hasPending } from '../../../output/messages.ts'
import { ADDRESSES, addressesExpression, type ChunkExtension } from '../../../output/prebuilt-chunks.ts'
import type { ModuleUsage } from '../../../usage/model.ts'
import type { HostInput, TextPlace } from '../../bundler-adapter.ts'
import { textsOfPending } from '../../generate.ts'
import { createPerChunkNotice, wantsPerChunk } from '../../per-chunk-messages.ts'
import type { LoadedState } from '../../state.ts'
import type { FolderInScript } from '../vite/built-url.ts'
import { codeChunks, delaysOf, type OutputChunk, type OutputChunks, perChunkIn } from './per-chunk-messages.ts'

const MANIFEST = NULL_SPELLING.format({ kind: 'manifest' })

export interface OutputOptions {
  readonly dir?: string
  readonly file?: string
  readonly format: string
  readonly entryFileNames: unknown
  readonly assetFileNames: unknown
  readonly preserveModules?: boolean
}

export interface OutputContext {
  getModuleIds(): Iterable<string>
  getModuleInfo(id: string): ModuleInfo | null
  emitFile(file: object): unknown
  parse(code: string): unknown
  readonly meta?: { readonly rolldownVersion?: string }
  /** Vite only. */
  readonly environment?: { readonly name: string; readonly config: { readonly consumer?: string } }
}

export interface ModuleInfo {
  readonly isIncluded?: boolean | null
  readonly meta: { readonly [name: string]: unknown }
}

export interface RenderMeta {
  readonly chunks?: OutputChunks
}

export interface CodeWithMap {
  readonly code: string
  readonly map: unknown
}

/** Where a module's usage is kept: bundlers keep it with a module that they do not transform again. */
const USAGE = 'unplugin-localization'

export type PlaceOf = (context: object, config: ResolvedConfig) => TextPlace

export interface PrebuiltHooksInput extends Pick<HostInput, 'session' | 'logger'> {
  readonly placeOf: PlaceOf
  readonly folderUrl?: FolderUrl | undefined
  /** Another instance of the plugin does everything otherwise. */
  readonly isFirst: (context: OutputContext) => boolean
  /** A message file was put into an output: below its folder. */
  readonly onEmit: (context: OutputContext, output: OutputOptions, fileName: string) => void
}

/** The expression of the address that a script fetches texts from. `undefined`: relative to the script. */
export type FolderUrl = (place: FolderInScript) => string | undefined

/** Hooks. Those of the output run once for each, with its options. */
export function createPrebuiltHooks({ session, logger, placeOf, folderUrl, isFirst, onEmit }: PrebuiltHooksInput) {
  /** What each environment's build uses. */
  const states = new Map<string | undefined, Promise<LoadedState>>()
  const stateOf = (context: OutputContext) => states.get(context.environment?.name) ?? session.ready()

  /** The same with the chunks that bring texts, for each output. */
  const perChunkStates = new WeakMap<OutputChunks, Promise<LoadedState>>()
  const warnPerChunk = createPerChunkNotice(logger)
  const tellOfLibrary = createLibraryNotice(logger)

  const emit = async (context: OutputContext, output: OutputOptions, { prebuilt, config }: LoadedState) => {
    if (placeOf(context, config) !== 'files' || !context.getModuleInfo(MANIFEST)) return
    const folder = folderOf(output)
    // Rolldown copies what it is given.
    const isCopied = context.meta?.rolldownVersion !== undefined
    for (const file of (await prebuilt(extensionOf(output))).files) {
      const { name, request = name, module } = file
      const source = (isCopied && module.borrow?.()) || module.bytes
      const fileName = `${folder}/${name}`
      context.emitFile({ type: 'asset', fileName, name, originalFileName: request, source })
      onEmit(context, output, fileName)
    }
  }

  const isPerChunk = (context: OutputContext, { config }: LoadedState) =>
    wantsPerChunk(config) && placeOf(context, config) === 'files'

  /** `undefined`: no texts come with chunks. */
  const chunksOf = (output: OutputOptions, { chunks }: RenderMeta): OutputChunks | undefined => {
    if (chunks && output.format === 'es') return chunks
    const hasLazy = Object.values(chunks ?? {}).some(({ dynamicImports }) => dynamicImports.length > 0)
    if (hasLazy) warnPerChunk(`the output's format is ${output.format}, not es`)
    return undefined
  }

  const perChunkState = (context: OutputContext, output: OutputOptions, chunks: OutputChunks): Promise<LoadedState> => {
    const known = perChunkStates.get(chunks)
    if (known) return known
    const planned = session.prune(usagesIn(context), codeChunks(chunks)).then(async (state) => {
      await emit(context, output, state)
      return state
    })
    perChunkStates.set(chunks, planned)
    return planned
  }

  return {
    transform: {
      // What the bundler is about to parse: templates, TypeScript and JSX are JavaScript by then.
      order: 'post' as const,
      async handler(code: string, id: string) {
        if (session.command === 'dev' || NULL_SPELLING.filter.test(id)) return null
        const usage = await session.analyze(code, id)
        return usage ? { meta: { [USAGE]: usage } } : null
      },
    },
    async renderStart(this: OutputContext, output: OutputOptions) {
      if (session.command === 'dev' || !isFirst(this)) return
      const pruned = session.prune(usagesIn(this))
      states.set(this.environment?.name, pruned)
      const state = await pruned
      if (
        wantsPerChunk(state.config) &&
        placeOf(this, state.config) !== 'files' &&
        this.environment?.config.consumer !== 'server'
      )
        warnPerChunk('texts are modules of the output')
      // Which texts come with which chunk is known when there are chunks.
      if (!isPerChunk(this, state)) await emit(this, output, state)
    },
    renderChunk: {
      // Before anything is minified: what stands in the name's place is code like any other.
      order: 'pre' as const,
      async handler(
        this: OutputContext,
        code: string,
        chunk: OutputChunk,
        output: OutputOptions,
        meta: RenderMeta = {},
      ): Promise<CodeWithMap | null> {
        if (session.command === 'dev' || !isFirst(this)) return null
        const state = await stateOf(this)
        const isEachApart = isPerChunk(this, state)
        if (!isEachApart && !code.includes(ADDRESSES) && !hasPending(code)) return null
        const chunks = isEachApart ? chunksOf(output, meta) : undefined
        const prebuilt = chunks ? await perChunkState(this, output, chunks) : state
        if (isEachApart && !chunks && code.includes(ADDRESSES)) await emit(this, output, state)
        if (code.includes(ADDRESSES) && state.config.library === undefined && looksLikeLibrary(output, meta))
          tellOfLibrary()
        const { default: MagicString } = await import('magic-string')
        const text = new MagicString(code)
        if (code.includes(ADDRESSES)) {
          const parts = isEachApart ? await perChunkIn(prebuilt, extensionOf(output), chunks ?? {}) : undefined
          text.replaceAll(ADDRESSES, await addressesIn(prebuilt, chunk, output, parts, folderUrl))
        }
        const delays = chunks ? delaysOf(() => this.parse(code), chunk, prebuilt, chunks) : []
        for (const { start, end, before, after } of delays) text.appendLeft(start, before).appendRight(end, after)
        for (const { start, end, text: own } of await textsOfPending(code, state, logger))
          text.overwrite(start, end, own)
        return text.hasChanged() ? { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) } : null
      },
    },
  }
}

async function addressesIn(
  { prebuilt }: LoadedState,
  { fileName }: OutputChunk,
  output: OutputOptions,
  perChunk: string | undefined,
  folderUrl: FolderUrl | undefined,
): Promise<string> {
  const extension = extensionOf(output)
  const { hashes, files } = await prebuilt(extension)
  const folder = folderOf(output)
  const path = posix.relative(posix.dirname(fileName), folder)
  const relative = JSON.stringify(`${path.startsWith('.') ? path : `./${path}`}/`)
  const base = files[0] && folderUrl?.({ folder, file: files[0].name, hostId: fileName })
  return addressesExpression({ extension, hashes, base: base ?? relative, perChunk })
}

/** Modules or packages that are imported as they are. */
function looksLikeLibrary({ preserveModules, ...output }: OutputOptions, { chunks = {} }: RenderMeta): boolean {
  const hasExternal = Object.values(chunks).some(({ imports }) => imports.some((name) => !(name in chunks)))
  return preserveModules === true || (hasExternal && extensionOf(output) === '.js')
}

function createLibraryNotice(logger: Logger): () => void {
  let isTold = false
  return () => {
    if (!isTold)
      logger.warn(
        'this output looks like a library: bundlers that build it again cannot see its texts, which are files that load() fetches by address. Set library: true to have texts in modules of the output, or library: false if nothing bundles it again',
      )
    isTold = true
  }
}

/** What was left out as unused asks for nothing. */
function* usagesIn(context: OutputContext): Iterable<readonly [string, ModuleUsage]> {
  for (const id of context.getModuleIds()) {
    const info = context.getModuleInfo(id)
    const usage = info?.meta[USAGE]
    if (usage && info.isIncluded !== false) yield [id, usage as ModuleUsage]
  }
}

/** Beside the other assets: some frameworks publish nothing else. A function is asked where it would put a script. */
function folderOf({ assetFileNames }: OutputOptions): string {
  const asset = {
    type: 'asset',
    name: 'text.js',
    names: ['text.js'],
    originalFileName: null,
    originalFileNames: [],
    source: '',
  }
  const pattern: unknown = typeof assetFileNames === 'function' ? assetFileNames(asset) : assetFileNames
  const folder = typeof pattern === 'string' ? posix.dirname(pattern) : 'assets'
  return posix.join(folder.includes('[') ? 'assets' : folder, 'localization')
}

function extensionOf({ format, entryFileNames }: OutputOptions): ChunkExtension {
  const isForNode = format === 'cjs' || (typeof entryFileNames === 'string' && entryFileNames.endsWith('.mjs'))
  return isForNode ? '.mjs' : '.js'
}
