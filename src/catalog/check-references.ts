/** Texts that refer to texts which are not there, or to themselves: `$t(other.key)`, `@:other.key`. Pure. */
import type { Finding } from './finding.ts'
import type { LibrarySyntax, Reference } from './library-syntax.ts'
import type { Catalog } from './model.ts'

export interface ReferenceOptions {
  readonly library?: LibrarySyntax | undefined
  readonly keySeparator: string
  /** What i18next puts before a plural category. Default `_`. */
  readonly pluralSeparator?: string
  /** Only these languages. */
  readonly isChecked?: (language: string) => boolean
}

/** A text with references. */
interface Referring {
  readonly language: string
  readonly namespace: string
  readonly customer: string | undefined
  readonly key: string
  readonly references: readonly Reference[]
}

/**
 * One finding for each key that no language has in any namespace, as the text spells it, and for each text that refers
 * to itself through others: the library calls itself until the stack ends. The forms of a plural or context count as
 * the key.
 *
 * @param catalog the whole one: a text may refer to another namespace
 */
export function checkReferences(
  catalog: Catalog,
  { library, keySeparator, pluralSeparator = '_', isChecked = () => true }: ReferenceOptions,
): Finding[] {
  if (!library) return []
  const referring = catalog.parts.flatMap(({ language, namespace, customer, messages }): Referring[] => {
    if (!isChecked(language)) return []
    return [...messages].flatMap(([key, text]) => {
      const references = library.references(text)
      return references.length === 0 ? [] : [{ language, namespace, customer, key, references }]
    })
  })
  if (referring.length === 0) return []
  const separators = [...new Set([keySeparator, '.', ...(library.separators ?? [])])]
  const known = knownNames(catalog, { separators, formSeparators: new Set(['_', pluralSeparator]) })
  const dotted = (key: string) => [key, ...separators.map((separator) => key.replaceAll(separator, '.'))]
  const isKnown = ({ key, mayBeBranch }: Reference) =>
    dotted(key).some((name) => known.texts.has(name) || (mayBeBranch && known.branches.has(name)))
  const chainOf = createChainFinder(referring, { separators, dotted })
  return referring.flatMap((text) => {
    const { language, namespace, customer, key, references } = text
    const finding = (what: string): Finding => {
      const place = { language, namespace, key, ...(customer !== undefined && { customer }) }
      return { rule: 'reference', severity: 'error', message: `${JSON.stringify(key)} refers to ${what}`, place }
    }
    const missing = new Set(references.filter((each) => !isKnown(each)).map((each) => each.key))
    const chain = chainOf(text)
    return [
      ...[...missing].map((each) => finding(`${JSON.stringify(each)}, which no language has`)),
      ...(chain ? [finding(`itself: ${chain.join(' > ')}`)] : []),
    ]
  })
}

interface NameSettings {
  readonly separators: readonly string[]
  readonly formSeparators: ReadonlySet<string>
}

/** Every name of a text and of a branch, with its namespace and without; dots between the segments. */
function knownNames({ parts }: Catalog, { separators, formSeparators }: NameSettings) {
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

interface ChainSettings {
  readonly separators: readonly string[]
  readonly dotted: (key: string) => readonly string[]
}

/** Returns the keys through which a text refers to itself, in its own language. */
function createChainFinder(referring: readonly Referring[], { separators, dotted }: ChainSettings) {
  const byName = new Map<string, Referring>()
  const nameOf = ({ language, customer = '' }: Referring, name: string) => JSON.stringify([language, customer, name])
  for (const text of referring)
    for (const separator of [':', ...separators])
      for (const name of dotted(text.key)) byName.set(nameOf(text, text.namespace + separator + name), text)
  const targetsOf = (text: Referring) =>
    text.references.flatMap(({ key }) => {
      const names = dotted(key).flatMap((name) => [`${text.namespace}:${name}`, name])
      const found = names.map((name) => byName.get(nameOf(text, name))).find((each) => each !== undefined)
      return found ? [found] : []
    })
  return (start: Referring): readonly string[] | undefined => {
    const seen = new Set<Referring>()
    const pending: (readonly Referring[])[] = [[start]]
    for (let path = pending.pop(); path; path = pending.pop())
      for (const target of targetsOf(path.at(-1) as Referring)) {
        if (target === start) return [...path, start].map(({ key }) => key)
        if (seen.has(target)) continue
        seen.add(target)
        pending.push([...path, target])
      }
    return undefined
  }
}
