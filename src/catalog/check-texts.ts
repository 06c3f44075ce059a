/** Rules about texts: what a translation must have in common with the text it translates. Pure. */
import picomatch from 'picomatch'
import type { Finding } from './finding.ts'
import type { Catalog, CatalogPart, Messages } from './model.ts'
import { guessSyntax, type Placeholders, placeholdersOf, type Syntax } from './placeholders.ts'

export interface TextCheckOptions {
  readonly defaultLanguage: string
  /** `auto`, the default: guessed from each text and the default language's text. */
  readonly syntax?: Syntax | 'auto'
  /** Key patterns and the longest text, in characters; the first pattern that matches counts. */
  readonly limits?: readonly (readonly [pattern: string, characters: number])[]
  /** What joins nested keys in the app: a text and a branch of one name are a finding. */
  readonly nested?: string | false
}

/** Findings about every text, in the catalog's order. */
export function checkTexts(catalog: Catalog, options: TextCheckOptions): Finding[] {
  const limitOf = limits(options.limits ?? [])
  return catalog.parts.flatMap((part) => {
    const isReference = part.language === options.defaultLanguage && part.customer === undefined
    const reference = isReference ? undefined : catalog.messages(options.defaultLanguage, part.namespace)
    const collisions = options.nested ? branchCollisions(part, options.nested) : []
    const found = [...part.messages].flatMap(([key, text]) => {
      const problems =
        text === ''
          ? [warning('empty', 'is empty')]
          : [
              ...checkLength(text, limitOf(key)),
              ...checkPlaceholders(key, text, referenceText(reference, key), options.syntax ?? 'auto'),
            ]
      return problems.map((problem) => findingOf(part, key, problem))
    })
    return [...collisions, ...found]
  })
}

/** `message` continues a sentence that begins with the key. */
type Problem = Pick<Finding, 'rule' | 'severity' | 'message'>

function error(rule: Finding['rule'], message: string): Problem {
  return { rule, severity: 'error', message }
}

function warning(rule: Finding['rule'], message: string): Problem {
  return { rule, severity: 'warning', message }
}

function findingOf({ language, namespace, customer }: CatalogPart, key: string, problem: Problem): Finding {
  const place = { language, namespace, key, ...(customer !== undefined && { customer }) }
  return { ...problem, message: `${JSON.stringify(key)} ${problem.message}`, place }
}

function checkLength(text: string, limit: number | undefined): Problem[] {
  const { length } = [...text]
  if (limit === undefined || length <= limit) return []
  return [error('characters-limit', `has ${length} characters, ${limit} are allowed`)]
}

function checkPlaceholders(
  key: string,
  text: string,
  reference: string | undefined,
  syntax: Syntax | 'auto',
): Problem[] {
  const [own, others] = readBoth(text, reference, syntax)
  if (own.problem !== undefined) return [error('icu', `is no ICU message: ${own.problem}`)]
  // A problem of the default language's text is found at that text.
  if (!others || others.problem !== undefined) return []
  const missing = [...others.names].filter((name) => !own.names.has(name) && !(name === 'count' && isSmallPlural(key)))
  const unknown = [...own.names].filter((name) => !others.names.has(name))
  const parts = [
    ...(missing.length > 0 ? [`lacks ${missing.map(show).join(', ')}`] : []),
    ...(unknown.length > 0 ? [`has ${unknown.map(show).join(', ')}, which the default language does not`] : []),
  ]
  return parts.length === 0 ? [] : [error('placeholders', parts.join(' and '))]
}

/** Both texts in one syntax: ICU where one of them can be nothing else. */
function readBoth(
  text: string,
  reference: string | undefined,
  syntax: Syntax | 'auto',
): [Placeholders, Placeholders | undefined] {
  let both = syntax
  if (both === 'auto') {
    const guesses = [guessSyntax(text), reference === undefined ? 'none' : guessSyntax(reference)]
    both = (['icu', 'double', 'single'] as const).find((each) => guesses.includes(each)) ?? 'none'
  }
  return [placeholdersOf(text, both), reference === undefined ? undefined : placeholdersOf(reference, both)]
}

const PLURAL_SUFFIX = /_(zero|one|two|few|many|other)$/

/** A plural form that the default language does not have is held against its general one. */
function referenceText(reference: Messages | undefined, key: string): string | undefined {
  const same = reference?.get(key)
  if (same) return same
  return PLURAL_SUFFIX.test(key) ? reference?.get(key.replace(PLURAL_SUFFIX, '_other')) || undefined : undefined
}

/** "One file" needs no number. */
function isSmallPlural(key: string): boolean {
  return /_(?:zero|one|two)$/.test(key)
}

function limits(given: readonly (readonly [string, number])[]): (key: string) => number | undefined {
  const compiled = given.map(([pattern, most]) => [pattern, picomatch(pattern, { dot: true }), most] as const)
  return (key) => compiled.find(([pattern, matches]) => pattern === key || matches(key))?.[2]
}

/** Keys that are a text and a branch at once: nested, one of them would hide the other. */
function branchCollisions(part: CatalogPart, separator: string): Finding[] {
  return [...part.messages.keys()].flatMap((key) => {
    for (let at = key.indexOf(separator, 1); at > 0; at = key.indexOf(separator, at + 1)) {
      const branch = key.slice(0, at)
      if (part.messages.has(branch))
        return [findingOf(part, key, warning('collision', `cannot nest: ${JSON.stringify(branch)} is a text`))]
    }
    return []
  })
}

function show(name: string): string {
  return `{${name}}`
}
