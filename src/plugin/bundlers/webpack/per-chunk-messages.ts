/** `prune.perChunk` in webpack and Rspack: the bundler's own chunk loader waits for the texts of a chunk. */
import type { Chunk, Compilation, Compiler, Module, RuntimeModule } from 'webpack'
import { stringLiteral } from '../../../output/literal.ts'
import { type PrebuiltChunks, perChunkExpression } from '../../../output/prebuilt-chunks.ts'
import type { CodeChunk } from '../../../usage/parts.ts'

/** What the runtime module leaves for the manifest. */
const HOLDER = '__webpack_require__.localization'

/** The properties of the manifest's addresses that are known when there are chunks. */
export const ADDRESSES_AT_RUNTIME = `...${HOLDER}`

export interface ChunkPlan {
  /** Each chunk is named by its place in `chunks`: chunks get their ids later. */
  readonly codeChunks: readonly CodeChunk[]
  readonly chunks: readonly Chunk[]
}

/**
 * Each chunk by itself: its modules can only run when it has been loaded, by itself or with others. A chunk that may be
 * loaded with a page belongs to the page.
 */
export function planChunks({ chunks: all, chunkGraph }: Compilation): ChunkPlan {
  const chunks = [...all]
  const lazy = [...chunks.keys()].filter((place) => chunks[place]?.canBeInitial() === false).map(String)
  const codeChunks = chunks.map((chunk, place) => {
    const label = chunk.name ?? originOf(chunk)
    const modules = chunkGraph.getChunkModules(chunk).flatMap(resourcesOf)
    const isEntry = chunk.canBeInitial()
    const dynamicImports = isEntry ? lazy : []
    return { name: String(place), ...(label && { label }), modules, imports: [], dynamicImports, isEntry }
  })
  return { codeChunks, chunks }
}

function resourcesOf(module: Module): string[] {
  const { resource, modules } = module as { resource?: unknown; modules?: Iterable<Module> }
  if (typeof resource === 'string') return [resource]
  return modules ? [...modules].flatMap(resourcesOf) : []
}

/** The request of the first `import()` of the chunk. */
function originOf(chunk: Chunk): string | undefined {
  for (const group of chunk.groupsIterable) for (const { request } of group.origins) if (request) return request
  return undefined
}

/** A module of the bundler's runtime, in every file that has one. */
export function createPerChunkRuntime(
  { webpack }: Compiler,
  prebuilt: PrebuiltChunks,
  chunks: readonly Chunk[],
): RuntimeModule {
  const { RuntimeModule: Base } = webpack
  class PerChunkRuntime extends Base {
    constructor() {
      // Behind what makes the loader.
      super('localization', Base.STAGE_ATTACH)
    }

    override generate(): string {
      const perChunk = perChunkExpression(prebuilt, '[]', (chunk) => {
        const id = chunks[Number(chunk)]?.id ?? undefined
        return typeof id === 'string' ? stringLiteral(id) : id?.toString()
      })
      return [
        `${HOLDER} = { hashes: ${stringLiteral(prebuilt.hashes)}, ${perChunk} };`,
        'if (__webpack_require__.f) __webpack_require__.f.localization = function (id, promises) {',
        `  var queue = ${HOLDER}.queue;`,
        `  if (${HOLDER}.chunks.some(function (chunk) { return chunk[0] === id; })) promises.push(queue.push(id));`,
        '};',
      ].join('\n')
    }
  }
  return new PerChunkRuntime()
}
