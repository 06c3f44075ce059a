/**
 * Finds the keys that a module uses.
 *
 * JavaScript and TypeScript files without a query are analyzed as the author wrote them. Compiled code is harder to
 * analyze: compilers add helpers whose local variables may have the names of translation functions, hide the result of
 * `await`, and move locations.
 *
 * The compiled code is analyzed too if a plugin may have inserted code (macros, replaced constants, generated ids,
 * automatic imports):
 * - If it has a string with a word that is not in the file, the keys that the string may name are added.
 * - If it has a name from a localization library and the file does not, its calls with unknown keys are added.
 *   One-letter names such as `t` are excluded, because helpers use them for local variables.
 *
 * All other modules are analyzed only as the bundler provides them: virtual modules, files with a query (`?raw`), data,
 * Vue, Svelte, Astro, MDX, and files that only the bundler's compiler can parse.
 */
import { withoutQuery } from '../shared/paths.ts'
import type { Analyzer } from '../usage/analyze.ts'
import { scanLiterals } from '../usage/literals.ts'
import type { KeyUse, LiteralText, ModuleUsage } from '../usage/model.ts'

/** Reads a file in the same way as the bundler. Resolves to `undefined` if the file does not exist. */
export type ReadFile = (path: string) => Promise<string | undefined>

export interface CompiledModule {
  readonly code: string
  readonly id: string
  readonly readFile: ReadFile
}

const SCRIPT = /^(?:\/|[A-Za-z]:[\\/])[^\0]*\.[cm]?[jt]sx?$/
const WORD = /[\p{L}\p{N}_$]+/gu
const SHORT_NAME = /^.$/u
/** Matches imports that compilers add. */
const COMPILER_RUNTIME = /(?:^|\/)jsx(?:-dev)?-runtime$|\/helpers\//

/** @param mayCall true if the code may contain a name from a localization library */
export async function analyzeModule(
  { code, id, readFile }: CompiledModule,
  { analyze }: Pick<Analyzer, 'analyze'>,
  mayCall: (code: string) => boolean,
): Promise<ModuleUsage> {
  const source = SCRIPT.test(id) && withoutQuery(id) === id ? await readFile(id) : undefined
  const ofFile = source === undefined || source === code ? undefined : analyze(source, id)
  if (source === undefined || !ofFile || isUnreadable(ofFile)) return analyze(code, id)
  const known = new Set(source.match(WORD))
  const isNew = (word: string) => !known.has(word)
  const hasNewCalls = mayCall(
    (code.match(WORD) ?? []).filter((word) => isNew(word) && !SHORT_NAME.test(word)).join(' '),
  )
  const newTexts = scanLiterals(code).filter(
    ({ text }) => !COMPILER_RUNTIME.test(text) && (text.match(WORD) ?? []).some(isNew),
  )
  if (!hasNewCalls && newTexts.length === 0) return ofFile
  const compiled = analyze(code, id)
  const isKnown = hasNewCalls || !isUnreadable(compiled)
  return joined(ofFile, isKnown ? compiled : { uses: newTexts.map(keyOf), unknown: [] }, hasNewCalls)
}

/**
 * Returns a use of any key that equals the text. Needed if the compiled code cannot be parsed, because each of its
 * strings may then be a key.
 */
function keyOf({ text, ...place }: LiteralText): KeyUse {
  return { key: text, isPattern: false, namespaces: 'any', isTentative: true, place }
}

function isUnreadable({ unknown }: ModuleUsage): boolean {
  return unknown.some(({ reason }) => reason === 'syntax')
}

/**
 * Returns the file's usage, together with the keys that only the compiled code uses. If `hasNewCalls` is true, also
 * adds the compiled code's calls.
 */
function joined(file: ModuleUsage, compiled: ModuleUsage, hasNewCalls: boolean): ModuleUsage {
  const idOf = ({ place: _, details: __, ...use }: KeyUse) => JSON.stringify(use)
  const idOfText = ({ text, isPattern }: LiteralText) => `${isPattern} ${text}`
  return {
    ...compiled,
    ...file,
    uses: union(idOf, file.uses, compiled.uses),
    unknown: hasNewCalls ? [...file.unknown, ...compiled.unknown] : file.unknown,
    receivers: [...(file.receivers ?? []), ...(hasNewCalls ? (compiled.receivers ?? []) : [])],
    literals: union(idOfText, file.literals ?? [], compiled.literals ?? []),
    asksForBranches: file.asksForBranches || compiled.asksForBranches || false,
  }
}

function union<T>(idOf: (item: T) => string, first: readonly T[], second: readonly T[]): readonly T[] {
  const ids = new Set(first.map(idOf))
  return [...first, ...second.filter((item) => !ids.has(idOf(item)))]
}
