/** Prebuilt chunks in Rollup, Rolldown and Vite: assets that are addressed relative to the chunk that fetches them. */
import { isAbsolute, posix, relative } from 'node:path'
import type { NormalizedOutputOptions, RenderedChunk } from 'rollup'
import type { ResolvedConfig } from '../../../config/types.ts'
import { CHUNK_QUEUE, type DelayedImport, delayImports } from '../../../output/delayed-imports.ts'
import { NULL_SPELLING } from '../../../output/ids.ts'
import { stringLiteral } from '../../../output/literal.ts'
import { hasPending } from '../../../output/messages.ts'
import {
  ADDRESSES,
  addressesExpression,
  type ChunkExtension,
  inlineAddressesExpression,
  perChunkExpression,
} from '../../../output/prebuilt-chunks.ts'
import { hashOf } from '../../../shared/hash.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { ModuleUsage } from '../../../usage/model.ts'
import type { CodeChunk } from '../../../usage/parts.ts'
import type { AdapterInput, TextPlace } from '../../bundler-adapter.ts'
import { createPerChunkNotice, wantsPerChunk } from '../../per-chunk-messages.ts'
import type { LoadedState } from '../../state.ts'
import { createWarnOnce } from '../../warn-once.ts'
import type { FolderInScript } from '../vite/built-url.ts'
import { isOneFile, messageExtension, messageFolder, type OutputContext, type RenderedChunks } from './output.ts'

const MANIFEST = NULL_SPELLING.format({ kind: 'manifest' })

/** The key of a module's usage in `meta`, which bundlers keep for modules that they do not transform again. */
const USAGE = 'unplugin-localization'

const LIBRARY_WARNING =
  'the output looks like a library, but load() fetches its texts as files, which other bundlers do ' +
  'not see. Set library: true to bundle texts as modules, or library: false if no bundler reads the output'

export type PlaceOf = (context: object, config: ResolvedConfig) => TextPlace

/** The differences between Rollup, Rolldown and Vite. */
export interface OutputTextsOptions {
  readonly placeOf: PlaceOf
  /** True in the build of a worker: the page is in another output beside it. */
  readonly isWorker?: () => boolean
  /** The expression of the folder from which a script fetches texts. Default: relative to the script. */
  readonly folderUrl?: ((place: FolderInScript) => string | undefined) | undefined
  /** False if another instance of the plugin is active. */
  readonly isFirst: (context: OutputContext) => boolean
}

interface OutputTextsInput extends Pick<AdapterInput, 'session' | 'logger'>, OutputTextsOptions {
  /** Called after a message file was added to an output. `fileName` is relative to the output folder. */
  readonly onEmit: (context: OutputContext, output: NormalizedOutputOptions, fileName: string) => void
}

export interface RenderMeta {
  readonly chunks?: RenderedChunks
}

export class OutputTexts {
  readonly #input: OutputTextsInput
  readonly #warnOfChunks: (reason: string) => void
  readonly #warnOnce: (message: string) => void
  /** The texts that the modules of each environment use. */
  readonly #used = new Map<string | undefined, Promise<LoadedState>>()
  /** The used texts of each output, with those of lazy chunks separate. */
  readonly #perChunk = new WeakMap<RenderedChunks, Promise<LoadedState>>()

  constructor(input: OutputTextsInput) {
    this.#input = input
    this.#warnOfChunks = createPerChunkNotice(input.logger)
    this.#warnOnce = createWarnOnce(input.logger)
  }

  async transform(context: { addWatchFile?(id: string): void }, code: string, id: string) {
    const { session } = this.#input
    if (session.command === 'dev' || NULL_SPELLING.filter.test(id)) return null
    const usage = await session.analyze(code, id)
    // A module's setup may be in other files.
    for (const file of usage?.readFiles ?? []) context.addWatchFile?.(file)
    return usage ? { meta: { [USAGE]: usage } } : null
  }

  async renderStart(context: OutputContext, output: NormalizedOutputOptions): Promise<void> {
    const { session, isFirst, placeOf } = this.#input
    if (!isFirst(context)) return
    const used = session.prune(usagesIn(context))
    this.#used.set(context.environment?.name, used)
    const state = await used
    const place = placeOf(context, state.config)
    if (wantsPerChunk(state.config) && place !== 'files' && context.environment?.config.consumer !== 'server')
      this.#warnOfChunks('texts are modules of the output')
    // The texts of each chunk are known only when the chunks are.
    if (!this.#isPerChunk(context, state)) await this.#emit(context, output, state)
  }

  async renderChunk(
    context: OutputContext,
    code: string,
    chunk: RenderedChunk,
    output: NormalizedOutputOptions,
    meta: RenderMeta = {},
  ) {
    const { session, isFirst } = this.#input
    if (session.command === 'dev' || !isFirst(context)) return null
    const used = await (this.#used.get(context.environment?.name) ?? session.ready())
    const isPerChunk = this.#isPerChunk(context, used)
    const hasAddresses = code.includes(ADDRESSES)
    if (!isPerChunk && !hasAddresses && !hasPending(code)) return null
    const chunks = isPerChunk ? this.#esChunks(output, meta) : undefined
    const state = chunks ? await this.#perChunkState(context, output, chunks) : used
    if (isPerChunk && !chunks && hasAddresses) await this.#emit(context, output, used)
    if (hasAddresses && used.config.library === undefined && !isOneFile(output) && looksLikeLibrary(output, meta))
      this.#warnOnce(LIBRARY_WARNING)
    const { default: MagicString } = await import('magic-string')
    const text = new MagicString(code)
    const lazyChunks = isPerChunk ? (chunks ?? {}) : undefined
    if (hasAddresses) text.replaceAll(ADDRESSES, await this.#addresses(state, chunk, output, lazyChunks))
    const delays = chunks ? importDelays(() => context.parse(code), chunk, state, chunks) : []
    for (const { start, end, before, after } of delays) text.appendLeft(start, before).appendRight(end, after)
    const { textsOfPending } = await import('../../generate.ts')
    const texts = await textsOfPending(code, used, this.#input.logger)
    for (const { start, end, text: messages } of texts) text.overwrite(start, end, messages)
    return text.hasChanged() ? { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) } : null
  }

  #isPerChunk(context: OutputContext, { config }: LoadedState): boolean {
    return wantsPerChunk(config) && this.#input.placeOf(context, config) === 'files'
  }

  /** `undefined` if texts cannot be loaded with chunks. */
  #esChunks({ format }: NormalizedOutputOptions, { chunks }: RenderMeta): RenderedChunks | undefined {
    if (chunks && format === 'es') return chunks
    const hasLazy = Object.values(chunks ?? {}).some(({ dynamicImports }) => dynamicImports.length > 0)
    if (hasLazy) this.#warnOfChunks(`the output's format is ${format}, not es`)
    return undefined
  }

  #perChunkState(
    context: OutputContext,
    output: NormalizedOutputOptions,
    chunks: RenderedChunks,
  ): Promise<LoadedState> {
    const known = this.#perChunk.get(chunks)
    if (known) return known
    const planned = this.#input.session.prune(usagesIn(context), { chunks: codeChunks(chunks) }).then(async (state) => {
      await this.#emit(context, output, state)
      return state
    })
    this.#perChunk.set(chunks, planned)
    return planned
  }

  async #emit(
    context: OutputContext,
    output: NormalizedOutputOptions,
    { prebuilt, config }: LoadedState,
  ): Promise<void> {
    if (this.#input.placeOf(context, config) !== 'files' || !context.getModuleInfo(MANIFEST)) return
    if (this.#holdsTexts(output, config)) return
    const folder = messageFolder(output)
    for (const file of (await prebuilt(messageExtension(output))).files) {
      const { name, request = name, module } = file
      const fileName = `${folder}/${name}`
      context.emitFile({ type: 'asset', fileName, name, originalFileName: request, source: module.bytes })
      this.#input.onEmit(context, output, fileName)
    }
  }

  async #addresses(
    state: LoadedState,
    { fileName }: RenderedChunk,
    output: NormalizedOutputOptions,
    chunks?: RenderedChunks,
  ) {
    const extension = messageExtension(output)
    const perChunk = chunks && (await perChunkIn(state, extension, chunks))
    const prebuilt = await state.prebuilt(extension)
    if (this.#holdsTexts(output, state.config)) return inlineAddressesExpression(prebuilt, { extension, perChunk })
    const { hashes, files } = prebuilt
    const folder = messageFolder(output)
    const path = posix.relative(posix.dirname(fileName), folder)
    const relative = JSON.stringify(`${path.startsWith('.') ? path : `./${path}`}/`)
    const base = files[0] && this.#input.folderUrl?.({ folder, file: files[0].name, hostId: fileName })
    return addressesExpression({ extension, hashes, base: base ?? relative, perChunk })
  }

  /** True if the output is a single file. It may be opened from disk, where nothing can be fetched, or moved alone. */
  #holdsTexts(output: NormalizedOutputOptions, { library }: Pick<ResolvedConfig, 'library'>): boolean {
    return library !== false && isOneFile(output) && !this.#input.isWorker?.()
  }
}

/** True if the output imports external modules or packages. */
function looksLikeLibrary(output: NormalizedOutputOptions, { chunks = {} }: RenderMeta): boolean {
  const hasExternal = Object.values(chunks).some(({ imports }) => imports.some((name) => !(name in chunks)))
  return output.preserveModules || (hasExternal && messageExtension(output) === '.js')
}

/** Modules that tree shaking removed use no texts. */
function* usagesIn(context: OutputContext): Iterable<readonly [string, ModuleUsage]> {
  for (const id of context.getModuleIds()) {
    const info = context.getModuleInfo(id)
    const usage = info?.meta[USAGE]
    if (usage && info.isIncluded !== false) yield [id, usage as ModuleUsage]
  }
}

function codeChunks(chunks: RenderedChunks): CodeChunk[] {
  return Object.values(chunks).map((chunk) => ({
    name: chunk.fileName,
    label: chunk.facadeModuleId ?? lastModuleOf(chunk) ?? chunk.name,
    modules: Object.keys(chunk.modules),
    imports: chunk.imports,
    dynamicImports: chunk.dynamicImports,
    isEntry: chunk.isEntry || chunk.isImplicitEntry,
  }))
}

/** A chunk that several entries and `import()`s share is named after its last module. */
function lastModuleOf({ modules, name }: RenderedChunk): string | undefined {
  const last = Object.keys(modules).at(-1)
  return last !== undefined && posix.basename(toPosix(last)).startsWith(`${name}.`) ? last : undefined
}

/** The chunk's id in the page. Independent of its content, so that new texts do not change the importing chunks. */
function idOf({ facadeModuleId, name = '', modules }: RenderedChunk, root: string): string {
  const own = facadeModuleId ? [facadeModuleId] : [name, ...Object.keys(modules)]
  return hashOf(own.map((path) => (isAbsolute(path) ? toPosix(relative(root, path)) : path)).join('\n'), 8)
}

/** The per-chunk part of the manifest's addresses. */
async function perChunkIn({ prebuilt, config }: LoadedState, extension: ChunkExtension, chunks: RenderedChunks) {
  return perChunkExpression(await prebuilt(extension), CHUNK_QUEUE, (chunk) => {
    const own = chunks[chunk]
    return own && stringLiteral(idOf(own, config.root))
  })
}

/** The imports of the chunk that wait for the texts of the imported chunk. */
function importDelays(
  parse: () => unknown,
  { fileName, dynamicImports }: Pick<RenderedChunk, 'fileName' | 'dynamicImports'>,
  { perChunk, config }: LoadedState,
  chunks: RenderedChunks,
): DelayedImport[] {
  const bringing = new Map<string, string>()
  for (const { chunk: name } of perChunk?.chunks ?? []) {
    const chunk = chunks[name]
    if (chunk && dynamicImports.includes(name)) bringing.set(name, idOf(chunk, config.root))
  }
  const resolve = (specifier: string) => posix.join(posix.dirname(fileName), specifier)
  return bringing.size === 0 ? [] : delayImports(parse(), { fileName, bringing, resolve })
}
