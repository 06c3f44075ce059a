/** Adds recorded keys to the keys that already count as used. Pure. */
import type { Catalog } from '../../catalog/model.ts'
import { parsePluralKey, pluralKeysOf } from '../../catalog/plural-keys.ts'
import { stemsOf } from '../key-matcher.ts'
import { idOf, type RecordedKey, RecordedKeys } from './recorded-keys.ts'
import type { RecordedRequest } from './recordings.ts'

export interface MergeInput {
  readonly before: RecordedKeys
  readonly requests: readonly RecordedRequest[]
  readonly catalog: Catalog
  readonly keySeparator: string
  readonly pluralSeparator: string
  /** Keys of earlier recordings do not stay. */
  readonly isReplaced: boolean
}

export interface MergedRecordings {
  readonly keys: RecordedKeys
  readonly added: readonly RecordedKey[]
  /** Keys of the file that the catalog no longer has, or that were not recorded again and do not stay. */
  readonly removed: readonly RecordedKey[]
  /** Namespaces of which every key was requested, where there are enough keys for that to be no chance. */
  readonly whole: readonly string[]
}

const MANY = 20

export function mergeRecordings(input: MergeInput): MergedRecordings {
  const { before, requests, catalog, isReplaced } = input
  const names = catalog.namespaces.map((namespace) => new NamesOf(namespace, input))
  const byNamespace = new Map(names.map((each) => [each.namespace, each]))
  const used = new Map<string, RecordedKey>()
  const add = (name: RecordedKey) => used.set(idOf(name), { namespace: name.namespace, key: name.key })
  if (!isReplaced) for (const name of before.used) if (byNamespace.get(name.namespace)?.has(name.key)) add(name)
  const requested = new Set<string>()
  for (const { namespace, key } of requests)
    for (const name of byNamespace.get(namespace)?.find(key) ?? []) {
      add({ namespace, key: name })
      requested.add(idOf({ namespace, key: name }))
    }
  const missing = missingOf(requests, byNamespace)
  const keys = new RecordedKeys([...used.values(), ...missing])
  const whole = names.filter(({ keys: all, namespace }) => {
    return all.length > MANY && all.every((key) => requested.has(idOf({ namespace, key })))
  })
  return {
    keys,
    added: keys.used.filter(({ namespace, key }) => !before.isUsed(namespace, key)),
    removed: before.used.filter(({ namespace, key }) => !keys.isUsed(namespace, key)),
    whole: whole.map(({ namespace }) => namespace),
  }
}

/** The keys of one namespace, of every language, as code may spell them. */
class NamesOf {
  readonly #exact: ReadonlySet<string>
  readonly #dotted = new Map<string, string[]>()

  constructor(
    readonly namespace: string,
    private readonly input: Pick<MergeInput, 'catalog' | 'keySeparator' | 'pluralSeparator'>,
  ) {
    const parts = input.catalog.parts.filter((part) => part.namespace === namespace)
    this.#exact = new Set(parts.flatMap(({ messages, values }) => [...messages.keys(), ...(values?.keys() ?? [])]))
    for (const key of this.#exact) {
      const name = this.#toDots(key)
      this.#dotted.set(name, [...(this.#dotted.get(name) ?? []), key])
    }
  }

  get keys(): readonly string[] {
    return [...this.#exact]
  }

  has(key: string): boolean {
    return this.#exact.has(key)
  }

  /** The key with its other plural forms, which another count or language needs. */
  find(given: string): readonly string[] {
    const plural = parsePluralKey(given, this.input.pluralSeparator)
    return [given, ...(plural ? pluralKeysOf(plural) : [])].flatMap((key) => this.#findOne(key))
  }

  /** The key; for an array, also the keys of its elements. */
  #findOne(given: string): readonly string[] {
    const name = this.#toDots(given)
    const found = this.#exact.has(given) ? [given] : (this.#dotted.get(name) ?? [])
    return [...found, ...[...this.#exact].filter((key) => this.#toDots(key).startsWith(`${name}.`))]
  }

  /** A library may join names with another separator than the files do. */
  #toDots(key: string): string {
    return key.replaceAll(this.input.keySeparator, '.')
  }
}

/**
 * Requests that nothing answered: neither a key, nor a form of it (`item_one` for `item`), nor another namespace where
 * the library looks too.
 */
function missingOf(requests: readonly RecordedRequest[], names: ReadonlyMap<string, NamesOf>): RecordedKey[] {
  const forms = (key: string) => stemsOf(key, ['_'])
  const answered = new Set(requests.filter(({ isFound }) => isFound).flatMap(({ key }) => forms(key)))
  const asked = requests.filter(({ namespace, isFound }) => !isFound && names.has(namespace))
  const isAnswered = ({ key }: RecordedRequest) =>
    forms(key).some((form) => answered.has(form)) || [...names.values()].some((each) => each.find(key).length > 0)
  const open = asked.filter((request) => !isAnswered(request))
  const spelled = new Set(open.map(idOf))
  const isForm = ({ namespace, key }: RecordedRequest) =>
    forms(key).some((form) => form !== key && spelled.has(idOf({ namespace, key: form })))
  return open.filter((request) => !isForm(request)).map(({ namespace, key }) => ({ namespace, key, isMissing: true }))
}
