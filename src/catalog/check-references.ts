/** Texts that refer to texts which are not there: `$t(other.key)`, `@:other.key`. Pure. */
import type { Finding } from './finding.ts'
import type { LibrarySyntax } from './library-syntax.ts'
import type { Catalog } from './model.ts'

export interface ReferenceOptions {
  readonly library?: LibrarySyntax | undefined
  readonly keySeparator: string
  /** What i18next puts before a plural category. Default `_`. */
  readonly pluralSeparator?: string
  /** Only these languages. */
  readonly isChecked?: (language: string) => boolean
}

/**
 * One finding for each key that no language has in any namespace, as the text spells it. A branch and the forms of a
 * plural or context count as the key.
 *
 * @param catalog the whole one: a text may refer to another namespace
 */
export function checkReferences(
  catalog: Catalog,
  { library, keySeparator, pluralSeparator = '_', isChecked = () => true }: ReferenceOptions,
): Finding[] {
  if (!library) return []
  let known: ReadonlySet<string> | undefined
  return catalog.parts.flatMap(({ language, namespace, customer, messages }) => {
    if (!isChecked(language)) return []
    return [...messages].flatMap(([key, text]) => {
      const references = new Set(library.references(text))
      if (references.size === 0) return []
      known ??= keysOf(catalog, [keySeparator, '.', '_', pluralSeparator])
      const missing = [...references].filter((each) => !known?.has(each.replaceAll(keySeparator, '.')))
      return missing.map((each): Finding => {
        const message = `${JSON.stringify(key)} refers to ${JSON.stringify(each)}, which no language has`
        const place = { language, namespace, key, ...(customer !== undefined && { customer }) }
        return { rule: 'reference', severity: 'error', message, place }
      })
    })
  })
}

/** Every key and what it begins with, with its namespace and without. */
function keysOf(catalog: Catalog, joints: readonly string[]): ReadonlySet<string> {
  const known = new Set<string>()
  for (const { namespace, messages } of catalog.parts)
    for (const key of messages.keys()) {
      const stems = [key]
      for (const joint of new Set(joints))
        for (let at = joint === '' ? -1 : key.indexOf(joint); at > 0; at = key.indexOf(joint, at + 1))
          stems.push(key.slice(0, at))
      for (const stem of stems) {
        const dotted = stem.replaceAll(joints[0] as string, '.')
        for (const front of ['', `${namespace}:`, `${namespace}.`]) known.add(front + dotted)
      }
    }
  return known
}
