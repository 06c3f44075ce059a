/** The differences between files and service: conflicts, held texts and the outbox. */
import type { ComponentChildren } from 'preact'
import type { TextRef } from '../../catalog/text-id.ts'
import { count, grouped } from '../../shared/figures.ts'
import type { Overview } from '../overview.ts'
import type { ActionAnswer } from '../protocol.ts'
import { post, useLive } from './calls.ts'
import { ActionButton, Card, Loaded } from './controls.tsx'
import { conflictDecision, holdDecision, resolve, TakeButton, takeHeld, textsDone } from './decisions.tsx'
import { textName } from './format.tsx'
import { hrefOf } from './route.ts'

const HOLD_REASONS = {
  start: 'already different when the dev server started',
  batch: 'part of a large batch',
  git: 'written by git',
}
const SERVICE_LOSES = "The service's texts are overwritten with the files' texts."
const FILES_LOSE = "The files' texts are overwritten with the service's texts."
const FILES_GO_BACK =
  "The files get the service's texts. Keys that the service does not have are removed from the files."

export function SyncView({ overview }: { overview: Overview }) {
  const sync = useLive('change', 'sync', {})
  return (
    <Loaded live={sync}>
      {({ conflicts, holds, waiting }) => {
        if (conflicts.total + holds.total + waiting.total === 0) return nothing(overview.sync.role === 'writer')
        const [some, held] = [count(conflicts.items.length, 'conflict'), count(holds.total, 'text')]
        const takeAll = (
          what: string,
          some: string,
          loss: string,
          take: (from: 'file' | 'service') => Promise<ActionAnswer>,
        ) =>
          (['file', 'service'] as const).map((from) => (
            <TakeButton
              key={from}
              from={from}
              of={` for all ${what}`}
              kind={loss === FILES_GO_BACK && from === 'service' ? 'danger' : undefined}
              confirm={{
                title: `Take the ${from}'s text for ${some}?`,
                text: from === 'file' ? SERVICE_LOSES : loss,
              }}
              run={() => take(from)}
            />
          ))
        return (
          <>
            <TextList
              title={count(conflicts.total, 'conflict')}
              intro="Both sides changed these texts. Nothing is overwritten until you decide."
              list={conflicts}
              item={conflictDecision}
            >
              {takeAll('conflicts', some, FILES_LOSE, (from) => resolve(conflicts.items, from))}
            </TextList>
            <TextList
              title={`${held} held`}
              intro="These texts differ from the service and are not sent automatically."
              list={holds}
              item={(item) => (
                <>
                  <span class="soft">{HOLD_REASONS[item.reason]}</span>
                  {holdDecision(item)}
                </>
              )}
            >
              {takeAll('held texts', held, FILES_GO_BACK, (from) => takeHeld('all', from))}
            </TextList>
            <TextList
              title={`Outbox: ${count(waiting.total, 'text')}`}
              intro="Saved to disk, but not yet acknowledged by the service."
              list={waiting}
              item={({ text, parked }) => (
                <>
                  {parked?.kind === 'refused' && <span class="bad">refused: {parked.reason}</span>}
                  <span dir="auto" class="quote">
                    {text}
                  </span>
                </>
              )}
            >
              <ActionButton label="Send now" run={() => post('push', {})} done={textsDone('sent')} />
            </TextList>
          </>
        )
      }}
    </Loaded>
  )
}

function nothing(isWriter: boolean) {
  const agreement = 'Files and service are in sync: no conflicts, no held texts, empty outbox.'
  return (
    <Card title="Sync">
      <p>{isWriter ? agreement : 'This process is not syncing.'}</p>
    </Card>
  )
}

interface TextListProps<Item> {
  readonly title: string
  readonly intro: string
  readonly list: { readonly total: number; readonly items: readonly Item[] }
  readonly item: (item: Item) => ComponentChildren
  /** The actions that apply to all items. */
  readonly children: ComponentChildren
}

function TextList<Item extends { readonly ref: TextRef }>(props: TextListProps<Item>) {
  const { title, intro, list, item: show, children } = props
  const left = list.total - list.items.length
  if (list.total === 0) return null
  return (
    <Card title={title} actions={<div class="actions">{children}</div>}>
      <p class="soft">{intro}</p>
      <ul class="items">
        {list.items.map((item) => (
          <li key={textName(item.ref)}>
            {textLink(item.ref)}
            {show(item)}
          </li>
        ))}
      </ul>
      {left > 0 && <p class="soft">and {grouped(left)} more</p>}
    </Card>
  )
}

function textLink({ language, namespace, key, customer }: TextRef) {
  return (
    <a class="text-link" href={hrefOf('texts', { namespace, key, customer })}>
      <code>{language}</code> <span class="soft">{namespace}</span>
      {customer !== undefined && <span class="chip">{customer}</span>} <strong>{key}</strong>
    </a>
  )
}
