/** All texts, with all languages side by side, search and filters. A selected text opens next to the table. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { showText } from '../../catalog/text-id.ts'
import type { Overview } from '../overview.ts'
import type { ActionAnswer } from '../protocol.ts'
import { ActionButton, Button } from './controls.tsx'
import { keepDraft, saveDraft, useDrafts } from './drafts.ts'
import { count, textName } from './format.ts'
import { KeyPanel, Panel } from './key-panel.tsx'
import { readAgain } from './live.ts'
import { NewKey } from './new-key.tsx'
import { changeQuery, type Filters, hrefOf, type Query } from './route.ts'
import { Changes } from './text-marks.tsx'
import { TextsTable } from './texts-table.tsx'
import { Toolbar } from './toolbar.tsx'

export function TextsView({ query, overview }: { query: Query; overview: Overview }) {
  const { search = '', namespace, language, filter, customer, sort, columns, key, of = namespace } = query
  const filters = { search, namespace, language, filter, customer, sort } as Filters
  // If the URL names a key, `of` is the key's namespace and not a filter.
  const opened = key === undefined ? undefined : { namespace: of ?? overview.namespaces[0] ?? '', key, customer }
  const opener = useRef<HTMLElement>(null)
  const [isNew, setNew] = useState(false)
  const close = () => {
    setNew(false)
    changeQuery({ key: undefined, of: undefined })
    opener.current?.focus()
  }
  return (
    <div class="texts">
      <div class="texts-main">
        <Toolbar
          overview={overview}
          filters={filters}
          columns={columns}
          onNewKey={() => {
            opener.current = document.activeElement as HTMLElement
            changeQuery({ key: undefined, of: undefined })
            setNew(true)
          }}
        />
        <TextsTable
          overview={overview}
          filters={filters}
          columns={columns}
          opened={opened}
          onOpen={(row, from) => {
            opener.current = from
            setNew(false)
            changeQuery({ key: row.key, of: row.namespace })
          }}
        >
          <DraftList project={overview.project} />
        </TextsTable>
      </div>
      {opened && <KeyPanel of={opened} onClose={close} />}
      {isNew && !opened && (
        <Panel label="New key" title="New key" id="" onClose={close}>
          <NewKey
            namespace={namespace}
            onDone={(made) => {
              setNew(false)
              changeQuery({ key: made.key, of: made.namespace })
            }}
          />
        </Panel>
      )}
    </div>
  )
}

function DraftList({ project }: { project: string }) {
  const drafts = useDrafts(project)
  const saveButton = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      saveButton.current?.querySelector<HTMLElement>('.primary')?.click()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  if (drafts.length === 0) return null
  return (
    <div class="drafts">
      <details>
        <summary>
          <span class="chip chip-draft">{drafts.length} not saved</span>
        </summary>
        <ul class="items small" aria-label="Not saved">
          {drafts.map(({ ref, draft }) => (
            <li key={textName(ref)}>
              <a href={hrefOf('texts', { key: ref.key, of: ref.namespace, customer: ref.customer })}>{textName(ref)}</a>
              <Changes before={draft.expected ?? ''} after={draft.text} language={ref.language} />
              <div class="actions">
                <Button label="Discard" about={textName(ref)} onClick={() => keepDraft(project, ref, undefined)} />
              </div>
            </li>
          ))}
        </ul>
      </details>
      <div ref={saveButton} class="actions" title="Ctrl+S">
        <ActionButton
          label={`Save all (${drafts.length})`}
          kind="primary"
          run={() => saveAll(project, drafts)}
          done={(done) => `saved: ${count(done, 'text')}`}
        />
      </div>
    </div>
  )
}

/** Saves all drafts. A text with an error, or whose file has changed, stays a draft; opening the text shows why. */
async function saveAll(project: string, drafts: ReturnType<typeof useDrafts>): Promise<ActionAnswer> {
  const problems: string[] = []
  for (const kept of drafts) {
    const answer = await saveDraft(project, kept)
    problems.push(...answer.problems)
    if (answer.errors.length > 0) problems.push(`${showText(kept.ref)}: ${answer.errors.join(', ')}`)
  }
  readAgain()
  return { done: drafts.length - problems.length, problems }
}
