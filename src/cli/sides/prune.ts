/** Which keys of the service may go, because the files no longer have them. */
import { serviceNamespace } from '../../catalog/names.ts'
import { createFileIndex } from '../../files/file-index.ts'
import type { Sides } from './load.ts'

export interface PrunableKey {
  readonly namespace: string
  readonly key: string
  /** How many texts go with it. */
  readonly texts: number
  readonly ids: readonly string[]
}

/** More than this share of the keys at once is a mistake until somebody says otherwise. */
export const PRUNE_LIMIT = 0.5

/**
 * Keys in no file of any language, in namespaces that are in scope and have a file. A key counts when the files once had it and the
 * service's texts are still what both sides agreed on; others may be somebody else's new work and count only with `withUnseen`.
 */
export async function findPrunable(
  sides: Sides,
  withUnseen: boolean,
): Promise<{ readonly keys: readonly PrunableKey[]; readonly total: number; readonly unseen: number }> {
  // A key goes in every language, so every language's files have a say, whatever the option languages leaves out.
  const everything = createFileIndex({ ...sides.config, languages: undefined })
  await everything.scan({ everything: true })
  const local = new Set<string>()
  const namespaces = new Set<string>()
  for (const { messages, namespace } of everything.parts()) {
    namespaces.add(namespace)
    for (const key of messages.keys()) local.add(JSON.stringify([namespace, key]))
  }
  // A file that cannot be read may hold any of them.
  for (const { severity, place } of everything.findings()) {
    const broken = severity === 'error' && place?.file !== undefined ? everything.patterns.match(place.file) : undefined
    if (broken) namespaces.delete(broken.namespace)
  }
  const candidates = new Map<
    string,
    { namespace: string; key: string; ids: string[]; agreed: boolean; edited: boolean }
  >()
  let total = 0
  const counted = new Set<string>()
  const known = new Map(sides.texts.map((text) => [text.id, text]))
  for (const { id, ref } of sides.serviceTexts.values()) {
    const { namespace, key } = ref
    if (!sides.scope.namespace(namespace) || !namespaces.has(namespace)) continue
    const name = JSON.stringify([serviceNamespace(namespace, sides.config), key])
    if (!counted.has(name)) total++
    counted.add(name)
    if (local.has(JSON.stringify([namespace, key]))) continue
    const candidate = candidates.get(name) ?? { namespace, key, ids: [], agreed: false, edited: false }
    const text = known.get(id)
    candidate.ids.push(id)
    // An edit on the service since we agreed is somebody's work.
    if (text?.theirs !== undefined && text.base !== text.theirs) candidate.edited = true
    if (text?.base !== undefined) candidate.agreed = true
    candidates.set(name, candidate)
  }
  const all = [...candidates.values()]
  const keys = all
    .filter(({ agreed, edited }) => withUnseen || (agreed && !edited))
    .map(({ namespace, key, ids }) => ({ namespace, key, texts: ids.length, ids }))
  return { keys, total, unseen: withUnseen ? 0 : all.length - keys.length }
}
