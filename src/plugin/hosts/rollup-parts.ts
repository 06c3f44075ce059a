/** Texts that come with chunks in Rollup, Rolldown and Vite: planned when chunks are known, and asked for where one imports another. */
import { isAbsolute, posix, relative } from 'node:path'
import { LocalizationError } from '../../errors.ts'
import { partsExpression } from '../../modules/late.ts'
import { stringLiteral } from '../../modules/literal.ts'
import { hashOf } from '../../shared/hash.ts'
import { toPosix } from '../../shared/paths.ts'
import type { CodeChunk } from '../../usage/parts.ts'
import type { LoadedState } from '../state.ts'

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

/** A list that the chunks and the manifest of one page share, whichever runs first. */
const QUEUE = '(globalThis.__localizationChunks = globalThis.__localizationChunks || [])'

/** The chunk's mark in the page: of its own module, not of its content, so that other texts leave the importers as they are. */
function idOf({ facadeModuleId, name = '', modules }: OutputChunk, root: string): string {
  const own = facadeModuleId ? [facadeModuleId] : [name, ...Object.keys(modules)]
  return hashOf(own.map((path) => (isAbsolute(path) ? toPosix(relative(root, path)) : path)).join('\n'), 8)
}

/** The properties of the manifest's addresses. */
export async function partsIn({ late, config }: LoadedState, extension: '.js' | '.mjs', chunks: OutputChunks) {
  const { parts } = await late(extension)
  return partsExpression(parts, QUEUE, (chunk) => {
    const own = chunks[chunk]
    return own && stringLiteral(idOf(own, config.root))
  })
}

/** What is used of a code that is edited. */
interface TextEditor {
  appendLeft(at: number, text: string): unknown
  appendRight(at: number, text: string): unknown
}

/** Any node of a syntax tree that says where it stands. */
interface TreeNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly source?: { readonly type: string; readonly value?: unknown }
}

/** Each import of a chunk that brings texts waits for them. Throws where such an import is none: another plugin has written it. */
export function guardImports(
  tree: unknown,
  { fileName, dynamicImports }: Pick<OutputChunk, 'fileName' | 'dynamicImports'>,
  { parted, config }: LoadedState,
  chunks: OutputChunks,
  text: TextEditor,
): void {
  const bringing = new Set(parted?.parts.map(({ chunk }) => chunk))
  const unseen = new Set(dynamicImports.filter((name) => bringing.has(name)))
  for (const { source, start, end } of dynamicImportsIn(tree)) {
    if (typeof source?.value !== 'string') continue
    const chunk = chunks[posix.join(posix.dirname(fileName), source.value)]
    if (!chunk || !bringing.has(chunk.fileName)) continue
    const address = `new URL(${stringLiteral(source.value)}, import.meta.url).href`
    const push = `${QUEUE}.push(${stringLiteral(idOf(chunk, config.root))}, ${address})`
    text.appendLeft(start, `Promise.resolve(${push}).then(() => `)
    text.appendRight(end, ')')
    unseen.delete(chunk.fileName)
  }
  for (const name of unseen) {
    throw new LocalizationError(`prune.perChunk: ${fileName} loads ${name}, and not by import()`, {
      code: 'CONFIG_INVALID',
      hint: 'Another plugin has rewritten the import. Turn prune.perChunk off.',
    })
  }
}

function* dynamicImportsIn(tree: unknown): Iterable<TreeNode> {
  const pending = [tree]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (typeof node !== 'object' || node === null) continue
    if ((node as TreeNode).type === 'ImportExpression') yield node as TreeNode
    for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) pending.push(child)
  }
}
