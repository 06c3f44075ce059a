/** Finds the service's keys that can be deleted because the files no longer have them. */
import { serviceNamespace } from '../catalog/names.ts'
import { keyId, type TextRef, textOrGap } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { FileIndex, GONE_MS } from '../files/file-index.ts'
import { CALM_MS } from '../files/watch.ts'
import { systemClock } from '../shared/clock.ts'
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

/**
 * Reads the files of all languages, including those excluded by the option `languages`, because a key is deleted in
 * every language. Only later scans of an index wait for a file that is missing for a moment, so the files are read until
 * such a file has returned.
 */
export async function readAllFiles(
  config: ResolvedConfig,
  signal: AbortSignal,
  clock = systemClock,
): Promise<FileIndex> {
  const index = new FileIndex({ ...config, languages: undefined }, clock)
  await index.scan({ everything: true, signal })
  for (let waitedMs = 0; waitedMs < GONE_MS; waitedMs += CALM_MS) {
    await clock.sleep(CALM_MS, signal)
    await index.scan({ signal })
  }
  return index
}

/**
 * Reads the files again, and finds the keys in `texts` that no file has, in any language. A key is included if the files
 * once had it and the service's texts still equal the base. Other keys (`unseen`) may be a colleague's new work: they
 * are included only if `withUnseen` is true, and only in namespaces that have a file.
 *
 * @param index from `readAllFiles`
 */
export async function findPrunable(
  index: FileIndex,
  config: ResolvedConfig,
  base: Pick<BaseStore, 'common'>,
  texts: readonly RemoteText[],
  withUnseen: boolean,
) {
  const everything = await index.scan()
  const local = new Set<string>()
  const namespaces = new Set<string>()
  for (const { messages, namespace } of everything.parts()) {
    namespaces.add(namespace)
    for (const key of messages.keys()) local.add(keyId({ namespace, key }))
  }
  const broken = new Set<string>()
  for (const { severity, place } of everything.findings) {
    const file = severity === 'error' && place?.file !== undefined ? index.patterns.match(place.file) : undefined
    // An unreadable file may contain any key of its namespace.
    if (file) broken.add(file.namespace)
  }
  const readable = texts.filter(({ ref }) => !broken.has(ref.namespace))
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
