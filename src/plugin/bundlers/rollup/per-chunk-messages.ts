/** `prune.perChunk` in Rollup, Rolldown and Vite: planned when chunks are known, requested by the importing chunk. */
import { isAbsolute, posix, relative } from 'node:path'
import type { RenderedChunk } from 'rollup'
import { CHUNK_QUEUE, type DelayedImport, delayImports } from '../../../output/delayed-imports.ts'
import { stringLiteral } from '../../../output/literal.ts'
import { type ChunkExtension, perChunkExpression } from '../../../output/prebuilt-chunks.ts'
import { hashOf } from '../../../shared/hash.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { CodeChunk } from '../../../usage/parts.ts'
import type { LoadedState } from '../../state.ts'
import type { RenderedChunks } from './output.ts'

export function codeChunks(chunks: RenderedChunks): CodeChunk[] {
  return Object.values(chunks).map((chunk) => ({
    name: chunk.fileName,
    label: chunk.facadeModuleId ?? lastModuleOf(chunk) ?? chunk.name,
    modules: Object.keys(chunk.modules),
    imports: chunk.imports,
    dynamicImports: chunk.dynamicImports,
    isEntry: chunk.isEntry || chunk.isImplicitEntry,
  }))
}

/** A chunk that several entries and `import()`s share stands for none of them, and is named after its last module. */
function lastModuleOf({ modules, name }: RenderedChunk): string | undefined {
  const last = Object.keys(modules).at(-1)
  return last !== undefined && posix.basename(toPosix(last)).startsWith(`${name}.`) ? last : undefined
}

/** The chunk's mark in the page. It does not depend on the content: new texts leave the importers as they are. */
function idOf({ facadeModuleId, name = '', modules }: RenderedChunk, root: string): string {
  const own = facadeModuleId ? [facadeModuleId] : [name, ...Object.keys(modules)]
  return hashOf(own.map((path) => (isAbsolute(path) ? toPosix(relative(root, path)) : path)).join('\n'), 8)
}

/** The properties of the manifest's addresses. */
export async function perChunkIn({ prebuilt, config }: LoadedState, extension: ChunkExtension, chunks: RenderedChunks) {
  return perChunkExpression(await prebuilt(extension), CHUNK_QUEUE, (chunk) => {
    const own = chunks[chunk]
    return own && stringLiteral(idOf(own, config.root))
  })
}

/** What the chunk's imports of others wait for. */
export function importDelays(
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
