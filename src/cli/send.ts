/** Sends texts for a command, with a progress bar. Returns a reason for each text that was not sent. */
import { partId, type TextRef, textId } from '../catalog/text-id.ts'
import { messageOf } from '../errors.ts'
import { count } from '../shared/figures.ts'
import { groupBy, split } from '../shared/split.ts'
import { knowsKey } from '../sync/reader.ts'
import type { TextRecord } from '../sync/records.ts'
import { sendOutbox } from '../sync/send.ts'
import type { SendResult, Via } from '../sync/send-round.ts'
import type { CommandContext } from './command.ts'
import type { OpenProject } from './project.ts'
import { duration } from './text.ts'

export interface SendOutcome {
  readonly refused: readonly { readonly ref: TextRef; readonly reason: string }[]
  /** Texts that were not overwritten because they changed on the service in the meantime. */
  readonly conflicts: readonly TextRecord[]
  readonly left: readonly { readonly ref: TextRef; readonly reason: string }[]
  readonly failure: unknown
}

export const NOTHING: SendOutcome = { refused: [], conflicts: [], left: [], failure: undefined }

/** Up to this many texts are sent one by one, so that one refused text does not make others fail. */
const FEW = 50
const IMPORT_TEXTS = 500
/** Texts per portion. */
const QUEUED = 2_000

/** Chooses the method that needs fewer requests, including those for reading. */
export function planSending(
  texts: readonly TextRecord[],
  given: Via | 'auto',
  { config, project }: OpenProject,
): { via: Via; requests: number } {
  const { isConditional } = project.remote
  const parts = groupBy(texts, ({ ref }) => partId(ref))
  const uploads = parts.reduce((sum, { length }) => sum + Math.ceil(length / IMPORT_TEXTS), 0)
  // If the service has no conditional writes, each upload is preceded by a request that reads.
  const imports = isConditional ? uploads : uploads * 2
  const isFew = texts.length <= FEW || texts.length <= imports
  if (given === 'import' || (given === 'auto' && !isFew)) return { via: 'import', requests: imports }
  const newTexts = texts.filter(({ ref, theirs }) => theirs === undefined && !knowsKey(project.records, ref))
  const newKeys = new Set(newTexts.map(({ ref }) => `${ref.namespace}\u0000${ref.key}`)).size
  const batches = Math.ceil(texts.length / (config.push === false ? 1 : Math.min(20, config.push.concurrency)))
  return { via: 'patch', requests: texts.length + newKeys + (isConditional ? 0 : batches) }
}

export async function sendTexts(
  { out, signal }: CommandContext,
  { config, project, service }: OpenProject,
  texts: readonly TextRecord[],
  { via, requests }: ReturnType<typeof planSending>,
): Promise<SendOutcome> {
  if (texts.length === 0) return NOTHING
  const way = via === 'patch' ? 'by v2 PATCH' : `in ${count(requests, 'request')} by import`
  out.say(`sending ${count(texts.length, 'text')} ${way}`)
  const { requestsPerMinute } = config.service
  const most = requestsPerMinute ?? Number.POSITIVE_INFINITY
  const limitedMs = Math.floor((service.requests + requests - 1) / most) * 60_000
  const startedAt = performance.now()
  if (limitedMs > 0) out.say(`at ${requestsPerMinute} requests per minute, this takes about ${duration(limitedMs)}`)
  const bar = out.bar({
    label: 'push',
    total: texts.length,
    unit: 'texts',
    // The configured limit gives an exact time. The service's own limits show in the speed so far.
    leftMs: () => (limitedMs > 0 ? Math.max(0, limitedMs - (performance.now() - startedAt)) : undefined),
  })
  const onRateLimit = (waitMs: number) => out.say(`the service limits requests: waiting ${duration(waitMs)}`)
  const refused: SendResult['refused'] = []
  let failure: unknown
  try {
    // Texts are queued in portions to save memory and disk space.
    for (let at = 0; at < texts.length && failure === undefined && !signal.aborted; at += QUEUED) {
      const only = new Set(texts.slice(at, at + QUEUED).map(({ id }) => id))
      await project.records.queue(only)
      const onProgress = (done: number) => bar.update(at + done)
      const result = await sendOutbox(project, { via, signal, only, onProgress, onRateLimit })
      refused.push(...result.refused)
      failure = result.failure
    }
  } finally {
    bar.end()
  }
  if (signal.aborted) failure = undefined
  const whyNot = failure === undefined ? 'someone changed it in the meantime' : messageOf(failure)
  const reason = signal.aborted ? 'stopped before it was sent' : whyNot
  const refusedIds = new Set(refused.map(({ ref }) => textId(ref)))
  const open = texts.filter(({ id, state }) => state !== 'equal' && !refusedIds.has(id))
  const [conflicts, others] = split(open, ({ state }) => state === 'conflict')
  return {
    refused,
    conflicts: conflicts.map((text) => ({ ...text })),
    left: others.map(({ ref }) => ({ ref, reason })),
    failure,
  }
}
