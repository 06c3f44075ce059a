/** Texts that come with chunks in webpack and Rspack: told by the bundler's own loader of chunks, which waits for them. */
import type { Chunk, Compilation, Compiler, Module, RuntimeModule } from 'webpack'
import { stringLiteral } from '../../../output/literal.ts'
import { type PrebuiltChunks, perChunkExpression } from '../../../output/prebuilt-chunks.ts'
import type { CodeChunk } from '../../../usage/parts.ts'

/** What the runtime module leaves for the manifest. */
const HOLDER = '__webpack_require__.localization'

/** The properties of the manifest's addresses that are known when there are chunks. */
export const ADDRESSES_AT_RUNTIME = `...${HOLDER}`

export interface ChunkNames {
  add(chunk: Chunk): string
  /** As the output knows it, when it does. */
  idOf(name: string): string | number | null
}

/** Chunks get their ids last. */
export function createChunkNames(): ChunkNames {
  const chunks: Chunk[] = []
  return {
    add: (chunk) => String(chunks.push(chunk) - 1),
    idOf: (name) => chunks[Number(name)]?.id ?? null,
  }
}

/**
 * Each chunk by itself: its modules can only run when it has been loaded, by itself or with others. What may be loaded with a page is the
 * page's.
 */
export function codeChunks({ chunks, chunkGraph }: Compilation, names: ChunkNames): CodeChunk[] {
  const all = [...chunks].map((chunk) => {
    const modules = chunkGraph.getChunkModules(chunk).flatMap(resourcesOf)
    const label = chunk.name ?? originOf(chunk)
    return { name: names.add(chunk), ...(label && { label }), modules, imports: [], isEntry: chunk.canBeInitial() }
  })
  const lazy = all.filter(({ isEntry }) => !isEntry).map(({ name }) => name)
  return all.map((chunk) => ({ ...chunk, dynamicImports: chunk.isEntry ? lazy : [] }))
}

function resourcesOf(module: Module): string[] {
  const { resource, modules } = module as { resource?: unknown; modules?: Iterable<Module> }
  if (typeof resource === 'string') return [resource]
  return modules ? [...modules].flatMap(resourcesOf) : []
}

/** How the code asks for it. */
function originOf(chunk: Chunk): string | undefined {
  for (const group of chunk.groupsIterable) for (const { request } of group.origins) if (request) return request
  return undefined
}

/** A module of the bundler's runtime, in every file that has one. */
export function createPerChunkRuntime(
  { webpack }: Compiler,
  prebuilt: PrebuiltChunks,
  names: ChunkNames,
): RuntimeModule {
  const { RuntimeModule: Base } = webpack
  class PerChunkRuntime extends Base {
    constructor() {
      // Behind what makes the loader.
      super('localization', Base.STAGE_ATTACH)
    }

    override generate(): string {
      const parts = perChunkExpression(prebuilt, '[]', (chunk) => {
        const id = names.idOf(chunk)
        return id === null ? undefined : typeof id === 'number' ? String(id) : stringLiteral(id)
      })
      return [
        `${HOLDER} = { hashes: ${stringLiteral(prebuilt.hashes)}, ${parts} };`,
        'if (__webpack_require__.f) __webpack_require__.f.localization = function (id, promises) {',
        `  var queue = ${HOLDER}.queue;`,
        `  if (${HOLDER}.chunks.some(function (chunk) { return chunk[0] === id; })) promises.push(queue.push(id));`,
        '};',
      ].join('\n')
    }
  }
  return new PerChunkRuntime()
}
