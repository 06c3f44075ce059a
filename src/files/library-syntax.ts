/** The message syntax of the project's i18n library: what it throws on, and the texts that a text refers to. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { MessageSyntax } from '../catalog/message-syntax.ts'

interface CompileOptions {
  readonly onError: (error: Error) => void
}

type Compile = (text: string, options: CompileOptions) => { readonly ast?: unknown }

/** A text without these characters needs no compiler. */
const SPECIAL = /[{}@|]/

/**
 * The syntax of the vue-i18n that the project has installed, by its own message compiler; `undefined`: the project has
 * none.
 */
export function loadVueSyntax(root: string): MessageSyntax | undefined {
  const compile = loadCompiler(join(root, 'package.json'), ['vue-i18n', '@intlify/core-base'])
  if (!compile) return undefined
  const read = (text: string) => (SPECIAL.test(text) ? compiled(compile, text) : undefined)
  return {
    problemIn(text) {
      const { problem } = read(text) ?? {}
      return problem === undefined ? undefined : `${problem}; ${adviceFor(compile, text)}`
    },
    referencesIn: (text) => (text.includes('@') ? [...linkedKeys(read(text)?.ast)] : []),
  }
}

/** Package managers without hoisting show a dependency only to the package that names it. */
function loadCompiler(from: string, path: readonly string[]): Compile | undefined {
  const require = createRequire(from)
  try {
    return require('@intlify/message-compiler').baseCompile
  } catch {
    const [next, ...rest] = path
    if (next === undefined) return undefined
    try {
      return loadCompiler(require.resolve(next), rest)
    } catch {
      return undefined
    }
  }
}

function compiled(compile: Compile, text: string): { readonly problem?: string; readonly ast?: unknown } {
  try {
    const { ast } = compile(text, {
      onError(error) {
        throw error
      },
    })
    return { ast }
  } catch (cause) {
    return { problem: cause instanceof Error ? cause.message : String(cause) }
  }
}

/** Names one character if escaping it is enough. */
function adviceFor(compile: Compile, text: string): string {
  const special = ['@', '{', '}', '|'].filter((each) => text.includes(each))
  const enough = special.find((each) => !compiled(compile, text.replaceAll(each, `{'${each}'}`)).problem)
  const escaped = (enough === undefined ? special : [enough]).map((each) => `{'${each}'}`)
  return `write ${escaped.join(', ')} to show the character itself`
}

/** Types of nodes in the compiler's syntax tree, the same since version 9. */
const LINKED = 6
const LINKED_KEY = 7
const LITERAL = 9

interface SyntaxNode {
  readonly type?: unknown
  readonly key?: { readonly type?: unknown; readonly value?: unknown }
}

/** Keys behind `@:`, but those that a placeholder gives. */
function* linkedKeys(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return
  const { type, key } = node as SyntaxNode
  if (type === LINKED && (key?.type === LINKED_KEY || key?.type === LITERAL) && typeof key.value === 'string')
    yield key.value
  for (const child of Object.values(node)) yield* linkedKeys(child)
}

/** `$t(key)`, `$t(key, { ... })`, in i18next's default spelling. */
const NESTING = /\$t\(\s*([^\s,(){}][^,(){}]*?)\s*[,)]/g

/** i18next throws on no text. A text refers to others by `$t(...)`. */
export const I18NEXT_SYNTAX: MessageSyntax = {
  problemIn: () => undefined,
  referencesIn: (text) => (text.includes('$t(') ? Array.from(text.matchAll(NESTING), ([, key = '']) => key) : []),
}
