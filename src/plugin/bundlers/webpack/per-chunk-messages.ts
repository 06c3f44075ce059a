/** The option `prune.perChunk` in webpack and Rspack. The bundler's own chunk loader waits for the texts of a chunk. */
import { dirname, join } from 'node:path'
import type { Chunk, Compilation, Compiler, Module, RuntimeModule } from 'webpack'
import { stringLiteral } from '../../../output/literal.ts'
import { liveExpression, type PrebuiltChunks, perChunkExpression } from '../../../output/prebuilt-chunks.ts'
import { compareCodeUnits } from '../../../shared/split.ts'
import type { CodeChunk, CodeLoad } from '../../../usage/parts.ts'

type ChunkGroup = Compilation['chunkGroups'][number]

/** The runtime property that contains the hashes and columns of per-chunk texts. The manifest reads it. */
const HOLDER = '__webpack_require__.localization'

/** The code of the manifest's address properties that are known only when the chunks exist. */
export const ADDRESSES_AT_RUNTIME = `...${HOLDER}`

/**
 * Plans one `CodeChunk` for each chunk of the bundler. A module can run only after its chunk has been loaded. A chunk
 * that a page loads at its start counts as part of the page, even if it can also be loaded later. A chunk's name in the
 * plan is its index in `chunks`, because chunks get their ids later.
 */
export function planChunks(compilation: Compilation) {
  const { chunks: all, chunkGraph } = compilation
  const modulesOf = (chunk: Chunk) => chunkGraph.getChunkModules(chunk).flatMap(resourcesOf).sort()
  // Rspack lists chunks, groups and modules in a different order in each build.
  const inOrder = [...all]
    .map((chunk) => ({ chunk, modules: modulesOf(chunk), id: chunk.name ?? '' }))
    .sort((a, b) => compareCodeUnits([a.id, ...a.modules].join('\n'), [b.id, ...b.modules].join('\n')))
  const chunks = inOrder.map(({ chunk }) => chunk)
  const first = chunks.map(runsFirst)
  const lazy = [...chunks.keys()].filter((place) => !first[place]).map(String)
  const codeChunks = inOrder.map(({ modules }, place): CodeChunk => {
    const isEntry = first[place] ?? false
    return { name: String(place), modules, imports: [], dynamicImports: isEntry ? lazy : [], isEntry }
  })
  return { plan: { chunks: codeChunks, loads: loadsOf(compilation, chunks, codeChunks) }, chunks }
}

/** Returns true if the chunk is loaded at the start of a page or a worker, so that nothing can be loaded before it. */
function runsFirst(chunk: Chunk): boolean {
  return [...chunk.groupsIterable].some(isEntryPoint)
}

function isEntryPoint(group: ChunkGroup): boolean {
  return group.isInitial() || group.chunks.some((chunk) => chunk.hasRuntime())
}

/**
 * Returns one load for each group of chunks. The bundler loads all chunks of a group together, and each `import()` in a
 * module has its own group.
 */
function loadsOf(
  { chunkGroups, chunkGraph }: Compilation,
  chunks: readonly Chunk[],
  codeChunks: readonly CodeChunk[],
): CodeLoad[] {
  const loads = new Map<string, { readonly label: string; readonly isEntry: boolean; readonly places: Set<number> }>()
  for (const group of chunkGroups) {
    const isEntry = isEntryPoint(group)
    const groups = group.isInitial() ? withInitialParents(group) : [group]
    const own = groups.flatMap((each) => each.chunks.map((chunk) => chunks.indexOf(chunk)))
    const modules = own.flatMap((place) => codeChunks[place]?.modules ?? [])
    const entries = isEntry ? group.chunks.flatMap((chunk) => [...chunkGraph.getChunkEntryModulesIterable(chunk)]) : []
    const label = entries.flatMap(resourcesOf).at(-1) ?? importedBy(group, modules) ?? group.name ?? 'an unnamed chunk'
    const id = JSON.stringify([label, isEntry])
    loads.set(id, { label, isEntry, places: new Set([...(loads.get(id)?.places ?? []), ...own]) })
  }
  return [...loads]
    .sort(([a], [b]) => compareCodeUnits(a, b))
    .map(([, { label, isEntry, places }]) => {
      const names = [...places].sort((a, b) => a - b).map(String)
      return { label, isEntry, chunks: names, bringing: names }
    })
}

/** Returns the group, preceded by the entries that the page loads before it (`dependOn`). */
function withInitialParents(group: ChunkGroup): ChunkGroup[] {
  return [
    ...group
      .getParents()
      .filter((parent) => parent.isInitial())
      .flatMap(withInitialParents),
    group,
  ]
}

function resourcesOf(module: Module): string[] {
  const resource = resourceOf(module)
  if (resource !== undefined) return [resource]
  const { modules } = module as { modules?: Iterable<Module> }
  return modules ? [...modules].flatMap(resourcesOf) : []
}

/** The path of the module's file, with its query. Bundlers escape a `#` in the path with an invisible character. */
export function resourceOf(module: object | undefined): string | undefined {
  const { resource } = (module ?? {}) as { resource?: unknown }
  return typeof resource === 'string' ? resource.replace(/[\0\u200b]/g, '') : undefined
}

/**
 * Returns the module that the group's first `import()` loads. If that module is not found, returns the group's name or
 * the specifier.
 */
function importedBy({ origins, name }: ChunkGroup, modules: readonly string[]): string | undefined {
  const { module, request } = origins.find((origin) => origin.request) ?? {}
  if (!request) return undefined
  const resource = resourceOf(module ?? undefined)
  if (resource === undefined || !request.startsWith('.')) return name ?? request
  const path = join(dirname(resource), request)
  const isMeant = (id: string) => id === path || id.startsWith(`${path}.`) || id.startsWith(join(path, 'index.'))
  return modules.find(isMeant) ?? name ?? request
}

/** Creates the runtime module that is added to every file that contains the bundler's runtime. */
export function createPerChunkRuntime(
  { webpack }: Compiler,
  prebuilt: PrebuiltChunks,
  chunks: readonly Chunk[],
): RuntimeModule {
  const { RuntimeModule: Base } = webpack
  class PerChunkRuntime extends Base {
    constructor() {
      // This stage comes after the runtime modules that define the chunk loader.
      super('localization', Base.STAGE_ATTACH)
    }

    override generate(): string {
      const perChunk = perChunkExpression(prebuilt, '[]', (chunk) => {
        const id = chunks[Number(chunk)]?.id ?? undefined
        return typeof id === 'string' ? stringLiteral(id) : id?.toString()
      })
      const properties = [perChunk, liveExpression(prebuilt)].filter((each) => each !== undefined).join(', ')
      return [
        `${HOLDER} = { hashes: ${stringLiteral(prebuilt.hashes)}, ${properties} };`,
        'if (__webpack_require__.f) __webpack_require__.f.localization = function (id, promises) {',
        `  var queue = ${HOLDER}.queue;`,
        `  if (${HOLDER}.chunks.some(function (chunk) { return chunk[0] === id; })) promises.push(queue.push(id));`,
        '};',
      ].join('\n')
    }
  }
  return new PerChunkRuntime()
}
