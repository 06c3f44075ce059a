/** What stands between files and service: conflicts to decide, texts that are held, the outbox. */
import type { TextRef } from '../../catalog/text-id.ts'
import type { ActionAnswer, ConflictItem, HoldItem, Listed, Overview, SyncAnswer, WaitingItem } from '../wire.ts'
import { post } from './api.ts'
import { useLive } from './live.ts'
import { ActionButton, count, Differing, Trouble, useSay, Waiting } from './parts.tsx'
import { hrefOf } from './route.ts'

export function SyncView({ overview }: { overview: Overview }) {
  const { data, failure } = useLive<SyncAnswer>('change', 'sync')
  if (failure && !data) return <Trouble message={failure.message} />
  if (!data) return <Waiting what="Loading" />
  const { conflicts, holds, waiting } = data
  const isEmpty = conflicts.total + holds.total + waiting.total === 0
  return (
    <>
      {isEmpty ? (
        <section class="card">
          <h2>Sync</h2>
          <p>
            {overview.sync.role === 'writer'
              ? 'Files and service agree: no conflict, nothing held, nothing waiting.'
              : 'Nothing is synced from here.'}
          </p>
        </section>
      ) : null}
      {conflicts.total > 0 ? <Conflicts list={conflicts} /> : null}
      {holds.total > 0 ? <Holds list={holds} /> : null}
      {waiting.total > 0 ? <Outbox list={waiting} /> : null}
    </>
  )
}

function nameOf({ language, namespace, key, customer }: TextRef): string {
  return `${language}/${namespace}${customer === undefined ? '' : ` (${customer})`} ${key}`
}

function TextLink({ textRef }: { textRef: TextRef }) {
  const { language, namespace, key, customer } = textRef
  return (
    <a class="text-link" href={hrefOf('texts', { namespace, key, customer })}>
      <code>{language}</code> <span class="soft">{namespace}</span>
      {customer === undefined ? null : <span class="chip">{customer}</span>} <strong>{key}</strong>
    </a>
  )
}

function resolve(items: readonly ConflictItem[], side: 'ours' | 'theirs'): Promise<ActionAnswer> {
  return post('resolve', { side, conflicts: items.map(({ ref, ours, theirs }) => ({ ref, ours, theirs })) })
}

function useDone() {
  const say = useSay()
  return (what: string) => (answer: ActionAnswer | undefined) => {
    if (answer && answer.done > 0) say(`${what}: ${count(answer.done, 'text')}`)
  }
}

function Conflicts({ list: { items, total } }: { list: Listed<ConflictItem> }) {
  const done = useDone()
  return (
    <section class="card" aria-labelledby="conflicts-title">
      <div class="head">
        <h2 id="conflicts-title">{count(total, 'conflict')}</h2>
        <div class="actions">
          <ActionButton
            label="Take ours for all"
            confirm={{
              title: `Take the file's text for ${count(items.length, 'conflict')}?`,
              text: "The service's texts are overwritten with those of the files.",
            }}
            run={() => resolve(items, 'ours')}
            onDone={done('decided for the file')}
          />
          <ActionButton
            label="Take theirs for all"
            confirm={{
              title: `Take the service's text for ${count(items.length, 'conflict')}?`,
              text: 'The texts in the files are overwritten with those of the service.',
            }}
            run={() => resolve(items, 'theirs')}
            onDone={done('decided for the service')}
          />
        </div>
      </div>
      <p class="soft">Both sides changed these texts. Nothing is overwritten until you decide.</p>
      <ul class="items">
        {items.map((item) => (
          <li key={nameOf(item.ref)}>
            <TextLink textRef={item.ref} />
            <ConflictSides item={item} />
            <ConflictButtons item={item} />
          </li>
        ))}
      </ul>
      {total > items.length ? <p class="soft">and {(total - items.length).toLocaleString('en')} more</p> : null}
    </section>
  )
}

export function ConflictSides({ item: { base, ours, theirs } }: { item: ConflictItem }) {
  return (
    <dl class="sides">
      <dt>base</dt>
      <dd>{base === null ? <em>nothing yet</em> : <span dir="auto">{base}</span>}</dd>
      <dt>file</dt>
      <dd>{ours === null ? <em>deleted</em> : <Differing text={ours} other={theirs} />}</dd>
      <dt>service</dt>
      <dd>{theirs === null ? <em>deleted</em> : <Differing text={theirs} other={ours} />}</dd>
    </dl>
  )
}

export function ConflictButtons({ item }: { item: ConflictItem }) {
  const done = useDone()
  const about = nameOf(item.ref)
  return (
    <div class="actions">
      <ActionButton
        label="Take ours"
        about={about}
        run={() => resolve([item], 'ours')}
        onDone={done('decided for the file')}
      />
      <ActionButton
        label="Take theirs"
        about={about}
        {...(item.theirs === null && {
          confirm: {
            title: 'Remove the text?',
            text: 'The service has it no longer, so the key is taken out of the file.',
          },
        })}
        run={() => resolve([item], 'theirs')}
        onDone={done('decided for the service')}
      />
    </div>
  )
}

const REASONS: Readonly<Record<HoldItem['reason'], string>> = {
  start: 'stood like this when the dev server started',
  batch: 'part of a large batch',
  switch: 'came with a git branch',
}

function Holds({ list: { items, total } }: { list: Listed<HoldItem> }) {
  const done = useDone()
  return (
    <section class="card" aria-labelledby="holds-title">
      <div class="head">
        <h2 id="holds-title">{count(total, 'text')} held</h2>
        <div class="actions">
          <ActionButton
            label="Push all"
            confirm={{
              title: `Push ${count(total, 'text')}?`,
              text: "The service's texts are overwritten with those of the files.",
            }}
            run={() => post('release', { refs: 'all' })}
            onDone={done('accepted for pushing')}
          />
          <ActionButton
            label="Drop all"
            kind="danger"
            confirm={{
              title: `Drop ${count(total, 'text')}?`,
              text: 'The files get the texts of the service back; keys the service does not have are taken out of the files.',
            }}
            run={() => post('drop', { refs: 'all' })}
            onDone={done('dropped')}
          />
        </div>
      </div>
      <p class="soft">These texts differ from the service and are not sent by themselves.</p>
      <ul class="items">
        {items.map((item) => (
          <li key={nameOf(item.ref)}>
            <TextLink textRef={item.ref} />
            <span class="soft">{REASONS[item.reason]}</span>
            <HoldSides item={item} />
            <HoldButtons item={item} />
          </li>
        ))}
      </ul>
      {total > items.length ? <p class="soft">and {(total - items.length).toLocaleString('en')} more</p> : null}
    </section>
  )
}

export function HoldSides({ item: { text, theirs } }: { item: HoldItem }) {
  return (
    <dl class="sides">
      <dt>file</dt>
      <dd>
        <Differing text={text} other={theirs} />
      </dd>
      <dt>service</dt>
      <dd>{theirs === null ? <em>not there</em> : <Differing text={theirs} other={text} />}</dd>
    </dl>
  )
}

export function HoldButtons({ item }: { item: HoldItem }) {
  const done = useDone()
  const about = nameOf(item.ref)
  return (
    <div class="actions">
      <ActionButton
        label="Push"
        about={about}
        run={() => post('release', { refs: [item.ref] })}
        onDone={done('accepted for pushing')}
      />
      <ActionButton
        label="Drop"
        about={about}
        {...(item.theirs === null && {
          confirm: {
            title: 'Remove the text?',
            text: 'The service does not have this key, so it is taken out of the file.',
          },
        })}
        run={() => post('drop', { refs: [item.ref] })}
        onDone={done('dropped')}
      />
    </div>
  )
}

function Outbox({ list: { items, total } }: { list: Listed<WaitingItem> }) {
  const done = useDone()
  return (
    <section class="card" aria-labelledby="outbox-title">
      <div class="head">
        <h2 id="outbox-title">Outbox: {count(total, 'text')}</h2>
        <ActionButton label="Send now" run={() => post('push')} onDone={done('sent')} />
      </div>
      <p class="soft">Accepted, on the disk, and not yet acknowledged by the service.</p>
      <ul class="items">
        {items.map(({ ref, text, parked, reason }) => (
          <li key={nameOf(ref)}>
            <TextLink textRef={ref} />
            {parked === 'refused' ? <span class="bad">refused: {reason}</span> : null}
            <span dir="auto" class="quote">
              {text}
            </span>
          </li>
        ))}
      </ul>
      {total > items.length ? <p class="soft">and {(total - items.length).toLocaleString('en')} more</p> : null}
    </section>
  )
}
