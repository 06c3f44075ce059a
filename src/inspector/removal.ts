/** Deletes keys. The user first sees what would be deleted, and nothing else is deleted. */

import * as z from 'zod'
import { keyId, partId, type TextRef, textRef } from '../catalog/text-id.ts'
import { hashOf } from '../shared/hash.ts'
import { groupBy } from '../shared/split.ts'
import type { InspectedProject } from './endpoint.ts'
import { keys, post } from './endpoint.ts'
import { type ActionAnswer, actionAnswer, type KeyName, refused } from './protocol.ts'
import type { SeenText } from './service-work.ts'
import type { Snapshot } from './snapshot.ts'

/** The preview shows at most this many lines, because each one is looked up in its file. */
const MOST_LINES = 60
/** Deleting a larger share of the keys on the service requires `localization keys remove`, which asks first. */
const MOST_SHARE = 0.5

/** `onService` also deletes the keys on the service. */
const removalRequest = z.strictObject({ keys, onService: z.boolean() })
type RemovalRequest = z.output<typeof removalRequest>
/** `seen` comes from the preview that the user confirmed. */
const removeRequest = removalRequest.extend({ seen: z.string().max(100) })

export const removalEndpoints = {
  removal: post(removalRequest, async (project, request) => removalOf(project, await project.snapshot(), request)),
  remove: post(removeRequest, async (project, request) => remove(project, await project.snapshot(), request)),
}

/** The preview. `seen` is a digest of everything in it. */
async function removalOf(project: InspectedProject, snapshot: Snapshot, request: RemovalRequest) {
  const { files, onService, seen } = await textsOf(project, snapshot, request)
  const isOnService = (key: KeyName) => refsOf(snapshot, key).some((ref) => snapshot.serviceText(ref)?.text)
  const parts = groupBy(files, ({ ref }) => partId(ref))
  const byFile = await Promise.all(
    parts.map(async (part) => {
      const { ref } = part[0] as SeenText
      const place = await project.placeOf?.(ref)
      return { file: place?.replace(/(?::\d+)+$/, '') ?? `${ref.language}/${ref.namespace}`, texts: part.length }
    }),
  )
  const lines = await Promise.all(
    files.slice(0, MOST_LINES).map(async (text) => ({ ...text, place: await project.placeOf?.(text.ref) })),
  )
  return {
    seen,
    texts: files.length,
    languages: new Set(files.map(({ ref }) => ref.language)).size,
    files: byFile,
    lines,
    /** The number of keys that stay on the service, so the table still lists them. */
    keptOnService: request.onService ? 0 : request.keys.filter(isOnService).length,
    /** `undefined` if `onService` is false. */
    service: onService && {
      texts: onService.length,
      languages: new Set(onService.map(({ ref }) => ref.language)).size,
      refusal: shareRefusal(snapshot, request),
    },
  }
}

async function remove(
  project: InspectedProject,
  snapshot: Snapshot,
  request: z.output<typeof removeRequest>,
): Promise<ActionAnswer> {
  const { files, onService, seen } = await textsOf(project, snapshot, request)
  const refusal =
    (onService && shareRefusal(snapshot, request)) ??
    (seen === request.seen ? undefined : 'someone changed the texts in the meantime. Reload and try again')
  if (refusal !== undefined) return refused(refusal)
  const reasons = await project.edit(files.map(({ ref, text }) => ({ ref, text: undefined, expected: text })))
  const { done, problems } = actionAnswer(files, reasons)
  // If a file still has the key, the service keeps it too.
  const isLeft = new Set(files.filter((_, at) => reasons[at] !== undefined).map(({ ref }) => keyId(ref)))
  const gone = request.keys.filter((key) => !isLeft.has(keyId(key)))
  if (!onService || gone.length === 0 || !project.service) return { done, problems }
  const failures = await project.service.deleteKeys(gone)
  project.activity.log('info', `deleted ${gone.length - failures.length} keys on the service`)
  await project.refresh()
  return { done: Math.max(done, onService.length), problems: [...problems, ...failures] }
}

async function textsOf(project: InspectedProject, snapshot: Snapshot, { keys, onService: asks }: RemovalRequest) {
  const { customers, kind } = snapshot
  const refs = kind === 'service' ? [] : keys.flatMap((key) => refsOf(snapshot, key))
  const files = refs.flatMap((ref): readonly SeenText[] => {
    const text = snapshot.inFile(ref)
    return text === undefined ? [] : [{ ref, text }]
  })
  if (asks && !project.service) throw new Error('the service or its API key is not configured')
  const onService = asks ? await project.service?.textsOf(keys, customers) : undefined
  return { files, onService, seen: hashOf(JSON.stringify([files, onService]), 24) }
}

function shareRefusal({ namespaces, namespaceTexts }: Snapshot, { keys }: RemovalRequest): string | undefined {
  const all = namespaces.reduce((sum, namespace) => sum + namespaceTexts(namespace).keys.length, 0)
  if (keys.length <= 1 || keys.length <= all * MOST_SHARE) return undefined
  return (
    'this is more than half of all keys. Delete fewer at a time, ' +
    'or delete them on the service with `localization keys remove`'
  )
}

/** The texts that a key may have. A pseudo language has only derived texts. */
function refsOf({ languages, customers }: Snapshot, { namespace, key }: KeyName): readonly TextRef[] {
  const own = languages.filter(({ isPseudo }) => !isPseudo)
  return [undefined, ...customers].flatMap((customer) =>
    own.map(({ key: language }) => textRef({ language, namespace, customer }, key)),
  )
}
