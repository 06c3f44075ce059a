/**
 * Sends what the outbox holds: the only code of sync that sets texts on the service. Each batch waits for the rate limit
 * first, is read next, and is written at once after that, as far as the service still has what the decision was based on.
 */
import { partId } from '../catalog/text-id.ts'
import { groupBy } from '../shared/split.ts'
import type { SyncContext } from './context.ts'
import { BatchSender } from './send-batch.ts'
import { type SendOptions, type SendResult, SendRound } from './send-round.ts'

/** Goes through the outbox once. Never throws. `knownKeys`: see `BatchSender`; they stay from round to round. */
export async function sendOutbox(
  context: SyncContext,
  knownKeys: Set<string>,
  options: SendOptions,
): Promise<SendResult> {
  const round = new SendRound(context, options)
  const sender = new BatchSender(round, knownKeys)
  const open = context.outbox.entries().filter(({ id, parked }) => !parked && (options.only?.has(id) ?? true))
  // An import takes the texts of one language and namespace: they have to be neighbours.
  const queue = options.via === 'import' ? groupBy(open, ({ ref }) => partId(ref)).flat() : [...open]
  for (let at = 0; at < queue.length && !round.isOver; ) {
    try {
      const batch = sender.batchFrom(queue, at)
      at += batch.entries.length
      queue.push(...(await sender.send(batch)))
    } catch (error) {
      round.fail(error)
    }
    await round.pause()
    round.progress(open.length - (queue.length - at))
  }
  return round.end()
}
