/**
 * Per-chunk messages for outputs in which each chunk is loaded with `import()`. The import waits for the chunk's
 * messages.
 */
import { LocalizationError } from '../errors.ts'
import { stringLiteral } from './literal.ts'

/** A list that the page's chunks and the manifest share. Whichever runs first creates it. */
export const CHUNK_QUEUE = '(globalThis.__localizationChunks = globalThis.__localizationChunks || [])'

export interface DelayedImport {
  readonly start: number
  readonly end: number
  /** The code to insert before and after the expression. */
  readonly before: string
  readonly after: string
}

export interface ImportingChunk {
  /** The file name of the importing chunk, for error messages. */
  readonly fileName: string
  /**
   * The imported chunks that have their own messages. The key is the chunk's name, and the value is the id to push for
   * it.
   */
  readonly bringing: ReadonlyMap<string, string>
  /** Returns the chunk that a specifier in this chunk refers to. */
  resolve(specifier: string): string
}

/**
 * Makes each import of a chunk that has messages wait for them. Throws if such a chunk is not loaded with `import()`.
 */
export function delayImports(tree: unknown, { fileName, bringing, resolve }: ImportingChunk): DelayedImport[] {
  const unseen = new Set(bringing.keys())
  const delayed: DelayedImport[] = []
  for (const { specifier, start, end } of dynamicImportsIn(tree)) {
    const chunk = resolve(specifier)
    const id = bringing.get(chunk)
    if (id === undefined) continue
    // `globalThis`, because the app may define its own `URL`.
    const address = `new globalThis.URL(${stringLiteral(specifier)}, import.meta.url).href`
    const push = `${CHUNK_QUEUE}.push(${stringLiteral(id)}, ${address})`
    delayed.push({ start, end, before: `globalThis.Promise.resolve(${push}).then(() => `, after: ')' })
    unseen.delete(chunk)
  }
  for (const name of unseen) {
    throw new LocalizationError(`prune.perChunk: ${fileName} loads ${name} without import()`, {
      code: 'CONFIG_INVALID',
      hint: 'Another plugin rewrites import(), or the output has no import(). Turn prune.perChunk off.',
    })
  }
  return delayed
}

interface TreeNode {
  readonly type?: unknown
  readonly start: number
  readonly end: number
  readonly source?: { readonly value?: unknown }
}

function* dynamicImportsIn(tree: unknown) {
  const pending = [tree]
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const { type, source, start, end } = node as TreeNode
    const specifier = source?.value
    if (type === 'ImportExpression' && typeof specifier === 'string') yield { specifier, start, end }
    for (const child of Object.values(node as object))
      if (typeof child === 'object' && child !== null) pending.push(child)
  }
}
