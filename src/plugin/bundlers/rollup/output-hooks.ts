/**
 * The hooks of Rollup, Rolldown and Vite that add texts to outputs, and that check the outputs after all other plugins
 * have run.
 */
import { posix } from 'node:path'
import type { EmittedAsset, NormalizedOutputOptions, OutputBundle, RenderedChunk } from 'rollup'
import { LocalizationError } from '../../../errors.ts'
import { NULL_SPELLING } from '../../../output/ids.ts'
import { ADDRESSES } from '../../../output/prebuilt-chunks.ts'
import { type AdapterInput, LIVE_WARNING } from '../../bundler-adapter.ts'
import { type BuiltFile, type BuiltModule, checkNotEmpty, OutputCheck } from '../../check-output.ts'
import { hasPlaceholders, isLiveInVain, OutputTexts } from '../../output-texts.ts'
import { perChunkWarning, wantsPerChunk } from '../../per-chunk-messages.ts'
import {
  type OutputContext,
  outputFolder,
  type RenderedChunks,
  RollupPort,
  type RollupPortInput,
  USAGE,
  usagesIn,
} from './port.ts'

const MANIFEST = NULL_SPELLING.format({ kind: 'manifest' })

const LIBRARY_WARNING =
  'the output looks like a library, but load() fetches its texts as files, which other bundlers do ' +
  'not see. Set library: true to bundle texts as modules, or library: false if no bundler reads the output'

/** The outputs of one build or Vite environment. They may share a folder. */
interface Outputs {
  /** The number of outputs that have started but not finished. */
  open: number
  readonly check: OutputCheck
  /** The paths of the message files that were added, by output folder. */
  readonly made: Map<string, string[]>
  /** Message files that are added only when the output has been generated. */
  readonly late: EmittedAsset[]
}

type OutputsOf = (context: OutputContext) => Outputs

/**
 * @param differences what differs between Rollup, Rolldown and Vite
 * @param isFirst returns false if another instance of the plugin is active in the build
 */
export function createOutputHooks(
  input: AdapterInput,
  differences: Pick<RollupPortInput, 'placeOf' | 'isWorker' | 'folderUrl'>,
  isFirst: (context: OutputContext) => boolean,
) {
  const { session } = input
  const outputs = new Map<string | undefined, Outputs>()
  const outputsOf: OutputsOf = ({ environment }) => {
    const known = outputs.get(environment?.name) ?? {
      check: new OutputCheck(session),
      made: new Map(),
      late: [],
      open: 0,
    }
    outputs.set(environment?.name, known)
    return known
  }
  return {
    ...createTextHooks(input, differences, isFirst, outputsOf),
    generateBundle: {
      order: 'post' as const,
      /** Adds the texts to an output, and checks it. Throws SECRET_EXPOSED and MODULE_EMPTY. */
      async handler(this: OutputContext, output: NormalizedOutputOptions, bundle: OutputBundle) {
        const { config } = await session.ready()
        const folder = outputFolder(output)
        const own = outputsOf(this)
        for (const file of own.late.splice(0)) this.emitFile(file)
        const made = own.made.get(folder)
        const [leak] = await own.check.add({ root: config.root, files: [...filesOf(bundle, folder)], made, folder })
        if (leak) failWith(this, leak)
        try {
          checkNotEmpty(NULL_SPELLING, modulesOf(this))
        } catch (error) {
          failWith(this, error)
        }
        own.open--
      },
    },
    /** Checks the message files after the last output, because outputs may share them. Throws MESSAGE_FILE_MISSING. */
    closeBundle(this: OutputContext) {
      if (session.command !== 'build') return
      const { check, open } = outputsOf(this)
      outputs.delete(this.environment?.name)
      // If an output has failed, its error was reported, and another error would hide it.
      const [missing] = open > 0 ? [] : check.finish()
      if (missing) failWith(this, missing)
    },
    // A watch mode that reads its configuration again goes on in the same process, with another plugin instance.
    closeWatcher: () => session.close(),
  }
}

function createTextHooks(
  input: AdapterInput,
  differences: Parameters<typeof createOutputHooks>[1],
  isFirst: Parameters<typeof createOutputHooks>[2],
  outputsOf: OutputsOf,
) {
  const { session } = input
  const texts = new Map<string | undefined, OutputTexts>()
  /** If `prune.perChunk` is on, all chunks of an output use the same port. */
  const ports = new WeakMap<RenderedChunks, RollupPort>()

  const begin = (context: OutputContext): OutputTexts => {
    const begun = new OutputTexts(input, () => usagesIn(context))
    texts.set(context.environment?.name, begun)
    return begun
  }
  const portOf = (given: Pick<RollupPortInput, 'context' | 'output' | 'config' | 'chunks'>): RollupPort => {
    const { context, output, chunks } = given
    const onEmit: RollupPortInput['onEmit'] = (fileName, asset) => {
      const { made, late } = outputsOf(context)
      const file = { type: 'asset' as const, fileName, ...asset }
      // Vite removes assets from server builds before `generateBundle` of this plugin runs, so these files are added
      // after that.
      if (isOfServer(context)) late.push(file)
      else context.emitFile(file)
      const folder = outputFolder(output)
      const files = made.get(folder) ?? []
      files.push(posix.join(folder, fileName))
      made.set(folder, files)
    }
    const known = chunks && ports.get(chunks)
    const port = known ?? new RollupPort({ ...differences, ...given, onEmit, warnOnce: session.warnOnce })
    if (chunks) ports.set(chunks, port)
    return port
  }

  return {
    transform: {
      // Runs after all transforms, when templates, TypeScript and JSX have become JavaScript.
      order: 'post' as const,
      async handler(this: { addWatchFile?(id: string): void }, code: string, id: string) {
        if (session.command === 'dev' || NULL_SPELLING.filter.test(id)) return null
        const usage = await session.analyze(code, id)
        // The analysis may have read other files, to find the options of the localization library.
        for (const file of usage?.readFiles ?? []) this.addWatchFile?.(file)
        return usage ? { meta: { [USAGE]: usage } } : null
      },
    },
    /** Rollup keeps the usage of an unchanged module, which also depends on the namespaces. */
    async shouldTransformCachedModule(this: OutputContext) {
      if (!isFirst(this)) return false
      const { loaded } = await session.ready()
      const used = texts.get(this.environment?.name)?.used()
      const before = await used?.catch(() => undefined)
      return before?.loaded.catalog.namespaces.join() !== loaded.catalog.namespaces.join()
    },
    async renderStart(this: OutputContext, output: NormalizedOutputOptions) {
      if (session.command === 'dev') return
      outputsOf(this).open++
      if (!isFirst(this)) return
      const own = begin(this)
      const { config } = await own.used()
      const port = portOf({ context: this, output, config })
      const isPerChunk = wantsPerChunk(config)
      // If `prune.perChunk` is on, message files are emitted later, when the chunks are known.
      if (!isPerChunk && this.getModuleInfo(MANIFEST)) await own.emit(port)
      if (isPerChunk && port.place !== 'files' && !isOfServer(this))
        session.warnOnce(perChunkWarning('texts are modules in the output'))
      if (isLiveInVain(port, config)) session.warnOnce(LIVE_WARNING)
    },
    renderChunk: {
      // Runs before minification, so that inserted code is minified too.
      order: 'pre' as const,
      async handler(
        this: OutputContext,
        code: string,
        chunk: RenderedChunk,
        output: NormalizedOutputOptions,
        { chunks }: { readonly chunks?: RenderedChunks } = {},
      ) {
        if (session.command === 'dev' || !isFirst(this)) return null
        const own = texts.get(this.environment?.name) ?? begin(this)
        const { config } = await own.used()
        const isPerChunk = wantsPerChunk(config)
        if (!isPerChunk && !hasPlaceholders(code)) return null
        const port = portOf({ context: this, output, config, chunks })
        if (isPerChunk && this.getModuleInfo(MANIFEST)) await own.emit(port)
        if (code.includes(ADDRESSES) && config.library === undefined && port.looksLikeLibrary)
          session.warnOnce(LIBRARY_WARNING)
        const { default: MagicString } = await import('magic-string')
        const text = new MagicString(code)
        for (const { start, end, text: to } of await own.editsIn(port, chunk.fileName, code))
          text.overwrite(start, end, to)
        const delays = isPerChunk ? port.delaysIn(chunk, code, await own.of(port)) : []
        for (const { start, end, before, after } of delays) text.appendLeft(start, before).appendRight(end, after)
        return text.hasChanged() ? { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) } : null
      },
    },
  }
}

const isOfServer = ({ environment }: OutputContext) => environment?.config.consumer === 'server'

/** Fails the build. Keeps the error's code if the bundler has a field for it. */
function failWith(context: OutputContext, error: unknown): never {
  if (!(error instanceof LocalizationError)) throw error
  return context.error({ message: error.message, pluginCode: error.code })
}

function* modulesOf(context: OutputContext): Iterable<BuiltModule> {
  for (const id of context.getModuleIds()) {
    if (!NULL_SPELLING.filter.test(id)) continue
    const code = context.getModuleInfo(id)?.code
    if (typeof code === 'string') yield { id, size: code.length }
  }
}

function* filesOf(bundle: OutputBundle, folder: string): Iterable<BuiltFile> {
  for (const output of Object.values(bundle)) {
    const name = output.fileName
    const path = posix.join(folder, name)
    if (output.type === 'asset') yield { name, path, isScript: false, content: () => output.source }
    else {
      yield { name, path, isScript: true, content: () => output.code }
      const { map } = output
      if (map) yield { name: `${name}.map`, path: `${path}.map`, isScript: false, content: () => map.toString() }
    }
  }
}
