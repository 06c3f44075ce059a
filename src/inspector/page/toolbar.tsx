/** The search field and the filters above the texts table. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Overview } from '../overview.ts'
import { Button, Checkbox, Dialog, Select } from './controls.tsx'
import { changeQuery, type Filters } from './route.ts'
import { allColumns, chooseColumns, chosenColumns } from './text-columns.tsx'

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

interface ToolbarProps {
  readonly overview: Overview
  readonly filters: Filters
  readonly columns: string | undefined
  readonly onNewKey: () => void
}

export function Toolbar({ overview, filters, columns, onNewKey }: ToolbarProps) {
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

type ColumnsMenuProps = Pick<ToolbarProps, 'overview' | 'columns'>

function ColumnsMenu({ overview, columns }: ColumnsMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const [shown, all] = [chosenColumns(overview, columns), allColumns(overview)]
  const choose = (keys: readonly string[]) => chooseColumns(overview, keys)
  const show = (key: string, isShown: boolean) =>
    choose(all.filter((each) => (each === key ? isShown : shown.includes(each))))
  return (
    <>
      <Button
        label={`Columns${shown.length < all.length ? ` (${shown.length} of ${all.length})` : ''}`}
        opensDialog
        onClick={() => setOpen(true)}
      />
      {isOpen && (
        <Dialog title="Columns" closeLabel="Close" onClose={() => setOpen(false)}>
          <ul class="plain columns" aria-label="Languages">
            {all.map((key) => {
              const { name = key } = overview.languages.find((language) => language.key === key) ?? {}
              const isShown = shown.includes(key)
              return (
                <li key={key}>
                  {/* The last column cannot be hidden. */}
                  <Checkbox checked={isShown} disabled={isShown && shown.length === 1} onChange={(on) => show(key, on)}>
                    <span>
                      {name} <code>{key}</code>
                    </span>
                  </Checkbox>
                </li>
              )
            })}
          </ul>
          <div class="actions">
            <Button label="Show all" onClick={() => choose(all)} />
            {shown.length > 1 && (
              <Button label={`Only ${overview.defaultLanguage}`} onClick={() => choose([overview.defaultLanguage])} />
            )}
          </div>
        </Dialog>
      )}
    </>
  )
}
