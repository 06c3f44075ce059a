/** Sends what the outbox holds: the only code of sync that sets texts on the service. */
import { partId } from '../catalog/text-id.ts'
import type { SyncContext } from './context.ts'
import type { OutboxEntry } from './outbox.ts'
import { BatchSender } from './send-batch.ts'
import { ImportSender } from './send-import.ts'
import { type SendOptions, type SendResult, SendRound } from './send-round.ts'

/** Goes through the outbox once. Never throws. `knownKeys`: see `BatchSender`; they stay from round to round. */
export async function sendOutbox(
  context: SyncContext,
  knownKeys: Set<string>,
  options: SendOptions,
): Promise<SendResult> {
  const round = new SendRound(context, options)
  const { only, via } = options
  const queue = context.outbox.entries().filter(({ id, parked }) => !parked && (only?.has(id) ?? true))
  try {
    const single = via === 'import' ? await new ImportSender(round).send(queue) : queue
    await sendInBatches(round, new BatchSender(round, knownKeys), single, queue.length)
  } catch (error) {
    round.fail(error)
  }
  return round.end()
}

async function sendInBatches(
  round: SendRound,
  sender: BatchSender,
  given: readonly OutboxEntry[],
  total: number,
): Promise<void> {
  const queue = [...given]
  let at = 0
  while (at < queue.length && !round.isOver) {
    // Asked once for each batch: an answer of a proxy must not make an unconditional write of one that was not read.
    const { isConditional } = round.context.remote
    const batch = batchFrom(queue, at, sender.sizeOf(isConditional))
    at += batch.length
    try {
      queue.push(...(await sender.send(batch, isConditional)))
    } catch (error) {
      round.fail(error)
      queue.push(...batch)
    }
    await round.pause()
    round.progress(total - (queue.length - at))
  }
}

/** Texts of one namespace and customer, from a place of the queue on. */
function batchFrom(queue: readonly OutboxEntry[], at: number, most: number): readonly OutboxEntry[] {
  const layerOf = ({ ref }: OutboxEntry) => partId({ ...ref, language: '' })
  const layer = layerOf(queue[at] as OutboxEntry)
  let end = at + 1
  while (end < queue.length && end - at < most && layerOf(queue[end] as OutboxEntry) === layer) end++
  return queue.slice(at, end)
}
