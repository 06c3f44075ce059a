/**
 * The code of a module that the analysis reads.
 *
 * A module that is a JavaScript or TypeScript file, without a query, is read as its author wrote it. Compilers replace
 * newer syntax by helpers, whose locals have names of translation functions, hide what `await` gives, and move places.
 *
 * The compiled code is read as well where a plugin may have put in what the file does not show (macros, replaced
 * constants, generated ids, automatic imports):
 * - It has a text with a word that the file does not have: keys that it names count too.
 * - It has a name of a localization library that the file does not have: its calls with unknown keys count too. Not a
 *   short name such as `t`, which is also the name of a helper's local.
 *
 * All other modules are read as the bundler has them: virtual modules, files with a query (`?raw`), data, Vue, Svelte,
 * Astro, MDX, and files that only the bundler's compiler can read.
 */
import type { Analyzer } from '../usage/analyze.ts'
import { scanLiterals } from '../usage/literals.ts'
import type { KeyUse, LiteralText, ModuleUsage } from '../usage/model.ts'

/** Reads a file as the bundler would. `undefined`: it does not exist. */
export type ReadFile = (path: string) => Promise<string | undefined>

export interface CompiledModule {
  /** As the bundler's compilers left it. */
  readonly code: string
  /** As the bundler names it. */
  readonly id: string
  readonly readFile: ReadFile
}

const SCRIPT = /^(?:\/|[A-Za-z]:[\\/])[^\0?#]*\.[cm]?[jt]sx?$/
const WORD = /[\p{L}\p{N}_$]+/gu
const SHORT_NAME = /^.$/u
/** What compilers import. */
const COMPILER_RUNTIME = /(?:^|\/)jsx(?:-dev)?-runtime$|\/helpers\//

/** @param mayCall true if the code may have a name of a localization library */
export async function analyzeModule(
  { code, id, readFile }: CompiledModule,
  { analyze }: Pick<Analyzer, 'analyze'>,
  mayCall: (code: string) => boolean,
): Promise<ModuleUsage> {
  const source = SCRIPT.test(id) ? await readFile(id) : undefined
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

/** A text of code that cannot be read, although the file can, may be a key. */
function keyOf({ text, ...place }: LiteralText): KeyUse {
  return { key: text, isPattern: false, namespaces: 'any', isTentative: true, place }
}

function isUnreadable({ unknown }: ModuleUsage): boolean {
  return unknown.some(({ reason }) => reason === 'syntax')
}

/** What the file uses, with the keys, and perhaps the calls, that only the compiled code has. */
function joined(file: ModuleUsage, compiled: ModuleUsage, hasNewCalls: boolean): ModuleUsage {
  const idOf = ({ place: _, details: __, ...use }: KeyUse) => JSON.stringify(use)
  const idOfText = ({ text, isPattern }: LiteralText) => `${isPattern} ${text}`
  return {
    ...compiled,
    ...file,
    uses: without(idOf, file.uses, compiled.uses),
    unknown: hasNewCalls ? [...file.unknown, ...compiled.unknown] : file.unknown,
    receivers: [...(file.receivers ?? []), ...(hasNewCalls ? (compiled.receivers ?? []) : [])],
    literals: without(idOfText, file.literals ?? [], compiled.literals ?? []),
    writes: [...(file.writes ?? []), ...(compiled.writes ?? [])],
    leaks: [...(file.leaks ?? []), ...(compiled.leaks ?? [])],
    asksForBranches: file.asksForBranches || compiled.asksForBranches || false,
  }
}

/** The first list, and what only the second has. */
function without<T>(idOf: (item: T) => string, first: readonly T[], second: readonly T[]): readonly T[] {
  const ids = new Set(first.map(idOf))
  return [...first, ...second.filter((item) => !ids.has(idOf(item)))]
}
