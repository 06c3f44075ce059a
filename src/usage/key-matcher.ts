/** Looks up whether any use names a key: by the key itself, by one it is a form of, by one it lies below. */
import type { KeyUse } from './model.ts'

export interface KeyMatcher {
  add(use: KeyUse, namespaces: readonly string[] | 'any'): void
  has(namespace: string, key: string): boolean
}

export interface KeyMatcherOptions {
  readonly namespaces: readonly string[]
  readonly keySeparators: readonly string[]
  readonly nsSeparators: readonly string[]
  /** What stands between a key and its plural or context form. */
  readonly formSeparators: readonly string[]
}

interface Names {
  /** Keys with everything that hangs on them. */
  readonly open: Set<string>
  /** Keys alone. */
  readonly only: Set<string>
  readonly patterns: RegExp[]
  readonly sources: Set<string>
}

const createNames = (): Names => ({ open: new Set(), only: new Set(), patterns: [], sources: new Set() })

export function createKeyMatcher({ keySeparators, nsSeparators, formSeparators }: KeyMatcherOptions): KeyMatcher {
  const everywhere = createNames()
  /** Every key that is spelled, wherever it is looked for: it may begin with a namespace. */
  const spelled = createNames()
  const byNamespace = new Map<string, Names>()
  const joints = [...new Set(['.', ...keySeparators, ...formSeparators])].filter((joint) => joint !== '')
  const fronts = [...new Set([...nsSeparators, ...keySeparators])].filter((front) => front !== '')
  const tail = `(?:(?:${joints.map(escaped).join('|')}).*)?`

  // Files, catalog and library may each join segments with another separator: all of them are one here.
  const others = keySeparators.filter((separator) => separator !== '' && separator !== '.' && separator !== '*')
  const canonical = (text: string) => others.reduce((all, separator) => all.replaceAll(separator, '.'), text)

  const put = (names: Names, { key: given, isPattern, isOnly }: KeyUse) => {
    const key = canonical(given)
    if (!isPattern) {
      ;(isOnly ? names.only : names.open).add(key)
      return
    }
    const source = `^${key.split('*').map(escaped).join('.*')}${isOnly ? '' : tail}$`
    if (names.sources.has(source)) return
    names.sources.add(source)
    names.patterns.push(new RegExp(source, 's'))
  }
  return {
    add(use, namespaces) {
      if (namespaces === 'any') put(everywhere, use)
      else
        for (const namespace of namespaces) {
          const names = byNamespace.get(namespace) ?? createNames()
          byNamespace.set(namespace, names)
          put(names, use)
        }
      put(spelled, use)
    },
    has(namespace, given) {
      const key = canonical(given)
      const own = byNamespace.get(namespace)
      const stems = stemsOf(key, joints)
      if (holds(everywhere, key, stems) || (own !== undefined && holds(own, key, stems))) return true
      return fronts.some((front) => {
        const before = canonical(`${namespace}${front}`)
        return holds(
          spelled,
          before + key,
          stems.map((stem) => before + stem),
        )
      })
    },
  }
}

function holds({ open, only, patterns }: Names, key: string, stems: readonly string[]): boolean {
  return only.has(key) || stems.some((stem) => open.has(stem)) || patterns.some((pattern) => pattern.test(key))
}

/** The key, and every shorter one that it may be a form or a child of. */
function stemsOf(key: string, joints: readonly string[]): string[] {
  const stems = [key]
  for (const joint of joints)
    for (let at = key.indexOf(joint); at !== -1; at = key.indexOf(joint, at + 1)) stems.push(key.slice(0, at))
  return stems
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
