/** Sends texts for a command: with a progress bar, again after failures that pass, and with a word on each text that was not sent. */

import { partId, type TextRef, textId } from '../catalog/text-id.ts'
import { messageOf } from '../errors.ts'
import { count } from '../shared/figures.ts'
import type { SendResult, Via } from '../sync/send-round.ts'
import type { TextRecord } from '../sync/text-record.ts'
import type { CommandContext } from './command.ts'
import type { OpenProject } from './project.ts'
import { duration } from './text.ts'

export interface SendPlan {
  readonly via: Via
  readonly requests: number
}

export interface SendOutcome {
  readonly sent: readonly TextRecord[]
  readonly refused: readonly { readonly ref: TextRef; readonly reason: string }[]
  /** Changed on the service meanwhile: nothing was overwritten. */
  readonly conflicts: readonly TextRecord[]
  readonly left: readonly { readonly ref: TextRef; readonly reason: string }[]
  readonly failure: unknown
}

/** So few are sent one by one, whatever it costs: a text that is refused does not take others with it. */
const FEW = 50
const IMPORT_TEXTS = 500
/** Texts that are queued and sent before the next ones. */
const QUEUED = 2_000

/** Which way takes fewer requests, those for reading included. */
export function planSending(
  texts: readonly TextRecord[],
  given: Via | 'auto',
  { config, project }: OpenProject,
): SendPlan {
  const { isConditional } = project.remote
  const parts = new Map<string, number>()
  for (const { ref } of texts) {
    const part = partId(ref)
    parts.set(part, (parts.get(part) ?? 0) + 1)
  }
  const uploads = [...parts.values()].reduce((sum, size) => sum + Math.ceil(size / IMPORT_TEXTS), 0)
  // Without conditions each upload is read for, too.
  const imports = isConditional ? uploads : uploads * 2
  const isFew = texts.length <= FEW || texts.length <= imports
  if (given === 'import' || (given === 'auto' && !isFew)) return { via: 'import', requests: imports }
  const newKeys = new Set<string>()
  for (const { ref, theirs } of texts)
    if (theirs === undefined && !project.records.knowsKey(ref)) newKeys.add(`${ref.namespace}\u0000${ref.key}`)
  const batches = Math.ceil(texts.length / (config.push === false ? 1 : Math.min(20, config.push.concurrency)))
  return { via: 'patch', requests: texts.length + newKeys.size + (isConditional ? 0 : batches) }
}

export async function sendTexts(
  { out, signal }: CommandContext,
  { config, project, service }: OpenProject,
  texts: readonly TextRecord[],
  { via, requests }: SendPlan,
): Promise<SendOutcome> {
  if (texts.length === 0) return { sent: [], refused: [], conflicts: [], left: [], failure: undefined }
  out.say(
    `sending ${count(texts.length, 'text')} ${via === 'patch' ? 'by v2 PATCH' : `in ${count(requests, 'request')} by import`}`,
  )
  const limitedMs = timeUnderLimit(config.service.requestsPerMinute, service.requests + requests)
  const startedAt = performance.now()
  if (limitedMs > 0)
    out.say(`at ${config.service.requestsPerMinute} requests a minute this takes about ${duration(limitedMs)}`)
  const bar = out.bar({
    label: 'push',
    total: texts.length,
    unit: 'texts',
    // A limit of our own is known beforehand; what the service imposes shows in the speed so far.
    leftMs: () => (limitedMs > 0 ? Math.max(0, limitedMs - (performance.now() - startedAt)) : undefined),
  })
  const refused: SendResult['refused'] = []
  let failure: unknown
  try {
    // Not all at once: what is queued is in memory and on the disk.
    for (let at = 0; at < texts.length && failure === undefined && !signal.aborted; at += QUEUED) {
      const only = new Set(texts.slice(at, at + QUEUED).map(({ id }) => id))
      await project.records.queue(only)
      const onProgress = (done: number) => bar.update(at + done)
      const result = await project.send({ via, signal, finish: true, only, onProgress })
      refused.push(...result.refused)
      failure = result.failure
    }
    return outcomeOf(texts, { refused, failure }, (id) => project.records.get(id), signal.aborted)
  } finally {
    bar.end()
  }
}

function outcomeOf(
  texts: readonly TextRecord[],
  { refused, failure }: Pick<SendResult, 'refused' | 'failure'>,
  recordOf: (id: string) => TextRecord | undefined,
  isStopped: boolean,
): SendOutcome {
  const refusedIds = new Set(refused.map(({ ref }) => textId(ref)))
  const [sent, conflicts, left]: [TextRecord[], TextRecord[], { ref: TextRef; reason: string }[]] = [[], [], []]
  for (const text of texts) {
    const { id, ref } = text
    const now = recordOf(id)
    if (refusedIds.has(id)) continue
    if (!now || now.state === 'equal') sent.push(text)
    else if (now.state === 'conflict') conflicts.push({ ...now })
    else {
      const reason = isStopped
        ? 'stopped before it was sent'
        : failure === undefined
          ? 'it changed meanwhile'
          : messageOf(failure)
      left.push({ ref, reason })
    }
  }
  return { sent, refused, conflicts, left, failure: isStopped ? undefined : failure }
}

/** How long so many requests take under `service.requestsPerMinute`; 0: it does not matter. */
function timeUnderLimit(perMinute: number | undefined, requests: number): number {
  return perMinute === undefined ? 0 : Math.floor((requests - 1) / perMinute) * 60_000
}
