/** The user's decisions about texts that differ: both texts, and a button for each choice. */
import type { StaleText } from '../../sync/stale.ts'
import type { Requests } from '../endpoints.ts'
import type { ConflictItem, HoldItem } from '../protocol.ts'
import { post } from './calls.ts'
import { ActionButton, type ActionButtonProps } from './controls.tsx'
import { Changes, count, textName } from './format.tsx'

export function ConflictDecision({ item }: { item: ConflictItem }) {
  const { ref, base, ours, theirs } = item
  const about = textName(ref)
  const removal = removalOf('The service no longer has this key, so the key will be removed from the file.', theirs)
  return (
    <>
      <dl class="sides">
        {side('base', base, base, 'nothing yet')}
        {side('file', ours, theirs, 'deleted')}
        {side('service', theirs, ours, 'deleted')}
      </dl>
      <div class="actions">
        <ResolveButton label="Take the file's text" about={about} items={[item]} side="ours" />
        <ResolveButton label="Take the service's text" about={about} items={[item]} side="theirs" confirm={removal} />
      </div>
    </>
  )
}

export function HoldDecision({ item: { ref, text, theirs } }: { item: HoldItem }) {
  const about = textName(ref)
  const removal = removalOf('The service does not have this key, so the key will be removed from the file.', theirs)
  return (
    <>
      <dl class="sides">
        {side('file', text, theirs)}
        {side('service', theirs, text, 'none')}
      </dl>
      <div class="actions">
        <HoldButton label="Take the file's text" about={about} refs={[ref]} action="release" />
        <HoldButton label="Take the service's text" about={about} refs={[ref]} action="drop" confirm={removal} />
      </div>
    </>
  )
}

export function StaleDecision({ item, sourceLanguage }: { item: StaleText; sourceLanguage: string }) {
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

function removalOf(text: string, theirs: string | undefined): ActionButtonProps['confirm'] {
  return theirs === undefined && { title: 'Remove the text?', text }
}

type ButtonProps = Pick<ActionButtonProps, 'label' | 'about' | 'kind' | 'confirm'>
type ResolveButtonProps = ButtonProps & { items: readonly ConflictItem[]; side: 'ours' | 'theirs' }
type HoldButtonProps = ButtonProps & { refs: Requests['drop']['refs']; action: 'release' | 'drop' }

export function ResolveButton({ items, side, ...button }: ResolveButtonProps) {
  const conflicts = items.map(({ ref, ours, theirs }) => ({ ref, ours, theirs }))
  const done = textsDone(side === 'ours' ? 'taken from the file' : 'taken from the service')
  return <ActionButton {...button} run={() => post('resolve', { side, conflicts })} done={done} />
}

export function HoldButton({ refs, action, ...button }: HoldButtonProps) {
  const done = textsDone(action === 'release' ? 'taken from the file' : 'taken from the service')
  return <ActionButton {...button} run={() => post(action, { refs })} done={done} />
}

export function textsDone(what: string): (done: number) => string {
  return (done) => `${what}: ${count(done, 'text')}`
}

/** Marks what differs from the other side's text. `gap` is shown if there is no text. */
function side(name: string, text: string | undefined, other: string | undefined, gap?: string) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{text === undefined ? <em>{gap}</em> : differing(text, other)}</dd>
    </>
  )
}

/** Marks the text between the common beginning and the common end of both texts. */
function differing(text: string, other = text) {
  const shorter = Math.min(text.length, other.length)
  let start = 0
  while (start < shorter && text[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && text.at(-1 - end) === other.at(-1 - end)) end++
  const stop = text.length - end
  return (
    <span dir="auto">
      {text.slice(0, start)}
      {start < stop && <mark>{text.slice(start, stop)}</mark>}
      {text.slice(stop)}
    </span>
  )
}
