/** The marks for a text's origin and state. */

import { h } from 'preact'
import { wordDiff } from '../../shared/word-diff.ts'
import type { Cell } from '../protocol.ts'

const STATES = {
  conflict: 'conflict',
  held: 'held',
  waiting: 'waiting to be sent',
  refused: 'refused by the service',
  newer: 'changed on the service',
  'deleted-here': 'deleted in the file',
  'deleted-there': 'deleted on the service',
}

/** `hidden` lists the origins that are not marked. */
export function TextMarks({ cell, hidden = [] }: { cell: Cell; hidden?: readonly Cell['origin'][] }) {
  const { state, isStale, isUnusedForm } = cell
  return (
    <>
      {(isUnusedForm || !hidden.includes(cell.origin)) && (
        <span class={`origin ${isUnusedForm ? 'unused-form' : cell.origin}`}>{originOf(cell)}</span>
      )}
      {isStale && <span class="chip chip-stale">stale</span>}
      {state && <span class={`chip chip-${state}`}>{STATES[state]}</span>}
    </>
  )
}

function originOf({ origin, from, isUnusedForm }: Cell): string {
  if (isUnusedForm) return 'form not needed'
  if (origin === 'fallback') return `fallback: ${from}`
  return origin === 'none' ? 'missing' : origin
}

const MARKS = { same: 'span', removed: 'del', added: 'ins' } as const

interface ChangesProps {
  readonly before: string
  readonly after: string
  readonly language: string
}

export function Changes({ before, after, language }: ChangesProps) {
  const pieces = wordDiff(before, after, language).map(({ kind, text }) => h(MARKS[kind], null, text))
  return h('p', { class: 'changes', lang: language, dir: 'auto' }, ...pieces)
}
