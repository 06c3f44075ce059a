/** All texts, with all languages side by side, search and filters. A selected text opens next to the table. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { showText } from '../../catalog/text-id.ts'
import { count } from '../../shared/figures.ts'
import type { Overview } from '../overview.ts'
import type { ActionAnswer } from '../protocol.ts'
import { readAgain } from './calls.ts'
import { ActionButton, Button, Dialog, DialogButton, LanguageChecks, Select } from './controls.tsx'
import { keepDraft, saveDraft, useDrafts } from './drafts.ts'
import { Changes, textName } from './format.tsx'
import { KeyTexts, Panel } from './key-panel.tsx'
import { NewKey } from './new-key.tsx'
import { changeQuery, type Filters, hrefOf, type Query } from './route.ts'
import { chooseColumns, chosenColumns, columnLanguages } from './text-columns.tsx'
import { TextsTable } from './texts-table.tsx'

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
      {opened && (
        <Panel label={`Text ${opened.key}`} title={opened.key} id={`${opened.namespace} ${opened.key}`} onClose={close}>
          <KeyTexts of={opened} />
        </Panel>
      )}
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

const TYPING_MS = 150

const SHOWN: readonly (readonly [NonNullable<Filters['filter']>, string])[] = [
  ['all', 'All texts'],
  ['missing', 'Missing'],
  ['fallback', 'Fallback'],
  ['differing', 'Different from the service'],
  ['conflict', 'Conflicts'],
  ['held', 'Held'],
  ['waiting', 'In the outbox'],
  ['stale', 'Stale'],
  ['unreviewed', 'Not reviewed'],
]

type ToolbarProps = { overview: Overview; filters: Filters; columns: string | undefined; onNewKey: () => void }

/** The search field and the filters above the table. */
function Toolbar({ overview, filters, columns, onNewKey }: ToolbarProps) {
  const named = (name: string) => [name, name] as const
  const languages = overview.languages.map(({ key, name }) => [key, `${name} (${key})`] as const)
  const selects = [
    { label: 'Show', name: 'filter', none: 'all', options: SHOWN },
    { label: 'Namespace', name: 'namespace', none: '', options: [['', 'All'], ...overview.namespaces.map(named)] },
    { label: 'Language', name: 'language', none: '', options: [['', 'All'], ...languages] },
    { label: 'Order', name: 'sort', none: 'key', options: ordersOf(overview) },
    { label: 'Customer', name: 'customer', none: '', options: [['', 'none'], ...overview.customers.map(named)] },
  ] as const
  return (
    <search class="toolbar">
      <SearchField search={filters.search ?? ''} />
      {selects
        .filter(({ name }) => name !== 'customer' || overview.customers.length > 0)
        .map(({ label, name, none, options }) => (
          <Select
            key={name}
            label={label}
            value={filters[name] ?? none}
            options={options}
            onChange={(value) => changeQuery({ [name]: value === none ? undefined : value })}
          />
        ))}
      <ColumnsMenu overview={overview} columns={columns} />
      <Button label="New key" onClick={onNewKey} />
    </search>
  )
}

function ordersOf({ languages }: Overview): readonly (readonly [string, string])[] {
  return [
    ['key', 'Keys'],
    ['-key', 'Keys, descending'],
    ['state', 'Needs attention first'],
    ['-state', 'Needs attention last'],
    ...languages.flatMap(({ key, name }) => [
      [`text:${key}`, `${name} (${key})`] as const,
      [`-text:${key}`, `${name} (${key}), descending`] as const,
    ]),
  ]
}

function SearchField({ search }: { search: string }) {
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(search)
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(search)
  }, [search])
  useEffect(() => {
    if (typed === search) return
    const timer = setTimeout(() => changeQuery({ search: typed }, { replace: true }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, search])
  // Runs before the first paint, so that `/` works as soon as the user sees the field.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || (event.target as HTMLElement).matches('input, textarea, select')) return
      event.preventDefault()
      field.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    const first = document.querySelector<HTMLElement>('[data-row] button')
    if (event.key !== 'ArrowDown' || !first) return
    event.preventDefault()
    first.focus()
  }
  const type = (event: Event) => setTyped((event.currentTarget as HTMLInputElement).value)
  return (
    <label class="field grow">
      <span>
        Search <kbd>/</kbd>
      </span>
      <input
        ref={field}
        type="search"
        placeholder="Key or text"
        value={typed}
        onInput={type}
        onKeyDown={onKeyDown}
        aria-description="Use the arrow keys to go to the results"
      />
    </label>
  )
}

function ColumnsMenu({ overview, columns }: Pick<ToolbarProps, 'overview' | 'columns'>) {
  const [shown, all] = [chosenColumns(overview, columns), columnLanguages(overview)]
  const choose = (keys: readonly string[]) => chooseColumns(overview, keys)
  return (
    <DialogButton label={`Columns${shown.length < all.length ? ` (${shown.length} of ${all.length})` : ''}`}>
      {(close) => (
        <Dialog title="Columns" closeLabel="Close" onClose={close}>
          <LanguageChecks legend="Languages" languages={all} chosen={shown} onChange={choose} needsOne />
          <div class="actions">
            <Button label="Show all" onClick={() => choose(all.map(({ key }) => key))} />
            {shown.length > 1 && (
              <Button label={`Only ${overview.defaultLanguage}`} onClick={() => choose([overview.defaultLanguage])} />
            )}
          </div>
        </Dialog>
      )}
    </DialogButton>
  )
}
