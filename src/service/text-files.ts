/** Creates the JSON objects for publishes and exports, row by row. */
import type { JsonFiles, JsonObject } from './json-file.ts'
import type { KeyStore } from './store/keys.ts'
import type { KeyName } from './store/recent-writes.ts'
import type { TextRow } from './store/translations.ts'

/**
 * The texts of one language and customer, in one namespace or in all of them. An empty `customer` means no customer.
 */
export interface TextObject {
  readonly language: string
  readonly customer: string
  /** `undefined` means all namespaces. */
  readonly namespace?: string | undefined
  readonly object: JsonObject
}

export interface ComposeOptions {
  readonly files: JsonFiles
  /**
   * The keys that are in several namespaces. If it is set, also creates objects with the texts of all namespaces. For
   * these keys, the default namespace wins, then the first namespace by name.
   */
  readonly merged?: ReadonlySet<string> | undefined
  /** Creates an object for each namespace. */
  readonly byNamespace?: boolean
  /** Can change a text, or return `undefined` to omit it. */
  readonly transform?: (text: string) => string | undefined
  /** Called when the objects of a namespace are complete. */
  readonly onNamespace?: (objects: readonly TextObject[]) => Promise<void>
}

/** The objects for one language and customer. */
interface Target {
  readonly own: TextObject | undefined
  readonly merged: MergedObject | undefined
}

interface MergedObject extends TextObject {
  /** The keys in `object` that another namespace also has. */
  readonly repeated: Set<string>
}

/**
 * `rows` are ordered by namespace and key. Returns the objects in the order of their first texts. Those with all
 * namespaces come last.
 */
export async function composeTexts(
  rows: AsyncIterable<readonly TextRow[]>,
  { files, merged, byNamespace, transform = (text) => text, onNamespace }: ComposeOptions,
): Promise<TextObject[]> {
  const all = new Map<string, MergedObject>()
  const finished: TextObject[] = []
  let targets = new Map<string, Target>()
  let current: KeyName | undefined
  let [keyJson, isRepeated] = ['', false]

  const endNamespace = async () => {
    const own = [...targets.values()].flatMap((target) => target.own ?? [])
    finished.push(...own)
    targets = new Map()
    await onNamespace?.(own)
  }
  const targetOf = ({ namespace, language, customer }: TextRow): Target => {
    const id = `${language}\0${customer}`
    let target = targets.get(id)
    if (!target) {
      if (merged && !all.has(id)) {
        all.set(id, { language, customer, object: files.createObject(), repeated: new Set() })
      }
      const own = byNamespace ? { language, customer, namespace, object: files.createObject() } : undefined
      target = { own, merged: all.get(id) }
      targets.set(id, target)
    }
    return target
  }

  for await (const batch of rows) {
    for (const row of batch) {
      const text = transform(row.text)
      if (text === undefined) continue
      if (current?.namespace !== row.namespace || current.key !== row.key) {
        if (current && current.namespace !== row.namespace) await endNamespace()
        current = row
        keyJson = JSON.stringify(row.key)
        isRepeated = merged?.has(row.key) ?? false
      }
      const textJson = JSON.stringify(text)
      const target = targetOf(row)
      target.own?.object.add(keyJson, textJson)
      if (!target.merged || (isRepeated && target.merged.repeated.has(row.key))) continue
      if (isRepeated) target.merged.repeated.add(row.key)
      target.merged.object.add(keyJson, textJson)
    }
    await files.makeRoom()
  }
  await endNamespace()
  return [...finished, ...all.values()]
}

/** Returns the number of keys in all namespaces, and the keys that are in several. Must be called in a snapshot. */
export async function readRepeatedKeys(keys: KeyStore, projectId: number) {
  let count = 0
  const known = new Set<string>()
  const repeated = new Set<string>()
  for await (const batch of keys.names(projectId)) {
    count += batch.length
    for (const { key } of batch) {
      if (known.has(key)) repeated.add(key)
      else known.add(key)
    }
  }
  return { count, repeated }
}
