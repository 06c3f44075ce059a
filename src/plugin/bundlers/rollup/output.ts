/** An output of Rollup, Rolldown or Vite: where it is written, and where its texts go. */
import { dirname, posix, resolve } from 'node:path'
import type { NormalizedOutputOptions, PluginContext, RenderedChunk } from 'rollup'
import type { ChunkExtension } from '../../../output/prebuilt-chunks.ts'
import { toPosix } from '../../../shared/paths.ts'

/** Rolldown's and Vite's contexts have the same members that the plugin reads. Vite adds an environment. */
export type OutputContext = PluginContext & {
  readonly meta: { readonly rolldownVersion?: string }
  readonly environment?: { readonly name: string; readonly config: { readonly consumer?: string } }
}

/** Chunks by file name. */
export type RenderedChunks = Readonly<Record<string, RenderedChunk>>

/** The absolute folder that the output is written to. */
export function outputFolder({ dir = '', file }: NormalizedOutputOptions): string {
  return toPosix(resolve(file === undefined ? dir : dirname(file)))
}

/** The folder of message files: next to the other assets, because some frameworks publish only those. */
export function messageFolder({ assetFileNames }: NormalizedOutputOptions): string {
  const names = { name: 'text.js', names: ['text.js'], originalFileName: null, originalFileNames: [] }
  const pattern =
    typeof assetFileNames === 'function' ? assetFileNames({ ...names, type: 'asset', source: '' }) : assetFileNames
  const folder = typeof pattern === 'string' ? posix.dirname(pattern) : 'assets'
  return posix.join(folder.includes('[') ? 'assets' : folder, 'localization')
}

/** True if `import()`s are bundled into the same file. */
export function isOneFile(output: NormalizedOutputOptions): boolean {
  const { format, inlineDynamicImports } = output
  // Rolldown's name of the option.
  const { codeSplitting } = output as { readonly codeSplitting?: unknown }
  return format === 'iife' || format === 'umd' || inlineDynamicImports || codeSplitting === false
}

export function messageExtension({ format, entryFileNames }: NormalizedOutputOptions): ChunkExtension {
  const isForNode = format === 'cjs' || (typeof entryFileNames === 'string' && entryFileNames.endsWith('.mjs'))
  return isForNode ? '.mjs' : '.js'
}
