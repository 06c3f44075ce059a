/** The origin and state of a text. */
import type { Cell } from '../protocol.ts'

const STATES = {
  conflict: 'conflict',
  held: 'held',
  waiting: 'waiting to be sent',
  refused: 'refused by the service',
  newer: 'newer on the service',
  'deleted-here': 'deleted in the file',
  'deleted-there': 'deleted on the service',
}

export function TextMarks({ cell }: { cell: Cell }) {
  const { state, isStale } = cell
  return (
    <>
      <span class={`origin ${cell.isUnusedForm ? 'unused-form' : cell.origin}`}>{originOf(cell)}</span>
      {isStale && <span class="chip chip-stale">stale</span>}
      {state && <span class={`chip chip-${state}`}>{STATES[state]}</span>}
    </>
  )
}

function originOf({ origin, from, isUnusedForm }: Cell): string {
  if (isUnusedForm) return 'not used'
  if (origin === 'fallback') return `fallback: ${from}`
  return origin === 'none' ? 'missing' : origin
}
