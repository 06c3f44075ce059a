/** Compares a catalog with the code. Finds unused keys, missing keys, and calls with an unknown key. */
import type { Finding } from '../catalog/finding.ts'
import type { Catalog } from '../catalog/model.ts'
import { joinValues, usedWithArrays } from '../catalog/values.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { withoutQuery } from '../shared/paths.ts'
import { beginningsOf, dotted, type KeyMatcherOptions, splitsOf, stemsOf } from './key-matcher.ts'
import type { ReasonOf, UsePlace } from './model.ts'
import type { AskedKey, UsedKeys } from './used-keys.ts'

export interface KeyName {
  readonly namespace: string
  readonly key: string
}

/** The catalog's keys in order, each only once. */
export function keysOf(catalog: Catalog): KeyName[] {
  const found = new Map<string, KeyName>()
  for (const { namespace, messages } of catalog.parts)
    for (const key of messages.keys()) found.set(JSON.stringify([namespace, key]), { namespace, key })
  return [...found.values()]
}

/** Returns the keys that are not used. If one element of an array is used, all its elements count as used. */
export function unusedKeys(
  catalog: Catalog,
  keys: readonly KeyName[],
  used: UsedKeys,
  keySeparator: string,
): KeyName[] {
  const filters = new Map<string, (key: string) => boolean>()
  for (const namespace of catalog.namespaces) {
    const values = joinValues(catalog.parts.filter((part) => part.namespace === namespace).map((part) => part.values))
    const own = keys.filter((name) => name.namespace === namespace).map(({ key }) => key)
    filters.set(
      namespace,
      usedWithArrays(values, keySeparator, own, (key) => used.isUsed(namespace, key)),
    )
  }
  return keys.filter(({ namespace, key }) => !filters.get(namespace)?.(key))
}

/**
 * Returns one finding for each unused key, in the default language if that has the key. If the code contains the key as
 * a string, the finding is only a warning, because code that the analysis does not understand may use the string.
 */
export function unusedFindings(
  catalog: Catalog,
  unused: readonly KeyName[],
  defaultLanguage: string,
  textOf: ReasonOf = () => undefined,
): Finding[] {
  const languages = [defaultLanguage, ...catalog.languages.map(({ key }) => key)]
  return unused.map(({ namespace, key }) => {
    const language = languages.find((each) => catalog.messages(each, namespace)?.has(key))
    const place = { namespace, key, ...(language !== undefined && { language }) }
    const text = textOf(namespace, key)
    const name = JSON.stringify(key)
    const message = `${name} is not used in any source`
    if (!text) return { rule: 'unused', severity: 'error', message, place }
    const named = `${name} seems unused, but ${text.file}:${text.line} contains ${JSON.stringify(text.name)}`
    return { rule: 'unused', severity: 'warning', message: named, place }
  })
}

/** Finds keys that the code names but no language has. Returns one finding for each place. */
export function missingFindings(
  catalog: Catalog,
  used: UsedKeys,
  naming: Pick<ResolvedConfig, 'keySeparator' | 'namespacePrefix'>,
): Finding[] {
  const known = new KnownNames(catalog, used.separators, naming)
  const missing = used
    .askedKeys()
    .filter((asked) => asked.key !== '' && !known.has(asked) && !asked.orElse.some((other) => known.has(other)))
    .map(({ file, line, column, ...asked }): Finding => {
      const { key, namespaces } = withoutNamespace(asked, catalog.namespaces, used.separators.nsSeparators)
      const existing = namespaces.filter((namespace) => catalog.namespaces.includes(namespace))
      const where = existing.length === 1 ? ` in ${existing[0]}` : ''
      const owner = asked.isPrefixed ? catalog.namespaces.find((name) => known.isIn(name, asked.key)) : undefined
      const name = JSON.stringify(key)
      const message =
        owner === undefined
          ? `${name} is used, but no language has it${where}`
          : `${name} is used, but the key is ${JSON.stringify(`${owner}.${key}`)}: see the option "namespacePrefix"`
      return { rule: 'missing-in-code', severity: 'error', message, place: { file, line, column, key } }
    })
  // Several interpretations of a call may lead to the same finding.
  return [...new Map(missing.map((finding) => [JSON.stringify(finding), finding])).values()]
}

/** Splits a key such as `shop:title` if `shop` is a namespace. */
function withoutNamespace(
  asked: Pick<AskedKey, 'key' | 'namespaces'>,
  namespaces: readonly string[],
  separators: readonly string[],
): Pick<AskedKey, 'key' | 'namespaces'> {
  for (const separator of separators) {
    const at = separator === '' ? -1 : asked.key.indexOf(separator)
    const namespace = asked.key.slice(0, Math.max(0, at))
    if (namespaces.includes(namespace)) return { key: asked.key.slice(at + separator.length), namespaces: [namespace] }
  }
  return asked
}

const REASONS = {
  key: 'the key is known only at run time',
  function: 'the translation function is passed to code that cannot be analyzed',
  messages: 'the messages are passed to code that cannot be analyzed',
  syntax: 'the file cannot be read',
  setup: 'these i18next options cannot be read',
}

type UnknownCall = UsedKeys['unknownCalls'][number]

/** A call with an unknown key. It has no line or column if it occurs only in compiled code. */
export interface RankedCall extends Omit<UnknownCall, keyof UsePlace>, Partial<UsePlace> {
  /** The number of keys in the call's namespaces that only calls with unknown keys keep. */
  readonly keys: number
}

/** Returns each call once, starting with the one that keeps the most keys. */
export function rankUnknownCalls(
  { unknownCalls, reasonOf }: Pick<UsedKeys, 'unknownCalls' | 'reasonOf'>,
  keys: readonly KeyName[],
  placeOf: (call: UnknownCall) => UsePlace | undefined = (call) => call,
): RankedCall[] {
  if (unknownCalls.length === 0) return []
  const kept = new Map<string, number>()
  for (const { namespace, key } of keys) {
    const kind = reasonOf(namespace, key)?.kind
    if (kind === 'call' || kind === 'literal') kept.set(namespace, (kept.get(namespace) ?? 0) + 1)
  }
  const calls = new Map<string, Omit<RankedCall, 'keys'>>()
  for (const call of unknownCalls) {
    const { line: _, column: __, ...rest } = call
    const { line, column } = placeOf(call) ?? {}
    // Bundlers may load a file several times, each time with a different query.
    const id = JSON.stringify([withoutQuery(call.file), line, column, call.code, call.reason])
    const namespaces = [...new Set([...(calls.get(id)?.namespaces ?? []), ...call.namespaces])]
    calls.set(id, { ...rest, namespaces, ...(line !== undefined && column !== undefined && { line, column }) })
  }
  const sizeOf = ({ keeps, namespaces }: Omit<RankedCall, 'keys'>) =>
    keeps === 'nothing' ? 0 : namespaces.reduce((sum, namespace) => sum + (kept.get(namespace) ?? 0), 0)
  return [...calls.values()].map((call) => ({ ...call, keys: sizeOf(call) })).sort((a, b) => b.keys - a.keys)
}

export function unknownFindings(used: UsedKeys, keys: readonly KeyName[]): Finding[] {
  return rankUnknownCalls(used, keys)
    .filter(({ reason }) => reason !== 'syntax')
    .map(({ file, line, column, code, reason, namespaces, keeps }) => {
      const listed = namespaces.length > 4 ? `${namespaces.length} namespaces` : namespaces.join(', ')
      const effects = {
        all: `keeps all of ${listed}`,
        literals: `keeps the keys of ${listed} that are strings in the code`,
        nothing: 'ignored, as configured',
      }
      const message = `${code}: ${REASONS[reason]}; ${effects[keeps]}`
      return { rule: 'unknown-call', severity: 'warning', message, place: { file, line, column } }
    })
}

/** All keys, their possible base keys, and their branches, each with and without the namespace. */
class KnownNames {
  readonly #byNamespace = new Map<string, Set<string>>()
  readonly #anywhere = new Set<string>()
  /** The ends of all keys, for calls that add an unknown prefix to their keys. */
  readonly #ends = new Set<string>()
  readonly #separators: readonly string[]

  constructor(
    catalog: Catalog,
    private readonly reading: KeyMatcherOptions,
    { keySeparator, namespacePrefix }: Pick<ResolvedConfig, 'keySeparator' | 'namespacePrefix'>,
  ) {
    this.#separators = [...new Set([keySeparator, ...reading.keySeparators])]
    const fronts = [...reading.nsSeparators, ...(namespacePrefix ? ['.'] : [])]
    for (const { namespace, messages, values } of catalog.parts) {
      const names = this.#byNamespace.get(namespace) ?? new Set<string>()
      this.#byNamespace.set(namespace, names)
      for (const given of [...messages.keys(), ...(values?.keys() ?? [])]) {
        for (const name of this.#stemsOf(dotted(given, this.#separators))) {
          names.add(name)
          for (const front of fronts) this.#anywhere.add(dotted(namespace + front, this.#separators) + name)
          for (let at = name.indexOf('.'); at !== -1; at = name.indexOf('.', at + 1)) this.#ends.add(name.slice(at + 1))
        }
      }
    }
  }

  has({ namespaces, key: asked, mayHavePrefix, isPrefixed, isAnywhere }: AskedKey): boolean {
    const key = dotted(asked, this.#separators)
    if (this.#anywhere.has(key) || (mayHavePrefix && this.#ends.has(key))) return true
    if (isPrefixed) return false
    // A function that no library binds to a namespace may use a separator of the app, as in `core#title`.
    const splits = isAnywhere ? splitsOf(asked).filter(({ separator }) => !this.#separators.includes(separator)) : []
    return (
      namespaces.some((namespace) => this.isIn(namespace, asked)) ||
      splits.some(({ namespace, rest }) => this.isIn(namespace, rest))
    )
  }

  isIn(namespace: string, key: string): boolean {
    return this.#byNamespace.get(namespace)?.has(dotted(key, this.#separators)) ?? false
  }

  #stemsOf(key: string): string[] {
    const { formSeparators, hasForms = true, hasUnknownForms } = this.reading
    if (hasForms && hasUnknownForms) return beginningsOf(key)
    const joints = new Set(['.', ...(hasForms ? formSeparators : [])])
    return stemsOf(
      key,
      [...joints].filter((each) => each !== ''),
    )
  }
}
