/** Formats shares, times and names, and shows a text's marks and its changes. */
import { h } from 'preact'
import type { TextRef } from '../../catalog/text-id.ts'
import { wordDiff } from '../../shared/word-diff.ts'
import type { Cell } from '../protocol.ts'

/** Never 100% as long as something is missing. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–'
  return `${part === whole ? 100 : Math.min(99, Math.floor((part / whole) * 100))}%`
}

/** Such as `14:03:05`, with the date if it is not today's. */
export function time(at: number): string {
  const date = new Date(at)
  const clock = date.toLocaleTimeString('en-GB')
  return date.toDateString() === new Date().toDateString() ? clock : `${date.toLocaleDateString('en-CA')} ${clock}`
}

export function textName({ language, namespace, key, customer }: TextRef): string {
  return `${language}/${namespace}${customer === undefined ? '' : ` (${customer})`} ${key}`
}

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

export function Changes({ before, after, language }: { before: string; after: string; language: string }) {
  const pieces = wordDiff(before, after, language).map(({ kind, text }) => h(MARKS[kind], null, text))
  return h('p', { class: 'changes', lang: language, dir: 'auto' }, ...pieces)
}
