/** Late files in Rollup, Rolldown and Vite: emitted when rendering starts, addressed relative to the chunk that fetches them. */
import { posix } from 'node:path'
import { NULL_SPELLING } from '../../modules/ids.ts'
import { addressesExpression, type LateExtension } from '../../modules/late.ts'
import { hasPending, pendingIn } from '../../modules/messages.ts'
import type { ModuleUsage } from '../../usage/model.ts'
import { generateTexts } from '../generate.ts'
import type { HostInput } from '../host.ts'
import type { LoadedState } from '../state.ts'

/** Stands in the manifest for its addresses, which depend on the chunk it ends up in. A free name: no bundler renames it. */
export const ADDRESSES = '__UNPLUGIN_LOCALIZATION_ADDRESSES__'

const MANIFEST = NULL_SPELLING.format({ kind: 'manifest' })

export interface OutputOptions {
  readonly format: string
  readonly entryFileNames: unknown
  readonly assetFileNames: unknown
}

export interface LateContext {
  getModuleIds(): Iterable<string>
  getModuleInfo(id: string): ModuleInfo | null
  emitFile(file: object): unknown
  /** Vite only. */
  readonly environment?: { readonly name: string; readonly config: { readonly consumer?: string } }
}

export interface ModuleInfo {
  readonly isIncluded?: boolean | null
  readonly meta: { readonly [name: string]: unknown }
}

export interface RenderedChunk {
  readonly fileName: string
}

export interface CodeWithMap {
  readonly code: string
  readonly map: unknown
}

/** Where a module's usage is kept: bundlers keep it with a module that they do not transform again. */
const USAGE = 'unplugin-localization'

/** Hooks. Those of the output run once for each, with its options. */
export function createLateHooks({ session, logger }: Pick<HostInput, 'session' | 'logger'>) {
  /** What each environment's build uses. */
  const states = new Map<string | undefined, Promise<LoadedState>>()
  const stateOf = (context: LateContext) => states.get(context.environment?.name) ?? session.ready()

  const emit = async (context: LateContext, output: OutputOptions) => {
    if (session.command === 'dev' || !context.getModuleInfo(MANIFEST)) return
    const { late } = await stateOf(context)
    const folder = folderOf(output)
    for (const { name, content } of (await late(extensionOf(output))).files) {
      context.emitFile({ type: 'asset', fileName: `${folder}/${name}`, name, originalFileName: name, source: content })
    }
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
    async renderStart(this: LateContext, output: OutputOptions) {
      if (session.command === 'dev') return
      states.set(this.environment?.name, session.prune(usagesIn(this)))
      if (!isForServer(this)) await emit(this, output)
    },
    renderChunk: {
      // Before anything is minified: what stands in the name's place is code like any other.
      order: 'pre' as const,
      async handler(
        this: LateContext,
        code: string,
        chunk: RenderedChunk,
        output: OutputOptions,
      ): Promise<CodeWithMap | null> {
        if (!code.includes(ADDRESSES) && !hasPending(code)) return null
        const state = await stateOf(this)
        const { default: MagicString } = await import('magic-string')
        const text = new MagicString(code)
        if (code.includes(ADDRESSES)) text.replaceAll(ADDRESSES, await addressesIn(state, chunk, output))
        for (const { id, start, end } of pendingIn(code)) {
          const { value, warnings } = await generateTexts(state, id)
          for (const warning of warnings) logger.warn(warning)
          text.overwrite(start, end, value)
        }
        return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
      },
    },
  }
}

async function addressesIn({ late }: LoadedState, chunk: RenderedChunk, output: OutputOptions): Promise<string> {
  const extension = extensionOf(output)
  const { hashes } = await late(extension)
  const path = posix.relative(posix.dirname(chunk.fileName), folderOf(output))
  const base = path.startsWith('.') ? path : `./${path}`
  return addressesExpression({ extension, hashes, base: JSON.stringify(`${base}/`) })
}

/** What was left out as unused asks for nothing. */
function* usagesIn(context: LateContext): Iterable<readonly [string, ModuleUsage]> {
  for (const id of context.getModuleIds()) {
    const info = context.getModuleInfo(id)
    const usage = info?.meta[USAGE]
    if (usage && info.isIncluded !== false) yield [id, usage as ModuleUsage]
  }
}

/**
 * A Vite environment whose output Node runs. Frameworks bundle it again, trace its imports or move it (adapters, Nitro): what it
 * fetches must be modules of the bundle there.
 */
export function isForServer({ environment }: LateContext): boolean {
  return environment?.config.consumer === 'server'
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

function extensionOf({ format, entryFileNames }: OutputOptions): LateExtension {
  const isForNode = format === 'cjs' || (typeof entryFileNames === 'string' && entryFileNames.endsWith('.mjs'))
  return isForNode ? '.mjs' : '.js'
}
