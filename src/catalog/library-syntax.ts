/** The syntax of the app's library: the errors that the library reports, and the keys to which a text refers. Pure. */
import { parse } from '@formatjs/icu-messageformat-parser'
import { escapeRegExp } from '../shared/escape.ts'
import { error, type Problem, warning } from './finding.ts'
import { describeProblem } from './placeholders.ts'

export interface LibrarySyntax {
  /** Finds the parts of a text that the library rejects or shows unformatted. */
  readonly check: (text: string) => readonly Problem[]
  /** The fixed keys to which the text refers. Omits computed keys. */
  readonly references: (text: string) => readonly Reference[]
  /** The separators that the library accepts in addition to `:` (after the namespace) and `.` (between segments). */
  readonly separators?: readonly string[]
}

export interface Reference {
  readonly key: string
  /** True if the key may also be an object or an array. */
  readonly mayBeBranch?: boolean
}

/** The part of `@intlify/message-compiler` that this module uses. */
export interface MessageCompiler {
  readonly createParser: (options: { readonly onError: (error: CompileError) => void }) => {
    readonly parse: (text: string) => unknown
  }
}

interface CompileError extends Error {
  readonly location?: { readonly end?: { readonly offset?: number } } | null
}

const VUE_MODIFIERS: ReadonlySet<string> = new Set(['upper', 'lower', 'capitalize'])

/**
 * vue-i18n's syntax, checked by its own compiler.
 * @param hasModifiers true if the app may have custom modifiers, as in `@.kebab:key`
 */
export function vueI18nSyntax(compiler: MessageCompiler, hasModifiers = false): LibrarySyntax {
  return {
    check(text) {
      if (!/[{}@|]/.test(text)) return []
      const { error: refusal, tree } = parseVue(compiler, text)
      if (!refusal) {
        const unknown = hasModifiers ? undefined : linksIn(tree).find(({ name }) => name && !VUE_MODIFIERS.has(name))
        const known = [...VUE_MODIFIERS].join(', ')
        return unknown ? [error('syntax', `has the modifier "${unknown.name}", but vue-i18n knows only ${known}`)] : []
      }
      const at = refusal.location?.end?.offset
      const where = at === undefined ? '' : ` at character ${[...text.slice(0, at)].length + 1}`
      // In production, vue-i18n's errors are numbers instead of messages.
      const message = /^\d+$/.test(refusal.message) ? 'invalid syntax' : refusal.message
      const what = message.replace(/^./, (letter) => letter.toLowerCase()).split('\n')[0]
      return [error('syntax', `is rejected by vue-i18n: ${what}${where}${adviceFor(compiler, text)}`)]
    },
    references: (text) =>
      text.includes('@')
        ? linksIn(parseVue(compiler, text).tree).flatMap(({ key }) => (key === undefined ? [] : [{ key }]))
        : [],
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

/**
 * Suggests the smallest change that makes the compiler accept the text: writing one character as a literal, or else
 * all characters of one kind.
 */
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

/** The node types in the compiler's syntax tree. */
const LINKED = 6
const LINKED_KEY = 7
const LITERAL = 9

interface Link {
  readonly name?: string | undefined
  /** The key; `undefined` if it is computed. */
  readonly key?: string | undefined
}

interface VueNode extends Readonly<Record<'body' | 'cases' | 'items', unknown>> {
  readonly type: number
  readonly key?: { readonly type: number; readonly value?: string }
  readonly modifier?: { readonly value: string }
}

function linksIn(tree: unknown): Link[] {
  if (Array.isArray(tree)) return tree.flatMap(linksIn)
  if (typeof tree !== 'object' || tree === null) return []
  const { type, key, modifier, body, cases, items } = tree as VueNode
  if (type !== LINKED) return linksIn([body, cases, items].filter((each) => each !== undefined))
  const isFixed = key?.type === LINKED_KEY || key?.type === LITERAL
  return [{ name: modifier?.value, key: isFixed ? key.value : undefined }]
}

/** @param hasTags true if tags such as `<b>` are part of the syntax, as in react-intl */
export function icuSyntax(hasTags: boolean): LibrarySyntax {
  return {
    check(text) {
      if (!/[{}<]/.test(text)) return []
      try {
        parse(text, { ignoreTag: !hasTags })
        return []
      } catch (cause) {
        return [error('icu', `is not a valid ICU message: ${describeProblem(cause)}`)]
      }
    },
    references: () => [],
  }
}

/** i18next's options. `undefined`: the default. `false`: unknown, so no check may rely on it. */
export interface I18nextSettings {
  readonly prefix?: string | false | undefined
  readonly suffix?: string | false | undefined
  readonly nestingPrefix?: string | false | undefined
  readonly nestingSuffix?: string | false | undefined
  readonly separators?: readonly string[] | false
}

/** i18next's syntax without ICU. i18next never throws: it shows the parts of a text that it does not understand. */
export function i18nextSyntax(settings: I18nextSettings = {}): LibrarySyntax {
  const { prefix = '{{', suffix = '}}', nestingPrefix = '$t(', nestingSuffix = ')', separators = [] } = settings
  // If both markers are the same, as in `%name%`, they may also be ordinary characters.
  const marks = prefix && suffix && prefix !== suffix ? { prefix, suffix } : undefined
  const interpolation = marks && new RegExp(`${escapeRegExp(marks.prefix)}(.+?)${escapeRegExp(marks.suffix)}`, 'g')
  const nesting = nestingPrefix && nestingSuffix ? nestingPattern(nestingPrefix, nestingSuffix) : undefined
  return {
    check(text) {
      const found: Problem[] = []
      if (marks && interpolation && text.includes(marks.prefix)) {
        const isUnclosed = [...text.matchAll(interpolation)].some(([, name]) => name?.includes(marks.prefix))
        if (isUnclosed || text.replace(interpolation, '').includes(marks.prefix))
          found.push(
            warning('syntax', `has "${marks.prefix}" without "${marks.suffix}", which i18next does not replace`),
          )
      }
      if (!nesting || !nestingPrefix || !text.includes(nestingPrefix)) return found
      if (text.replace(nesting, '').includes(nestingPrefix))
        found.push(warning('syntax', `has an unclosed "${nestingPrefix}", which i18next does not replace`))
      for (const [whole, inside = ''] of text.matchAll(nesting))
        if (!hasReadableOptions(inside, prefix || '{{')) {
          const example = `${nestingPrefix}key, {"count": 1}${nestingSuffix}`
          found.push(warning('syntax', `has options that are not valid JSON: ${whole}; write ${example}`))
        }
      return found
    },
    references(text) {
      if (!nesting || !nestingPrefix || separators === false || !text.includes(nestingPrefix)) return []
      return [...text.matchAll(nesting)].flatMap(([whole, inside = '']) => {
        const key = (inside.split(',')[0] ?? '').trim()
        const isComputed = /[{}]/.test(key) || key.includes(nestingPrefix) || (prefix && key.includes(prefix))
        const mayBeBranch = whole === text || /\b(?:joinArrays|returnObjects)\b/.test(inside)
        return isComputed ? [] : [{ key, mayBeBranch }]
      })
    },
    ...(separators && { separators }),
  }
}

/** The expression that i18next uses for nesting. */
function nestingPattern(prefix: string, suffix: string): RegExp {
  const quoted = `"[^"]*"|'[^']*'`
  const inside = `(?:[^()"']|${quoted}|\\((?:[^()"']|${quoted})*\\))*?`
  return new RegExp(`${escapeRegExp(prefix)}(${inside})${escapeRegExp(suffix)}`, 'g')
}

function hasReadableOptions(inside: string, prefix: string): boolean {
  const options = /,\s*(\{.*\})/s.exec(inside)?.[1]
  // Options that contain a placeholder cannot be parsed until i18next has inserted the values.
  if (options === undefined || options.slice(1).includes(prefix)) return true
  const isSingle = !options.includes('"') || (options.match(/"/g)?.length ?? 0) % 2 !== 0
  try {
    JSON.parse(isSingle ? options.replaceAll("'", '"') : options)
    return true
  } catch {
    return false
  }
}
