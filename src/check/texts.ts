/** Rules about texts: what a translation must have in common with the text it translates. Pure. */
import picomatch from 'picomatch'
import type { Catalog, CatalogPart, Messages } from '../catalog/model.ts'
import { guessSyntax, type Placeholders, placeholdersOf, type Syntax } from '../catalog/placeholders.ts'
import type { Finding } from './types.ts'

export interface TextCheckOptions {
  readonly defaultLanguage: string
  /** `auto`: each text is taken for what it and the default language's text look like. Default. */
  readonly syntax?: Syntax | 'auto'
  /** Key patterns and the longest text, in characters; the first one that fits counts. */
  readonly limits?: readonly (readonly [pattern: string, characters: number])[]
  /** Keys are nested in the app: a text and a branch of one name are a finding. */
  readonly nested?: string | false
}

/** Looks at every text of the catalog. In the catalog's order. */
export function checkTexts(catalog: Catalog, options: TextCheckOptions): Finding[] {
  const findings: Finding[] = []
  const limitOf = limits(options.limits ?? [])
  for (const part of catalog.parts) {
    const reference = catalog.messages(options.defaultLanguage, part.namespace)
    if (options.nested) findings.push(...branchCollisions(part, options.nested))
    for (const [key, text] of part.messages) {
      const add = (rule: Finding['rule'], severity: Finding['severity'], message: string) =>
        findings.push({ rule, severity, message, place: placeOf(part, key) })
      if (text === '') {
        add('empty', 'warning', `${JSON.stringify(key)} is empty`)
        continue
      }
      const limit = limitOf(key)
      const length = [...text].length
      if (limit !== undefined && length > limit)
        add('characters-limit', 'error', `${JSON.stringify(key)} has ${length} characters, ${limit} are allowed`)
      const isReference = part.language === options.defaultLanguage && part.customer === undefined
      const other = isReference ? undefined : referenceText(reference, key)
      checkPlaceholders(text, other, key, options.syntax ?? 'auto', add)
    }
  }
  return findings
}

type Add = (rule: Finding['rule'], severity: Finding['severity'], message: string) => void

function checkPlaceholders(
  text: string,
  reference: string | undefined,
  key: string,
  syntax: Syntax | 'auto',
  add: Add,
): void {
  const [own, others] = readBoth(text, reference, syntax)
  if (own.problem !== undefined) {
    add('icu', 'error', `${JSON.stringify(key)} is no ICU message: ${own.problem}`)
    return
  }
  // What is wrong with the default language's text is found there.
  if (!others || others.problem !== undefined) return
  const missing = [...others.names].filter((name) => !own.names.has(name) && !(name === 'count' && isSmallPlural(key)))
  const unknown = [...own.names].filter((name) => !others.names.has(name))
  const parts = [
    missing.length > 0 && `lacks ${missing.map(show).join(', ')}`,
    unknown.length > 0 && `has ${unknown.map(show).join(', ')}, which the default language does not`,
  ].filter((part) => part !== false)
  if (parts.length > 0) add('placeholders', 'error', `${JSON.stringify(key)} ${parts.join(' and ')}`)
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
  const findings: Finding[] = []
  for (const key of part.messages.keys()) {
    for (let at = key.indexOf(separator, 1); at > 0; at = key.indexOf(separator, at + 1)) {
      const branch = key.slice(0, at)
      if (!part.messages.has(branch)) continue
      const message = `${JSON.stringify(key)} cannot nest: ${JSON.stringify(branch)} is a text`
      findings.push({ rule: 'collision', severity: 'warning', message, place: placeOf(part, key) })
      break
    }
  }
  return findings
}

function placeOf({ language, namespace, customer }: CatalogPart, key: string) {
  return { language, namespace, key, ...(customer !== undefined && { customer }) }
}

function show(name: string): string {
  return `{${name}}`
}
