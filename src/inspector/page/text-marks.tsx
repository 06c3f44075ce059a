/** Where a text comes from, and its state. */
import type { Cell } from '../protocol.ts'

const STATES = {
  conflict: 'conflict',
  held: 'held',
  waiting: 'waiting to be sent',
  refused: 'refused by the service',
  newer: "the service's is newer",
}

export function TextMarks({ cell: { origin, from, state, isStale } }: { cell: Cell }) {
  return (
    <>
      <span class={`origin ${origin}`}>
        {origin === 'fallback' ? `fallback: ${from}` : origin === 'none' ? 'missing' : origin}
      </span>
      {isStale && <span class="chip chip-stale">stale</span>}
      {state && <span class={`chip chip-${state}`}>{STATES[state]}</span>}
    </>
  )
}
