/** Sends what the outbox holds: looks at the service's present texts first, then sets those that nobody else changed. */
import type { Clock } from '../api/clock.ts'
import { type PartRef, partId, type TextRef } from '../catalog/text-id.ts'
import type { ResolvedConfig } from '../config/types.ts'
import { messageOf } from '../errors.ts'
import { startAge } from './age.ts'
import { failureOf } from './failure.ts'
import type { Ledger } from './ledger-types.ts'
import type { Outbox, OutboxEntry } from './outbox.ts'
import type { Remote, RemoteText } from './remote.ts'

export interface RoundResult {
  readonly sent: readonly TextRef[]
  readonly refused: readonly { readonly ref: TextRef; readonly reason: string }[]
  /** The first error after which it is to be tried again later. */
  readonly failure: unknown
}

export interface Pusher {
  /** Goes through the outbox once. Never throws. */
  round(signal: AbortSignal): Promise<RoundResult>
}

export interface PusherOptions {
  readonly config: ResolvedConfig
  readonly ledger: Ledger
  readonly outbox: Outbox
  readonly remote: Remote
  readonly clock: Clock
  readonly sizeOf: (part: PartRef) => number
}

/** Looked up at once: so few that the look-up is still fresh when the last of them is sent. */
const GROUP = 100
/** A text that was looked up longer ago is looked up again: somebody may have changed it. */
const FRESH_MS = 10_000

export function createPusher({ config, ledger, outbox, remote, clock, sizeOf }: PusherOptions): Pusher {
  const concurrency = config.push === false ? 1 : config.push.concurrency

  return {
    async round(signal) {
      const sent: TextRef[] = []
      const refused: { ref: TextRef; reason: string }[] = []
      const tried = new Map<string, number>()
      let failure: unknown
      let stop = false

      const fail = (error: unknown) => {
        failure ??= error
        if (failureOf(error) !== 'call') stop = true
      }

      const sendOne = async (entry: OutboxEntry, present: RemoteText | undefined, keyExists: boolean) => {
        const { id, ref, text } = entry
        ledger.sending(id)
        try {
          await remote.send({ ref, text, reviewStatus: keptStatus(present, text), keyExists }, signal)
        } catch (error) {
          ledger.sent(id)
          if (failureOf(error) !== 'refused') return fail(error)
          const reason = messageOf(error)
          if (outbox.get(id)?.order === entry.order) outbox.park(id, { kind: 'refused', reason })
          refused.push({ ref, reason })
          return
        }
        ledger.sent(id)
        sent.push(ref)
        await ledger.acknowledge(entry)
      }

      for (;;) {
        const group = nextGroup(outbox, tried)
        const [first] = group
        if (!first || stop || signal.aborted) break
        // Nothing may leave before it is on the disk.
        await outbox.written()
        const { namespace, customer } = first.ref
        const mark = ledger.mark()
        let found: ReadonlyMap<string, RemoteText>
        try {
          found = await remote.lookUp({ namespace, customer, refs: group.map(({ ref }) => ref), sizeOf }, signal)
        } catch (error) {
          fail(error)
          stop = true
          break
        }
        const age = startAge(clock)
        const keys = new Set([...found.values()].map(({ ref }) => ref.key))
        const ready: OutboxEntry[] = []
        for (const { id, ref, order } of group) {
          // It is looked up again.
          if (ledger.movedSince(id, mark)) continue
          const decision = ledger.applyLookUp(id, ref, found.get(id)?.text)
          const entry = outbox.get(id)
          // An edit that came meanwhile is not on the disk yet: its turn comes.
          if (entry && decision === 'take-ours' && entry.order === order) ready.push(entry)
          else if (entry && entry.order === order) tried.set(id, order)
        }
        const queue = ready.values()
        const work = async () => {
          for (const entry of queue) {
            if (stop || signal.aborted || age() > FRESH_MS) return
            if (outbox.get(entry.id)?.order !== entry.order || ledger.movedSince(entry.id, mark)) continue
            tried.set(entry.id, entry.order)
            await sendOne(entry, found.get(entry.id), keys.has(entry.ref.key) || ledger.knowsKey(entry.ref))
          }
        }
        await Promise.all(Array.from({ length: Math.min(concurrency, ready.length) }, work))
      }
      return { sent, refused, failure }
    },
  }
}

/** Entries of one namespace and customer that are still to be tried, the oldest first. */
function nextGroup(outbox: Outbox, tried: ReadonlyMap<string, number>): readonly OutboxEntry[] {
  const open = outbox.entries().filter(({ id, order, parked }) => !parked && tried.get(id) !== order)
  const [first] = open
  if (!first) return []
  const layer = partId({ ...first.ref, language: '' })
  return open.filter(({ ref }) => partId({ ...ref, language: '' }) === layer).slice(0, GROUP)
}

/** Setting a text resets its review; a change of white space alone is no reason to review it again. */
function keptStatus(present: RemoteText | undefined, text: string): 'REVIEWED' | 'NOT_REVIEWED' | undefined {
  if (!present || foldSpace(present.text) !== foldSpace(text)) return undefined
  const { reviewStatus } = present
  return reviewStatus === 'REVIEWED' || reviewStatus === 'NOT_REVIEWED' ? reviewStatus : undefined
}

function foldSpace(text: string): string {
  return text.replace(/\s+/gu, ' ').trim()
}
