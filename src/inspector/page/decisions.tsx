/** The user's decisions about texts that differ: both texts, and a button for each choice. */
import { type ComponentChildren, h } from 'preact'
import type { TextRef } from '../../catalog/text-id.ts'
import { count } from '../../shared/figures.ts'
import { wordDiff } from '../../shared/word-diff.ts'
import type { StaleText } from '../../sync/stale.ts'
import type { Requests } from '../endpoints.ts'
import type { ActionAnswer, ConflictItem, HoldItem } from '../protocol.ts'
import { post } from './calls.ts'
import { ActionButton, type ActionButtonProps } from './controls.tsx'
import { Changes, textName } from './format.tsx'

type Side = 'file' | 'service'

export function conflictDecision(item: ConflictItem) {
  const { ref, base, ours, theirs } = item
  const texts = (
    <>
      {side('base', ref, base, base, 'nothing yet')}
      {side('file', ref, ours, theirs, 'deleted')}
      {side('service', ref, theirs, ours, 'deleted')}
    </>
  )
  return decision({ ref, theirs }, texts, 'The service no longer has this key', (from) => resolve([item], from))
}

export function holdDecision({ ref, text, theirs }: HoldItem) {
  const texts = (
    <>
      {side('file', ref, text, theirs)}
      {side('service', ref, theirs, text, 'none')}
    </>
  )
  return decision({ ref, theirs }, texts, 'The service does not have this key', (from) => takeHeld([ref], from))
}

/** `reason` says why the service has no text. Taking its text then removes the key. */
function decision(
  { ref, theirs }: Pick<HoldItem, 'ref' | 'theirs'>,
  texts: ComponentChildren,
  reason: string,
  take: (from: Side) => Promise<ActionAnswer>,
) {
  const text = `${reason}, so the key will be removed from the file.`
  const confirm = theirs === undefined && { title: 'Remove the text?', text }
  return (
    <>
      <dl class="sides">{texts}</dl>
      <div class="actions">
        <TakeButton from="file" about={textName(ref)} run={() => take('file')} />
        <TakeButton from="service" about={textName(ref)} run={() => take('service')} confirm={confirm} />
      </div>
    </>
  )
}

export function resolve(items: readonly ConflictItem[], from: Side) {
  const conflicts = items.map(({ ref, ours, theirs }) => ({ ref, ours, theirs }))
  return post('resolve', { side: from === 'file' ? 'ours' : 'theirs', conflicts })
}

export function takeHeld(refs: Requests['drop']['refs'], from: Side) {
  return post(from === 'file' ? 'release' : 'drop', { refs })
}

type TakeButtonProps = Omit<ActionButtonProps, 'label' | 'done'> & { from: Side; of?: string }

export function TakeButton({ from, of = '', ...button }: TakeButtonProps) {
  return <ActionButton {...button} label={`Take the ${from}'s text${of}`} done={textsDone(`taken from the ${from}`)} />
}

export function staleDecision(item: StaleText, sourceLanguage: string) {
  const { ref, madeFrom, source } = item
  return (
    <>
      <p class="small">
        The <code>{sourceLanguage}</code> text has changed since this translation was made:
      </p>
      <Changes before={madeFrom} after={source} language={sourceLanguage} />
      <div class="actions">
        <ActionButton
          label="Still correct"
          about={textName(ref)}
          run={() => post('confirm', item)}
          done={textsDone('marked as correct')}
        />
      </div>
    </>
  )
}

export function textsDone(what: string): (done: number) => string {
  return (done) => `${what}: ${count(done, 'text')}`
}

/** Marks the words that differ from the other side's text. `gap` is shown if there is no text. */
function side(name: string, { language }: TextRef, text: string | undefined, other = text, gap?: string) {
  const pieces = wordDiff(other ?? '', text ?? '', language).filter(({ kind }) => kind !== 'removed')
  const marked = pieces.map((piece) => (piece.kind === 'added' ? h('mark', null, piece.text) : piece.text))
  return (
    <>
      <dt>{name}</dt>
      <dd>{text === undefined ? <em>{gap}</em> : h('span', { dir: 'auto' }, ...marked)}</dd>
    </>
  )
}
