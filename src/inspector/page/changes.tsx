/** The word-by-word changes of a text. */
import { h } from 'preact'
import { wordDiff } from '../../shared/word-diff.ts'

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
