/** Finds the service's keys that can be deleted because the files no longer have them. */
import { serviceNamespace } from '../catalog/names.ts'
import { keyId, type TextRef, textOrGap } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { FileIndex, GONE_MS } from '../files/file-index.ts'
import type { FilesSnapshot } from '../files/snapshot.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { groupBy } from '../shared/split.ts'
import { decide } from './decide.ts'
import type { Remote, RemoteText } from './remote.ts'
import type { BaseStore } from './store.ts'

export interface PrunableKey {
  readonly namespace: string
  readonly key: string
  /** The texts of the key, to show to the user. */
  readonly texts: readonly RemoteText[]
}

/** Deleting more than this share of the keys requires an explicit confirmation. */
export const PRUNE_LIMIT = 0.5

export interface Pruning {
  readonly config: ResolvedConfig
  /** From `indexAll`. */
  readonly index: FileIndex
  readonly base: Pick<BaseStore, 'common'>
  readonly withUnseen: boolean
  readonly signal: AbortSignal
  readonly clock?: Clock
}

/**
 * A key is deleted in every language, so the files of all languages count, including those excluded by the option
 * `languages`.
 */
export function indexAll(config: ResolvedConfig, clock?: Clock): FileIndex {
  return new FileIndex({ ...config, languages: undefined }, clock)
}

/** A program that writes a file again and again may leave it in place only this long. */
const LOOK_MS = 20

/**
 * Reads the files, and finds the keys in `texts` that no file has, in any language. A key is included if the files once
 * had it and the service's texts still equal the base. Other keys (`unseen`) may be a colleague's new work: they are
 * included only if `withUnseen` is true, and only in namespaces that have a file.
 */
export async function findPrunable(texts: readonly RemoteText[], pruning: Pruning) {
  const { config, index, base, withUnseen, signal, clock = systemClock } = pruning
  const local = new Set<string>()
  const namespaces = new Set<string>()
  let everything: FilesSnapshot | undefined
  const look = async (isHasty: boolean) => {
    const before = everything
    everything = await index.scan({ isHasty, signal })
    if (everything === before) return everything
    for (const { messages, namespace } of everything.parts()) {
      namespaces.add(namespace)
      for (const key of messages.keys()) local.add(keyId({ namespace, key }))
    }
    return everything
  }
  // A missing file may be back in a moment. Only keys that no reading finds are gone.
  for (const endsAt = clock.now() + GONE_MS; clock.now() < endsAt; await clock.sleep(LOOK_MS, signal)) await look(true)
  const { findings } = await look(false)
  const errors = findings.filter(({ severity }) => severity === 'error')
  const broken = new Set(errors.map(({ place }) => index.patterns.match(place?.file ?? '')?.namespace))
  // An unreadable file may contain any key of its namespace. An unreadable folder may contain any key. No pattern
  // matches it.
  const readable = texts.filter(({ ref }) => !broken.has(ref.namespace) && !broken.has(undefined))
  const hasBase = ({ id }: RemoteText) => base.common(id) !== undefined
  const groups = groupBy(readable, ({ ref }) => keyId({ ...ref, namespace: serviceNamespace(ref.namespace, config) }))
  const known = groups.filter((group) => group.some((text) => namespaces.has(text.ref.namespace) || hasBase(text)))
  const gone = known.filter((group) => !group.some(({ ref }) => local.has(keyId(ref))))
  const isUnseenEdit = ({ id, text }: RemoteText) =>
    textOrGap(text) !== undefined && decide(base.common(id), { ours: undefined, theirs: text }) !== 'deleted-here'
  const keys = withUnseen ? gone : gone.filter((group) => group.some(hasBase) && !group.some(isUnseenEdit))
  const prunable = keys.map((texts): PrunableKey => {
    const { namespace, key } = (texts[0] as RemoteText).ref
    return { namespace, key, texts }
  })
  return { keys: prunable, total: known.length, unseen: gone.length - keys.length }
}

/** The keys of one namespace whose texts are still as shown to the user, in all languages and for all customers. */
export async function unchangedKeys(
  keys: readonly PrunableKey[],
  { remote, customers, signal }: { remote: Remote; customers: readonly string[]; signal: AbortSignal },
): Promise<readonly PrunableKey[]> {
  const shown = new Map(keys.flatMap(({ texts }) => texts.map(({ id, text }) => [id, textOrGap(text)] as const)))
  const changed = new Set<string>()
  for (const customer of [undefined, ...customers]) {
    const refs = keys.map(({ namespace, key }): TextRef => ({ language: '', namespace, key, customer }))
    const { texts } = await remote.planRead(refs, () => 0, true).read({ signal })
    for (const { id, ref, text } of texts.values()) if (textOrGap(text) !== shown.get(id)) changed.add(ref.key)
  }
  return keys.filter(({ key }) => !changed.has(key))
}
