/** The option `prune.perChunk` in esbuild: planned from the metafile when the build has ended. */
import { dirname, posix, relative, resolve } from 'node:path'
import type { BuildOptions, Metafile } from 'esbuild'
import { CHUNK_QUEUE, type DelayedImport, delayImports } from '../../../output/delayed-imports.ts'
import { stringLiteral } from '../../../output/literal.ts'
import { type ChunkExtension, perChunkExpression } from '../../../output/prebuilt-chunks.ts'
import { hashOf } from '../../../shared/hash.ts'
import { toPosix } from '../../../shared/paths.ts'
import type { CodeChunk } from '../../../usage/parts.ts'
import type { LoadedState } from '../../state.ts'

type Outputs = Metafile['outputs']

/** Which outputs are code. */
export function isScriptOf({ outExtension, outfile }: BuildOptions, root: string): (name: string) => boolean {
  const extension = outExtension?.['.js'] ?? '.js'
  const only = outfile === undefined ? undefined : toPosix(relative(root, resolve(root, outfile)))
  return (name) => name.endsWith(extension) || name === only
}

/** Why no texts can come with chunks; `undefined`: they can. */
export function perChunkHindrance({ splitting, format }: BuildOptions): string | undefined {
  // Without it, what is imported lazily stands in the file that imports it.
  return splitting && format === 'esm'
    ? undefined
    : 'esbuild makes chunks with `splitting: true` and `format: "esm"` only'
}

/** The entry points that a page may begin with; `undefined`: one of them is not a file that is named. */
export function entriesOf({ entryPoints = [] }: BuildOptions, root: string, outputs: Outputs): Set<string> | undefined {
  const given = Array.isArray(entryPoints)
    ? entryPoints.map((entry) => (typeof entry === 'string' ? entry : entry.in))
    : Object.values(entryPoints)
  const known = Object.values(outputs).flatMap(({ entryPoint }) => entryPoint ?? [])
  const entries = given.map((entry) =>
    known.find((name) => isNamed(name, toPosix(relative(root, resolve(root, entry))))),
  )
  return entries.includes(undefined) ? undefined : new Set(entries.filter((name) => name !== undefined))
}

/** An entry point may be named without its extension. */
function isNamed(name: string, entry: string): boolean {
  return name === entry || name.replace(/\.[^./]+$/, '') === entry
}

export interface ChunksInput {
  readonly root: string
  /** See `entriesOf`. Without it, every output that has an entry point counts as one. */
  readonly entries: ReadonlySet<string> | undefined
  readonly isScript: (name: string) => boolean
}

export function codeChunks(outputs: Outputs, { root, entries, isScript }: ChunksInput): CodeChunk[] {
  const scripts = Object.entries(outputs).filter(([name]) => isScript(name))
  const importedBy = (name: string, kind: string) =>
    (outputs[name]?.imports ?? []).filter((one) => one.kind === kind && one.external !== true).map(({ path }) => path)
  const lazy = new Set(scripts.flatMap(([name]) => importedBy(name, 'dynamic-import')))
  return scripts.map(([name, { inputs, entryPoint }]) => ({
    name,
    label: entryPoint ?? name,
    modules: Object.keys(inputs).map((input) => resolve(root, input)),
    imports: importedBy(name, 'import-statement'),
    dynamicImports: importedBy(name, 'dynamic-import'),
    // esbuild gives lazily loaded outputs an entry point too.
    isEntry: entryPoint !== undefined && (!lazy.has(name) || !entries || entries.has(entryPoint)),
  }))
}

/** The chunk's mark in the page. It does not depend on the content: new texts leave the importers as they are. */
function idOf(outputs: Outputs, chunk: string): string {
  return hashOf(outputs[chunk]?.entryPoint ?? chunk, 8)
}

/** The properties of the manifest's addresses. */
export async function perChunkIn(
  { prebuilt }: LoadedState,
  extension: ChunkExtension,
  outputs: Outputs,
): Promise<string> {
  return perChunkExpression(await prebuilt(extension), CHUNK_QUEUE, (chunk) => stringLiteral(idOf(outputs, chunk)))
}

export interface DelaysInput {
  /** As the metafile names it. */
  readonly name: string
  readonly code: string
  readonly outputs: Outputs
  readonly state: LoadedState
  readonly root: string
  readonly options: BuildOptions
}

/** What the chunk's imports of others wait for. */
export async function importDelays({
  name,
  code,
  outputs,
  state,
  root,
  options,
}: DelaysInput): Promise<DelayedImport[]> {
  const lazy = new Set(outputs[name]?.imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path))
  const chunks = (state.perChunk?.chunks ?? []).map(({ chunk }) => chunk).filter((chunk) => lazy.has(chunk))
  if (chunks.length === 0) return []
  const { parseSource } = await import('../../../usage/syntax/parse.ts')
  return delayImports(parseSource(code, name), {
    fileName: name,
    bringing: new Map(chunks.map((chunk) => [chunk, idOf(outputs, chunk)])),
    resolve: resolverOf(name, root, options),
  })
}

/** Chunks import each other by their place beside each other, or below the public path. */
function resolverOf(name: string, root: string, { publicPath = '', outdir = '' }: BuildOptions) {
  const folder = toPosix(relative(root, resolve(root, outdir)))
  return (specifier: string) =>
    publicPath !== '' && specifier.startsWith(publicPath)
      ? posix.join(folder, specifier.slice(publicPath.length))
      : posix.join(toPosix(dirname(name)), specifier)
}
