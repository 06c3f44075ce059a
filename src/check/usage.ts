/** Keys that are there and unused, and keys that are used and not there. Pure. */
import type { Catalog } from '../catalog/model.ts'
import type { Finding } from './types.ts'

/** What the sources use, as `usage/` gives it. */
export interface Usage {
  isUsed(namespace: string, key: string): boolean
  readonly unknownCalls: readonly UsageCall[]
  askedKeys(): readonly Asked[]
}

interface UsagePlace {
  readonly file: string
  readonly line: number
  readonly column: number
}

interface UsageCall extends UsagePlace {
  readonly code: string
  readonly reason: 'key' | 'function' | 'messages' | 'syntax'
  readonly namespaces: readonly string[]
  readonly isIgnored: boolean
}

interface Asked extends UsagePlace {
  readonly key: string
  readonly namespaces: readonly string[]
  readonly orElse: readonly Asked[]
}

export interface KeyName {
  readonly namespace: string
  readonly key: string
}

/** Every key of the catalog that nothing uses, each once, sorted as the catalog has them. */
export function findUnused(catalog: Catalog, usage: Usage): KeyName[] {
  const found = new Map<string, KeyName>()
  for (const { namespace, messages } of catalog.parts)
    for (const key of messages.keys()) {
      const id = JSON.stringify([namespace, key])
      if (!found.has(id) && !usage.isUsed(namespace, key)) found.set(id, { namespace, key })
    }
  return [...found.values()]
}

/** Each key has one finding, in the default language's file where it is there. */
export function unusedFindings(catalog: Catalog, unused: readonly KeyName[], defaultLanguage: string): Finding[] {
  return unused.map(({ namespace, key }) => {
    const has = (language: string) => catalog.messages(language, namespace)?.has(key) === true
    const language = has(defaultLanguage) ? defaultLanguage : catalog.languages.find((each) => has(each.key))?.key
    const message = `${JSON.stringify(key)} is used by no source`
    return {
      rule: 'unused',
      severity: 'error',
      message,
      place: { namespace, key, ...(language !== undefined && { language }) },
    }
  })
}

/** Keys that sources spell out, and no language has; once for each place. */
export function missingFindings(catalog: Catalog, usage: Usage, keySeparator: string): Finding[] {
  const known = knownNames(catalog, keySeparator)
  const has = ({ namespaces, key: asked }: Asked) => {
    const key = dotted(asked, keySeparator)
    return known.anywhere.has(key) || namespaces.some((namespace) => known.byNamespace.get(namespace)?.has(key))
  }
  return usage
    .askedKeys()
    .filter((asked) => asked.key !== '' && !has(asked) && !asked.orElse.some(has))
    .map(({ file, line, column, key, namespaces }) => {
      const there = namespaces.filter((namespace) => known.byNamespace.has(namespace))
      const where = there.length === 1 ? ` in ${there[0]}` : ''
      return {
        rule: 'missing-in-code',
        severity: 'error',
        message: `${JSON.stringify(key)} is used and no language has it${where}`,
        place: { file, line, column, key },
      }
    })
}

/** Calls that keep whole namespaces; `cost` is how many keys stay only because of them. */
export function unknownFindings(usage: Usage): Finding[] {
  const reasons = {
    key: 'the key is not known before it runs',
    function: 'the translation function goes where it cannot be followed',
    messages: 'the messages go where they cannot be followed',
    syntax: 'the file cannot be read',
  }
  return usage.unknownCalls
    .filter(({ reason }) => reason !== 'syntax')
    .map(({ file, line, column, code, reason, namespaces, isIgnored }) => ({
      rule: 'unknown-call',
      severity: 'warning',
      message: `${code}: ${reasons[reason]}; ${isIgnored ? 'ignored, as configured' : `keeps all of ${listed(namespaces)}`}`,
      place: { file, line, column },
    }))
}

function listed(names: readonly string[]): string {
  return names.length > 4 ? `${names.length} namespaces` : names.join(', ')
}

/** Every key, what it may be a form of, and what it lies below. */
function knownNames(catalog: Catalog, keySeparator: string) {
  const byNamespace = new Map<string, Set<string>>()
  const anywhere = new Set<string>()
  for (const { namespace, messages } of catalog.parts) {
    const names = byNamespace.get(namespace) ?? new Set<string>()
    byNamespace.set(namespace, names)
    for (const given of messages.keys()) {
      const key = dotted(given, keySeparator)
      names.add(key)
      const front = dotted(namespace, keySeparator)
      anywhere.add(`${front}:${key}`).add(`${front}.${key}`)
      for (const joint of ['_', '.'])
        for (let at = key.indexOf(joint, 1); at > 0; at = key.indexOf(joint, at + 1)) {
          const stem = key.slice(0, at)
          names.add(stem)
          anywhere.add(`${front}:${stem}`).add(`${front}.${stem}`)
        }
    }
  }
  return { byNamespace, anywhere }
}

/** The app's library may join segments otherwise than the catalog does. */
function dotted(key: string, keySeparator: string): string {
  return keySeparator === '' ? key : key.replaceAll(keySeparator, '.')
}
