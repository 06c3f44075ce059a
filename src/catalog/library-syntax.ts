/** The syntax of the library that shows the texts: what it refuses, and the keys that a text refers to. Pure. */
import { parse } from '@formatjs/icu-messageformat-parser'
import { describeProblem } from './placeholders.ts'
import { error, type Problem, warning } from './problem.ts'

export interface LibrarySyntax {
  /** What the library refuses, or shows as it is written. */
  readonly check: (text: string) => readonly Problem[]
  /** The fixed keys that the text refers to. A key that is computed is left out. */
  readonly references: (text: string) => readonly string[]
}

/** The part of `@intlify/message-compiler` that is used. */
export interface MessageCompiler {
  readonly createParser: (options: { readonly onError: (error: CompileError) => void }) => {
    readonly parse: (text: string) => unknown
  }
}

interface CompileError extends Error {
  readonly location?: { readonly end?: { readonly offset?: number } } | null
}

/** vue-i18n, by its own compiler. */
export function vueI18nSyntax(compiler: MessageCompiler): LibrarySyntax {
  return {
    check(text) {
      if (!/[{}@|]/.test(text)) return []
      const refusal = parseVue(compiler, text).error
      if (!refusal) return []
      const at = refusal.location?.end?.offset
      const where = at === undefined ? '' : ` at character ${[...text.slice(0, at)].length + 1}`
      // In production, vue-i18n has numbers in place of messages.
      const message = /^\d+$/.test(refusal.message) ? 'invalid syntax' : refusal.message
      const what = message.replace(/^./, (letter) => letter.toLowerCase()).split('\n')[0]
      return [error('syntax', `is refused by vue-i18n: ${what}${where}${adviceFor(compiler, text)}`)]
    },
    references: (text) => (text.includes('@') ? linkedKeys(parseVue(compiler, text).tree) : []),
  }
}

function parseVue(compiler: MessageCompiler, text: string): { readonly tree?: unknown; readonly error?: CompileError } {
  const errors: CompileError[] = []
  try {
    const tree = compiler.createParser({ onError: (each) => errors.push(each) }).parse(text)
    const [first] = errors
    return first ? { error: first } : { tree }
  } catch (cause) {
    return { error: errors[0] ?? (cause as CompileError) }
  }
}

const ATTEMPTS = 10
const asLiteral = (character: string) => `{'${character}'}`

/** The smallest change that the compiler accepts: one character as a literal, else all of a kind. */
function adviceFor(compiler: MessageCompiler, text: string): string {
  const places = [...text.matchAll(/[{}@|]/g)].slice(0, ATTEMPTS)
  const isAccepted = (changed: string) => parseVue(compiler, changed).error === undefined
  for (const { 0: character, index } of places)
    if (isAccepted(text.slice(0, index) + asLiteral(character) + text.slice(index + 1)))
      return `; write ${asLiteral(character)} for "${character}" at character ${[...text.slice(0, index)].length + 1}`
  const kinds = [/@/g, /\|/g, /[{}]/g, /[{}@|]/g]
  const kind = kinds.find((each) => isAccepted(text.replace(each, asLiteral)))
  if (!kind) return ''
  const found = [...new Set(text.match(kind))]
  return `; write ${found.map((each) => `${asLiteral(each)} for "${each}"`).join(', ')}`
}

/** Of the compiler's syntax tree. */
const LINKED = 6
const LINKED_KEY = 7
const LITERAL = 9

function linkedKeys(tree: unknown): string[] {
  if (Array.isArray(tree)) return tree.flatMap(linkedKeys)
  if (typeof tree !== 'object' || tree === null) return []
  const { type, key, body, cases, items } = tree as Record<string, unknown>
  if (type !== LINKED) return linkedKeys([body, cases, items].filter((each) => each !== undefined))
  const { type: kind, value } = key as { readonly type: unknown; readonly value?: unknown }
  return typeof value === 'string' && (kind === LINKED_KEY || kind === LITERAL) ? [value] : []
}

/** ICU messages. @param hasTags whether `<b>` is a part of the syntax, as in react-intl */
export function icuSyntax(hasTags: boolean): LibrarySyntax {
  return {
    check(text) {
      if (!/[{}<]/.test(text)) return []
      try {
        parse(text, { ignoreTag: !hasTags })
        return []
      } catch (cause) {
        return [error('icu', `is no ICU message: ${describeProblem(cause)}`)]
      }
    },
    references: () => [],
  }
}

/** As i18next reads them, with its own prefixes and suffixes. */
const INTERPOLATION = /\{\{(.+?)\}\}/g
const NESTING = /\$t\(((?:[^()"']|"[^"]*"|'[^']*'|\((?:[^()"']|"[^"]*"|'[^']*')*\))*?)\)/g

/** i18next without ICU. It throws nothing: what it does not read, the page shows. */
export const i18nextSyntax: LibrarySyntax = {
  check(text) {
    if (!/\{\{|\$t\(/.test(text)) return []
    const found: Problem[] = []
    const isUnclosed = [...text.matchAll(INTERPOLATION)].some(([, name]) => name?.includes('{{'))
    if (isUnclosed || text.replace(INTERPOLATION, '').includes('{{'))
      found.push(warning('syntax', 'has "{{" without "}}", which i18next does not replace'))
    if (text.replace(NESTING, '').includes('$t('))
      found.push(warning('syntax', 'has "$t(" that is not closed, which i18next does not replace'))
    for (const [whole, inside = ''] of text.matchAll(NESTING))
      if (!hasReadableOptions(inside))
        found.push(warning('syntax', `has options that are no JSON: ${whole}; write $t(key, {"count": 1})`))
    return found
  },
  references(text) {
    if (!text.includes('$t(')) return []
    const keys = [...text.matchAll(NESTING)].map(([, inside = '']) => (inside.split(',')[0] ?? '').trim())
    return keys.filter((key) => key !== '' && !/[{}]/.test(key))
  },
}

function hasReadableOptions(inside: string): boolean {
  const options = /,\s*(\{.*\})/s.exec(inside)?.[1]
  // Values come in between.
  if (options === undefined || options.includes('{{')) return true
  const isSingle = !options.includes('"') || (options.match(/"/g)?.length ?? 0) % 2 !== 0
  try {
    JSON.parse(isSingle ? options.replaceAll("'", '"') : options)
    return true
  } catch {
    return false
  }
}
