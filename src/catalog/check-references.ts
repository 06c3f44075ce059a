/** Finds references, such as `$t(other.key)` and `@:other.key`, to missing texts or to the text itself. Pure. */
import type { Finding } from './finding.ts'
import type { LibrarySyntax, Reference } from './library-syntax.ts'
import type { Catalog } from './model.ts'
import type { TextRef } from './text-id.ts'

export interface ReferenceOptions {
  readonly library?: LibrarySyntax | undefined
  readonly keySeparator: string
  /** The separator before a plural category in i18next's keys. Default `_`. */
  readonly pluralSeparator?: string
  /** Selects the languages to check. Default: all. */
  readonly isChecked?: (language: string) => boolean
}

interface Referring extends TextRef {
  readonly references: readonly Reference[]
}

/** @param catalog the whole catalog, because a text may refer to another namespace */
export function checkReferences(catalog: Catalog, options: ReferenceOptions): Finding[] {
  const { library, isChecked = () => true } = options
  if (!library) return []
  const check = createReferenceCheck(catalog, options)
  return catalog.parts.flatMap(({ language, namespace, customer, messages }) =>
    isChecked(language)
      ? [...messages].flatMap(([key, text]) => check({ language, namespace, customer, key }, text))
      : [],
  )
}

/**
 * Returns a function that checks one text. It reports each referenced key that no language has in any namespace. It
 * also reports a text that refers to itself through others, because the library would recurse until the stack
 * overflows. A key that has only plural or context forms counts as known.
 */
export function createReferenceCheck(
  catalog: Catalog,
  { library, keySeparator, pluralSeparator = '_' }: ReferenceOptions,
): (place: TextRef, text: string) => Finding[] {
  const separators = [...new Set([keySeparator, '.', ...(library?.separators ?? [])])]
  const dotted = (key: string) => [key, ...separators.map((separator) => key.replaceAll(separator, '.'))]
  let known: ReturnType<typeof knownNames> | undefined
  let chainOf: ReturnType<typeof createChainFinder> | undefined
  const isKnown = ({ key, mayBeBranch }: Reference) => {
    known ??= knownNames(catalog, separators, new Set(['_', pluralSeparator]))
    const { texts, branches } = known
    return dotted(key).some((name) => texts.has(name) || (mayBeBranch && branches.has(name)))
  }
  return ({ language, namespace, customer, key }, text) => {
    const references = library?.references(text) ?? []
    if (!library || references.length === 0) return []
    const place = { language, namespace, key, ...(customer !== undefined && { customer }) }
    const finding = (what: string): Finding => {
      return { rule: 'reference', severity: 'error', message: `${JSON.stringify(key)} refers to ${what}`, place }
    }
    chainOf ??= createChainFinder(referringIn(catalog, library), separators, dotted)
    const missing = new Set(references.filter((each) => !isKnown(each)).map((each) => each.key))
    const chain = chainOf({ ...place, references })
    return [
      ...[...missing].map((each) => finding(`${JSON.stringify(each)}, which no language has`)),
      ...(chain ? [finding(`itself: ${chain.join(' > ')}`)] : []),
    ]
  }
}

function referringIn({ parts }: Catalog, library: LibrarySyntax): Referring[] {
  return parts.flatMap(({ language, namespace, customer, messages }) =>
    [...messages].flatMap(([key, text]) => {
      const references = library.references(text)
      return references.length === 0 ? [] : [{ language, namespace, customer, key, references }]
    }),
  )
}

/** All names of texts and branches, with and without the namespace. The segments are separated by dots. */
function knownNames({ parts }: Catalog, separators: readonly string[], formSeparators: ReadonlySet<string>) {
  const texts = new Set<string>()
  const branches = new Set<string>()
  const [keySeparator = '.', ...others] = separators
  for (const { namespace, messages } of parts) {
    const fronts = ['', `${namespace}:`, ...[...others, keySeparator].map((separator) => namespace + separator)]
    const add = (to: Set<string>, name: string) => {
      for (const front of fronts) to.add(front + name.replaceAll(keySeparator, '.'))
    }
    for (const key of messages.keys()) {
      add(texts, key)
      for (const form of formSeparators) for (const stem of stemsOf(key, form)) add(texts, stem)
      for (const separator of new Set([keySeparator, '.']))
        for (const stem of stemsOf(key, separator)) add(branches, stem)
    }
  }
  return { texts, branches }
}

function stemsOf(key: string, joint: string): string[] {
  const stems: string[] = []
  for (let at = joint === '' ? -1 : key.indexOf(joint); at > 0; at = key.indexOf(joint, at + 1))
    stems.push(key.slice(0, at))
  return stems
}

/** Returns a function that finds the keys through which a text refers to itself, in its own language. */
function createChainFinder(
  referring: readonly Referring[],
  separators: readonly string[],
  dotted: (key: string) => readonly string[],
) {
  const idOf = ({ language, customer = '' }: TextRef, name: string) => JSON.stringify([language, customer, name])
  const namesOf = (text: Referring) =>
    [':', ...separators].flatMap((separator) =>
      dotted(text.key).map((name) => idOf(text, text.namespace + separator + name)),
    )
  const byName = new Map(referring.flatMap((text) => namesOf(text).map((name) => [name, text])))
  return (start: Referring): readonly string[] | undefined => {
    // While a text is still being typed, it is not in the catalog.
    const own = new Set(namesOf(start))
    const seen = new Set<Referring>()
    const pending: (readonly Referring[])[] = [[start]]
    for (let path = pending.pop(); path; path = pending.pop()) {
      const from = path.at(-1) as Referring
      for (const { key } of from.references) {
        const names = dotted(key).flatMap((name) => [idOf(from, `${from.namespace}:${name}`), idOf(from, name)])
        if (names.some((name) => own.has(name))) return [...path, start].map((text) => text.key)
        const target = names.map((name) => byName.get(name)).find((each) => each !== undefined)
        if (!target || seen.has(target)) continue
        seen.add(target)
        pending.push([...path, target])
      }
    }
    return undefined
  }
}
