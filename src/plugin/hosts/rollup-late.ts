/** Late files in Rollup, Rolldown and Vite: emitted when rendering starts, addressed relative to the chunk that fetches them. */
import { posix } from 'node:path'
import { NULL_SPELLING } from '../../modules/ids.ts'
import { addressesExpression, type LateExtension } from '../../modules/late.ts'
import type { Session } from '../session.ts'

/** Stands in the manifest for its addresses, which depend on the chunk it ends up in. A free name: no bundler renames it. */
export const ADDRESSES = '__UNPLUGIN_LOCALIZATION_ADDRESSES__'

const MANIFEST = NULL_SPELLING.format({ kind: 'manifest' })

export interface OutputOptions {
  readonly format: string
  readonly entryFileNames: unknown
  readonly assetFileNames: unknown
}

export interface LateContext {
  getModuleInfo(id: string): unknown
  emitFile(file: object): unknown
  /** Vite only. */
  readonly environment?: { readonly config: { readonly consumer?: string } }
}

interface RenderedChunk {
  readonly fileName: string
}

interface CodeWithMap {
  readonly code: string
  readonly map: unknown
}

/** Hooks. They run once for each output, with its options. */
export function lateHooks(session: Session) {
  return {
    async renderStart(this: LateContext, output: OutputOptions) {
      if (!isForServer(this)) await emit(this, output, session)
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
        if (!code.includes(ADDRESSES)) return null
        const { late } = await session.ready()
        const extension = extensionOf(this, output)
        const { hashes } = await late(extension)
        const path = posix.relative(posix.dirname(chunk.fileName), folderOf(output))
        const base = path.startsWith('.') ? path : `./${path}`
        const { default: MagicString } = await import('magic-string')
        const text = new MagicString(code)
        text.replaceAll(ADDRESSES, addressesExpression({ extension, hashes, base: JSON.stringify(`${base}/`) }))
        return { code: text.toString(), map: text.generateMap({ hires: 'boundary' }) }
      },
    },
  }
}

/** Vite drops the assets of a build for a server, which Node will import: these come when that is done. */
export async function emitForServer(context: LateContext, output: OutputOptions, session: Session): Promise<void> {
  if (isForServer(context)) await emit(context, output, session)
}

async function emit(context: LateContext, output: OutputOptions, session: Session): Promise<void> {
  if (session.command === 'dev' || !context.getModuleInfo(MANIFEST)) return
  const { late } = await session.ready()
  const folder = folderOf(output)
  for (const { name, content } of (await late(extensionOf(context, output))).files) {
    context.emitFile({ type: 'asset', fileName: `${folder}/${name}`, name, originalFileName: name, source: content })
  }
}

function isForServer({ environment }: LateContext): boolean {
  return environment?.config.consumer === 'server'
}

/** Beside the other assets. */
function folderOf({ assetFileNames }: OutputOptions): string {
  const folder = typeof assetFileNames === 'string' ? posix.dirname(assetFileNames) : 'assets'
  return posix.join(folder.includes('[') ? 'assets' : folder, 'localization')
}

function extensionOf(context: LateContext, { format, entryFileNames }: OutputOptions): LateExtension {
  const isForNode =
    isForServer(context) || format === 'cjs' || (typeof entryFileNames === 'string' && entryFileNames.endsWith('.mjs'))
  return isForNode ? '.mjs' : '.js'
}
