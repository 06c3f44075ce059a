/** What stands between files and service: conflicts to decide, held texts, the outbox. */
import type { ComponentChildren } from 'preact'
import type { TextRef } from '../../catalog/text-id.ts'
import type { Overview, SyncLists } from '../overview.ts'
import { post } from './calls.ts'
import { ActionButton, Card, Loaded } from './controls.tsx'
import { ConflictDecision, HoldButton, HoldDecision, ResolveButton, textsDone } from './decisions.tsx'
import { count, figure, textName } from './format.ts'
import { useLive } from './live.ts'
import { hrefOf } from './route.ts'

const HOLD_REASONS = {
  start: 'stood like this when the dev server started',
  batch: 'part of a large batch',
  switch: 'came with a git branch',
}
const SERVICE_LOSES = "The service's texts are overwritten with those of the files."
const FILES_LOSE = 'The texts in the files are overwritten with those of the service.'
const FILES_GO_BACK =
  'The files get the texts of the service back; keys the service does not have are taken out of the files.'

export function SyncView({ overview }: { overview: Overview }) {
  const sync = useLive('change', 'sync', {})
  const isWriter = overview.sync.role === 'writer'
  const nothing = isWriter
    ? 'Files and service agree: no conflict, nothing held, nothing waiting.'
    : 'Nothing is synced from here.'
  return (
    <Loaded live={sync}>
      {({ conflicts, holds, waiting }) => (
        <>
          {conflicts.total + holds.total + waiting.total === 0 && (
            <Card title="Sync">
              <p>{nothing}</p>
            </Card>
          )}
          <Conflicts list={conflicts} />
          <Holds list={holds} />
          <Outbox list={waiting} />
        </>
      )}
    </Loaded>
  )
}

function Conflicts({ list }: { list: SyncLists['conflicts'] }) {
  const { items } = list
  const conflicts = count(items.length, 'conflict')
  const [ours, theirs] = [`Take the file's text for ${conflicts}?`, `Take the service's text for ${conflicts}?`]
  return (
    <TextList
      title={count(list.total, 'conflict')}
      intro="Both sides changed these texts. Nothing is overwritten until you decide."
      list={list}
      actions={
        <>
          <ResolveButton
            label="Take ours for all"
            items={items}
            side="ours"
            confirm={{ title: ours, text: SERVICE_LOSES }}
          />
          <ResolveButton
            label="Take theirs for all"
            items={items}
            side="theirs"
            confirm={{ title: theirs, text: FILES_LOSE }}
          />
        </>
      }
    >
      {(item) => <ConflictDecision item={item} />}
    </TextList>
  )
}

function Holds({ list }: { list: SyncLists['holds'] }) {
  const texts = count(list.total, 'text')
  const [push, drop] = [
    { title: `Push ${texts}?`, text: SERVICE_LOSES },
    { title: `Drop ${texts}?`, text: FILES_GO_BACK },
  ]
  return (
    <TextList
      title={`${texts} held`}
      intro="These texts differ from the service and are not sent by themselves."
      list={list}
      actions={
        <>
          <HoldButton label="Push all" refs="all" action="release" confirm={push} />
          <HoldButton label="Drop all" refs="all" action="drop" kind="danger" confirm={drop} />
        </>
      }
    >
      {(item) => (
        <>
          <span class="soft">{HOLD_REASONS[item.reason]}</span>
          <HoldDecision item={item} />
        </>
      )}
    </TextList>
  )
}

function Outbox({ list }: { list: SyncLists['waiting'] }) {
  return (
    <TextList
      title={`Outbox: ${count(list.total, 'text')}`}
      intro="Accepted, on the disk, and not yet acknowledged by the service."
      list={list}
      actions={<ActionButton label="Send now" run={() => post('push', {})} done={textsDone('sent')} />}
    >
      {({ text, parked }) => (
        <>
          {parked?.kind === 'refused' && <span class="bad">refused: {parked.reason}</span>}
          <span dir="auto" class="quote">
            {text}
          </span>
        </>
      )}
    </TextList>
  )
}

interface TextListProps<Item> {
  readonly title: string
  readonly intro: string
  readonly list: { readonly total: number; readonly items: readonly Item[] }
  readonly actions: ComponentChildren
  readonly children: (item: Item) => ComponentChildren
}

function TextList<Item extends { readonly ref: TextRef }>(props: TextListProps<Item>) {
  const { title, intro, list, actions, children } = props
  const left = list.total - list.items.length
  if (list.total === 0) return null
  return (
    <Card title={title} actions={<div class="actions">{actions}</div>}>
      <p class="soft">{intro}</p>
      <ul class="items">
        {list.items.map((item) => (
          <li key={textName(item.ref)}>
            <TextLink to={item.ref} />
            {children(item)}
          </li>
        ))}
      </ul>
      {left > 0 && <p class="soft">and {figure(left)} more</p>}
    </Card>
  )
}

function TextLink({ to: { language, namespace, key, customer } }: { to: TextRef }) {
  return (
    <a class="text-link" href={hrefOf('texts', { namespace, key, customer })}>
      <code>{language}</code> <span class="soft">{namespace}</span>
      {customer !== undefined && <span class="chip">{customer}</span>} <strong>{key}</strong>
    </a>
  )
}
