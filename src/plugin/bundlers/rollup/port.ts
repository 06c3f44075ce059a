/**
 * The port for one output of Rollup, Rolldown or Vite. Message files are assets. By default, their URLs are relative to
 * the chunk that fetches them.
 */
import { dirname, isAbsolute, posix, relative, resolve } from 'node:path'
import type { EmittedAsset, NormalizedOutputOptions, PluginContext, RenderedChunk } from 'rollup'
import type { ResolvedConfig } from '../../../config/types.ts'
import { CHUNK_QUEUE, type DelayedImport, delayImports } from '../../../output/delayed-imports.ts'
import { stringLiteral } from '../../../output/literal.ts'
import {
  type ChunkExtension,
  type PrebuiltChunk,
  type PrebuiltChunks,
  perChunkExpression,
} from '../../../output/prebuilt-chunks.ts'
import { hashOf } from '../../../shared/hash.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { ModuleUsage } from '../../../usage/model.ts'
import type { CodeChunk } from '../../../usage/parts.ts'
import type { TextPlace } from '../../bundler-adapter.ts'
import type { OutputPort } from '../../output-texts.ts'
import { perChunkWarning, wantsPerChunk } from '../../per-chunk-messages.ts'
import type { LoadedState } from '../../state.ts'
import type { FolderInScript } from '../vite/built-url.ts'

/**
 * The context of an output hook. This plugin uses only members that Rolldown and Vite also have, and `environment`,
 * which only Vite has.
 */
export type OutputContext = PluginContext & {
  readonly meta: { readonly rolldownVersion?: string }
  readonly environment?: { readonly name: string; readonly config: { readonly consumer?: string } }
}

export type RenderedChunks = Readonly<Record<string, RenderedChunk>>

export type PlaceOf = (context: object, config: ResolvedConfig) => TextPlace

/**
 * The key in a module's `meta` under which its usage is stored. Bundlers keep `meta` if they do not transform the
 * module again.
 */
export const USAGE = 'unplugin-localization'

export interface RollupPortInput {
  readonly context: OutputContext
  readonly output: NormalizedOutputOptions
  readonly config: ResolvedConfig
  readonly placeOf: PlaceOf
  /** `undefined` until the chunks are known. */
  readonly chunks?: RenderedChunks | undefined
  /** Returns true in a worker's build. The page is then in another output. */
  readonly isWorker?: (() => boolean) | undefined
  /**
   * Returns the expression for the URL of the folder from which a script fetches texts. By default, the URL is relative
   * to the script.
   */
  readonly folderUrl?: ((place: FolderInScript) => string | undefined) | undefined
  /** Adds a message file. `fileName` is relative to the output folder. */
  readonly onEmit: (fileName: string, asset: Pick<EmittedAsset, 'name' | 'originalFileName' | 'source'>) => void
  readonly warnOnce: (message: string) => void
}

export class RollupPort implements OutputPort {
  readonly place: TextPlace
  readonly isOneFile: boolean
  readonly extension: ChunkExtension
  readonly #isPerChunk: boolean

  constructor(private readonly input: RollupPortInput) {
    const { context, output, config, placeOf, isWorker } = input
    this.place = placeOf(context, config)
    this.isOneFile = config.library !== false && isOneFile(output) && !isWorker?.()
    this.extension = messageExtension(output)
    this.#isPerChunk = wantsPerChunk(config) && this.place === 'files'
  }

  chunks() {
    const chunks = this.#splitChunks
    return chunks && { chunks: Object.values(chunks).map(codeChunk) }
  }

  perChunk(prebuilt: PrebuiltChunks | undefined): string | undefined {
    if (!this.#isPerChunk || !prebuilt) return undefined
    const { root } = this.input.config
    return perChunkExpression(prebuilt, CHUNK_QUEUE, (name) => {
      const chunk = this.#splitChunks?.[name]
      return chunk && stringLiteral(idOf(chunk, root))
    })
  }

  baseIn(script: string, [first]: readonly PrebuiltChunk[]): string {
    const folder = messageFolder(this.input.output)
    const path = posix.relative(posix.dirname(script), folder)
    const url = first && this.input.folderUrl?.({ folder, file: first.name, hostId: script })
    return url ?? JSON.stringify(`${path.startsWith('.') ? path : `./${path}`}/`)
  }

  absolute(base: string): string {
    const script = { es: 'import.meta.url', cjs: "require('node:url').pathToFileURL(__filename)" }
    const from = script[this.input.output.format as keyof typeof script] ?? 'self.location.href'
    return `new URL(${base}, ${from}).href`
  }

  emit(files: readonly PrebuiltChunk[]): void {
    const { output, onEmit } = this.input
    const folder = messageFolder(output)
    for (const { name, request = name, module } of files)
      onEmit(`${folder}/${name}`, { name, originalFileName: request, source: module.bytes })
  }

  /** Returns the `import()` calls in a chunk that must wait for the texts of the imported chunk. */
  delaysIn({ fileName, dynamicImports }: RenderedChunk, code: string, { perChunk }: LoadedState): DelayedImport[] {
    const { context, config } = this.input
    const bringing = new Map<string, string>()
    for (const { chunk: name } of perChunk?.chunks ?? []) {
      const chunk = this.#splitChunks?.[name]
      if (chunk && dynamicImports.includes(name)) bringing.set(name, idOf(chunk, config.root))
    }
    const toName = (specifier: string) => posix.join(posix.dirname(fileName), specifier)
    return bringing.size === 0 ? [] : delayImports(context.parse(code), { fileName, bringing, resolve: toName })
  }

  /** True if the output seems to be a library: it imports external modules or packages, or preserves modules. */
  get looksLikeLibrary(): boolean {
    const { output, chunks = {} } = this.input
    const hasExternal = Object.values(chunks).some(({ imports }) => imports.some((name) => !(name in chunks)))
    return !isOneFile(output) && (output.preserveModules || (hasExternal && this.extension === '.js'))
  }

  /** The chunks of the output, or `undefined` if they cannot wait for texts. */
  get #splitChunks(): RenderedChunks | undefined {
    const { output, chunks, warnOnce } = this.input
    if (!this.#isPerChunk) return undefined
    if (output.format === 'es') return chunks
    const hasLazy = Object.values(chunks ?? {}).some(({ dynamicImports }) => dynamicImports.length > 0)
    if (hasLazy) warnOnce(perChunkWarning(`the output's format is ${output.format}, not es`))
    return undefined
  }
}

/** Returns the usage of each module, except for modules that tree shaking removed. */
export function* usagesIn(context: OutputContext): Iterable<readonly [string, ModuleUsage]> {
  for (const id of context.getModuleIds()) {
    const info = context.getModuleInfo(id)
    const usage = info?.meta[USAGE]
    if (usage && info.isIncluded !== false) yield [id, usage as ModuleUsage]
  }
}

export function outputFolder({ dir = '', file }: NormalizedOutputOptions): string {
  return toPosix(resolve(file === undefined ? dir : dirname(file)))
}

/**
 * Returns the folder for message files. It is next to the other assets, because some frameworks publish only assets.
 */
function messageFolder({ assetFileNames }: NormalizedOutputOptions): string {
  const names = { name: 'text.js', names: ['text.js'], originalFileName: null, originalFileNames: [] }
  const pattern =
    typeof assetFileNames === 'function' ? assetFileNames({ ...names, type: 'asset', source: '' }) : assetFileNames
  const folder = typeof pattern === 'string' ? posix.dirname(pattern) : 'assets'
  return posix.join(folder.includes('[') ? 'assets' : folder, 'localization')
}

/** Returns true if modules that are loaded with `import()` are bundled into the same file. */
function isOneFile(output: NormalizedOutputOptions): boolean {
  const { format, inlineDynamicImports } = output
  // Rolldown's name for the option.
  const { codeSplitting } = output as { readonly codeSplitting?: unknown }
  return format === 'iife' || format === 'umd' || inlineDynamicImports || codeSplitting === false
}

function messageExtension({ format, entryFileNames }: NormalizedOutputOptions): ChunkExtension {
  const isForNode = format === 'cjs' || (typeof entryFileNames === 'string' && entryFileNames.endsWith('.mjs'))
  return isForNode ? '.mjs' : '.js'
}

function codeChunk(chunk: RenderedChunk): CodeChunk {
  return {
    name: chunk.fileName,
    label: chunk.facadeModuleId ?? lastModuleOf(chunk) ?? chunk.name,
    modules: Object.keys(chunk.modules),
    imports: chunk.imports,
    dynamicImports: chunk.dynamicImports,
    isEntry: chunk.isEntry || chunk.isImplicitEntry,
  }
}

/**
 * Returns the last module in the chunk if the chunk is named after that module. This is the case for chunks that
 * several entries or `import()` calls share.
 */
function lastModuleOf({ modules, name }: RenderedChunk): string | undefined {
  const last = Object.keys(modules).at(-1)
  return last !== undefined && posix.basename(toPosix(last)).startsWith(`${name}.`) ? last : undefined
}

/**
 * Returns the id by which the page knows the chunk. It does not depend on the chunk's content, so that chunks that
 * import it do not change with its texts.
 */
function idOf({ facadeModuleId, name = '', modules }: RenderedChunk, root: string): string {
  const own = facadeModuleId ? [facadeModuleId] : [name, ...Object.keys(modules)]
  return hashOf(own.map((path) => (isAbsolute(path) ? toPosix(relative(root, path)) : path)).join('\n'), 8)
}
