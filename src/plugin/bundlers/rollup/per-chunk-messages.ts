/** Texts that come with chunks in Rollup, Rolldown and Vite: planned when chunks are known, and asked for where one imports another. */
import { isAbsolute, posix, relative } from 'node:path'
import { CHUNK_QUEUE, type DelayedImport, delayImports } from '../../../output/delayed-imports.ts'
import { stringLiteral } from '../../../output/literal.ts'
import { perChunkExpression } from '../../../output/prebuilt-chunks.ts'
import { hashOf } from '../../../shared/hash.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { CodeChunk } from '../../../usage/parts.ts'
import type { LoadedState } from '../../state.ts'

export interface OutputChunk {
  readonly fileName: string
  readonly name?: string
  readonly facadeModuleId?: string | null
  readonly isEntry: boolean
  readonly isImplicitEntry?: boolean
  readonly imports: readonly string[]
  readonly dynamicImports: readonly string[]
  readonly modules: { readonly [id: string]: unknown }
}

/** By file name. */
export type OutputChunks = Readonly<Record<string, OutputChunk>>

export function* codeChunks(chunks: OutputChunks): Iterable<CodeChunk> {
  for (const chunk of Object.values(chunks)) {
    const { fileName, modules, imports, dynamicImports, isEntry, isImplicitEntry = false } = chunk
    yield {
      name: fileName,
      label: chunk.facadeModuleId ?? chunk.name ?? fileName,
      modules: Object.keys(modules),
      imports,
      dynamicImports,
      isEntry: isEntry || isImplicitEntry,
    }
  }
}

/** The chunk's mark in the page: of its own module, not of its content, so that other texts leave the importers as they are. */
function idOf({ facadeModuleId, name = '', modules }: OutputChunk, root: string): string {
  const own = facadeModuleId ? [facadeModuleId] : [name, ...Object.keys(modules)]
  return hashOf(own.map((path) => (isAbsolute(path) ? toPosix(relative(root, path)) : path)).join('\n'), 8)
}

/** The properties of the manifest's addresses. */
export async function perChunkIn({ prebuilt, config }: LoadedState, extension: '.js' | '.mjs', chunks: OutputChunks) {
  return perChunkExpression(await prebuilt(extension), CHUNK_QUEUE, (chunk) => {
    const own = chunks[chunk]
    return own && stringLiteral(idOf(own, config.root))
  })
}

/** What the chunk's imports of others wait for. */
export function delaysOf(
  parse: () => unknown,
  { fileName, dynamicImports }: Pick<OutputChunk, 'fileName' | 'dynamicImports'>,
  { perChunk, config }: LoadedState,
  chunks: OutputChunks,
): DelayedImport[] {
  const bringing = new Map<string, string>()
  for (const { chunk: name } of perChunk?.chunks ?? []) {
    const chunk = chunks[name]
    if (chunk && dynamicImports.includes(name)) bringing.set(name, idOf(chunk, config.root))
  }
  const resolve = (specifier: string) => posix.join(posix.dirname(fileName), specifier)
  return bringing.size === 0 ? [] : delayImports(parse(), { fileName, bringing, resolve })
}
