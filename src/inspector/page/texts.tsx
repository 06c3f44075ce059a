/** Every text: searched, filtered, all languages side by side. Only the rows and columns that are seen are in the document. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Cell, InspectedLanguage, Overview, Row, RowFilter } from '../wire.ts'
import { KeyPanel } from './key-panel.tsx'
import { originText, STATE_NAMES, Trouble } from './parts.tsx'
import { go, hrefOf } from './route.ts'
import { useRows } from './rows.ts'

const ROW = 60
const SPARE_ROWS = 6

const FILTERS: readonly { readonly value: RowFilter; readonly label: string }[] = [
  { value: 'all', label: 'All texts' },
  { value: 'missing', label: 'Missing' },
  { value: 'fallback', label: 'Shown by a fallback' },
  { value: 'differing', label: 'Differing from the service' },
  { value: 'conflict', label: 'Conflicts' },
  { value: 'held', label: 'Held' },
  { value: 'waiting', label: 'In the outbox' },
  { value: 'unreviewed', label: 'Not reviewed' },
]

type Params = Readonly<Record<string, string>>

export function TextsView({ query, overview }: { query: Params; overview: Overview }) {
  const { search = '', namespace, language, filter, customer, key } = query
  const set = useCallback(
    (next: Readonly<Record<string, string | undefined>>, replace = false) =>
      go(hrefOf('texts', { ...query, ...next }), { replace }),
    [query],
  )
  // A link to one text narrows nothing: `in` says that the namespace is only where the key is.
  const filters = { search, namespace, language, filter, customer }
  const opener = useRef<HTMLElement | null>(null)
  const close = useCallback(() => {
    set({ key: undefined, of: undefined })
    opener.current?.focus()
  }, [set])
  return (
    <div class={`texts ${key === undefined ? '' : 'with-panel'}`}>
      <div class="texts-main">
        <Toolbar overview={overview} filters={filters} set={set} />
        <Table
          overview={overview}
          filters={filters}
          open={key === undefined ? undefined : { namespace: query.of ?? namespace ?? '', key }}
          onOpen={(row, from) => {
            opener.current = from
            set({ key: row.key, of: row.namespace })
          }}
        />
      </div>
      {key === undefined ? null : (
        <KeyPanel
          overview={overview}
          namespace={query.of ?? namespace ?? overview.namespaces[0] ?? ''}
          textKey={key}
          customer={customer}
          onClose={close}
        />
      )}
    </div>
  )
}

interface Filters {
  readonly search: string
  readonly namespace: string | undefined
  readonly language: string | undefined
  readonly filter: string | undefined
  readonly customer: string | undefined
}

const TYPING_MS = 150

function Toolbar({
  overview,
  filters,
  set,
}: {
  overview: Overview
  filters: Filters
  set: (next: Readonly<Record<string, string | undefined>>, replace?: boolean) => void
}) {
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(filters.search)
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(filters.search)
  }, [filters.search])
  useEffect(() => {
    if (typed === filters.search) return
    const timer = setTimeout(() => set({ search: typed }, true), TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed, filters.search, set])
  // Before the first paint: who sees the field can press `/`.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.key !== '/' || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return
      event.preventDefault()
      field.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const { languages, namespaces, customers } = overview
  return (
    <search class="toolbar">
      <label class="field grow">
        <span>
          Search <kbd>/</kbd>
        </span>
        <input
          ref={field}
          type="search"
          placeholder="Key or text"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <Select
        label="Show"
        value={filters.filter ?? 'all'}
        options={FILTERS}
        onChange={(value) => set({ filter: value === 'all' ? undefined : value })}
      />
      <Select
        label="Namespace"
        value={filters.namespace ?? ''}
        options={[{ value: '', label: 'All' }, ...namespaces.map((name) => ({ value: name, label: name }))]}
        onChange={(value) => set({ namespace: value || undefined })}
      />
      <Select
        label="Language"
        value={filters.language ?? ''}
        options={[
          { value: '', label: 'All' },
          ...languages.map(({ key, name }) => ({ value: key, label: `${name} (${key})` })),
        ]}
        onChange={(value) => set({ language: value || undefined })}
      />
      {customers.length > 0 ? (
        <Select
          label="Customer"
          value={filters.customer ?? ''}
          options={[{ value: '', label: 'none' }, ...customers.map((name) => ({ value: name, label: name }))]}
          onChange={(value) => set({ customer: value || undefined })}
        />
      ) : null}
    </search>
  )
}

function Select({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: string
  options: readonly { readonly value: string; readonly label: string }[]
  onChange: (value: string) => void
}) {
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  )
}

interface Sight {
  readonly top: number
  readonly left: number
  readonly height: number
  readonly width: number
}

function useSight() {
  const element = useRef<HTMLDivElement>(null)
  const [sight, setSight] = useState<Sight>({ top: 0, left: 0, height: 600, width: 1_000 })
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return
    let frame = 0
    const look = () => {
      frame = 0
      const { scrollTop: top, scrollLeft: left, clientHeight: height, clientWidth: width } = box
      setSight({ top, left, height, width })
    }
    const later = () => {
      frame ||= requestAnimationFrame(look)
    }
    look()
    const resizes = new ResizeObserver(later)
    resizes.observe(box)
    box.addEventListener('scroll', later, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      resizes.disconnect()
      box.removeEventListener('scroll', later)
    }
  }, [])
  return { element, sight }
}

function Table({
  overview,
  filters,
  open,
  onOpen,
}: {
  overview: Overview
  filters: Filters
  open: { readonly namespace: string; readonly key: string } | undefined
  onOpen: (row: Row, from: HTMLElement) => void
}) {
  const { element, sight } = useSight()
  const isNarrow = sight.width < 640
  const columns = columnsOf(overview, filters.language, isNarrow)
  const keyWidth = isNarrow ? Math.floor(sight.width * 0.42) : 260
  const least = isNarrow ? sight.width - keyWidth : 220
  const columnWidth = Math.max(least, Math.floor((sight.width - keyWidth) / columns.length))
  const height = isNarrow ? ROW + 12 : ROW
  const first = Math.max(0, Math.floor(sight.top / height) - SPARE_ROWS)
  const last = Math.ceil((sight.top + sight.height) / height) + SPARE_ROWS
  const { total, at, failure } = useRows({ ...filters }, first, last)
  const firstColumn = Math.max(0, Math.floor(sight.left / columnWidth) - 1)
  const lastColumn = Math.min(columns.length, Math.ceil((sight.left + sight.width) / columnWidth) + 1)
  const seenColumns = columns.slice(firstColumn, lastColumn)

  const id = JSON.stringify(filters)
  useEffect(() => {
    if (element.current) element.current.scrollTop = 0
  }, [id])

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')
    if (step === undefined || !row || !element.current) return
    event.preventDefault()
    const next = Math.min(Math.max(0, Number(row.dataset.row) + step), (total ?? 1) - 1)
    const top = next * height
    const box = element.current
    const head = box.querySelector<HTMLElement>('.tr.head')?.offsetHeight ?? 0
    if (top < box.scrollTop) box.scrollTop = top
    else if (top + height + head > box.scrollTop + box.clientHeight)
      box.scrollTop = top + height + head - box.clientHeight
    focusRow(box, next)
  }

  const rows: { readonly index: number; readonly row: Row | undefined }[] = []
  for (let index = first; index < Math.min(last, total ?? 0); index++) rows.push({ index, row: at(index) })

  return (
    <>
      <p class="total" role="status">
        {failure !== undefined
          ? null
          : total === undefined
            ? 'Loading'
            : `${total.toLocaleString('en')} ${total === 1 ? 'key' : 'keys'}`}
      </p>
      {failure === undefined ? null : <Trouble message={failure} />}
      <div
        class="table"
        role="table"
        aria-label="Texts"
        aria-rowcount={(total ?? 0) + 1}
        aria-colcount={columns.length + 1}
        tabIndex={0}
        ref={element}
        onKeyDown={onKeyDown}
      >
        <div role="rowgroup" class="table-head">
          <div
            class="tr head"
            role="row"
            aria-rowindex={1}
            style={{ width: `${keyWidth + columns.length * columnWidth}px` }}
          >
            <span class="th key" role="columnheader" aria-colindex={1} style={{ width: `${keyWidth}px` }}>
              Key
            </span>
            {seenColumns.map(({ language }, i) => (
              <span
                key={language.key}
                class="th"
                role="columnheader"
                aria-colindex={firstColumn + i + 2}
                style={{ left: `${keyWidth + (firstColumn + i) * columnWidth}px`, width: `${columnWidth}px` }}
              >
                {language.name} <code>{language.key}</code>
              </span>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          class="table-body"
          style={{ height: `${(total ?? 0) * height}px`, width: `${keyWidth + columns.length * columnWidth}px` }}
        >
          {rows.map(({ index, row }) => (
            <div
              key={index}
              class={`tr ${row && open?.key === row.key && open.namespace === row.namespace ? 'open' : ''}`}
              role="row"
              aria-rowindex={index + 2}
              data-row={index}
              style={{ transform: `translateY(${index * height}px)`, height: `${height}px` }}
            >
              <span class="td key" role="rowheader" aria-colindex={1} style={{ width: `${keyWidth}px` }}>
                {row ? (
                  <button type="button" class="key-button" onClick={(event) => onOpen(row, event.currentTarget)}>
                    <span class="key-name">{row.key}</span>
                    <span class="soft small">{row.namespace}</span>
                  </button>
                ) : (
                  <span class="ghost" />
                )}
              </span>
              {seenColumns.map(({ language, at: column }, i) => (
                <span
                  key={language.key}
                  class="td"
                  role="cell"
                  aria-colindex={firstColumn + i + 2}
                  style={{ left: `${keyWidth + (firstColumn + i) * columnWidth}px`, width: `${columnWidth}px` }}
                >
                  {row ? <TextCell cell={row.cells[column]} language={language.key} /> : <span class="ghost" />}
                </span>
              ))}
            </div>
          ))}
        </div>
      </div>
    </>
  )
}

/** At once where the row is there, so that the next key press starts from it; else when it has been drawn. */
function focusRow(box: HTMLElement, index: number, tries = 20): void {
  const button = box.querySelector<HTMLElement>(`[data-row="${index}"] .key-button`)
  if (button) button.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusRow(box, index, tries - 1))
}

/** The default language first; at phone width one language: the one that was asked for. */
function columnsOf({ languages, defaultLanguage }: Overview, asked: string | undefined, isNarrow: boolean) {
  const all = languages.map((language: InspectedLanguage, at) => ({ language, at }))
  const first = all.filter(({ language }) => language.key === defaultLanguage)
  const chosen = all.filter(({ language }) => language.key === asked)
  if (isNarrow) return (chosen.length > 0 ? chosen : first.length > 0 ? first : all).slice(0, 1)
  if (chosen.length > 0) return [...first.filter(({ language }) => language.key !== asked), ...chosen]
  return [...first, ...all.filter(({ language }) => language.key !== defaultLanguage)]
}

function TextCell({ cell, language }: { cell: Cell | undefined; language: string }) {
  if (!cell) return null
  const { text, origin, state, isReviewed } = cell
  return (
    <span class={`cell from-${origin} ${state ? `is-${state}` : ''}`}>
      <span class="cell-text" dir="auto" lang={origin === 'fallback' ? cell.from : language}>
        {origin === 'none' ? <em>missing</em> : text}
      </span>
      <span class="cell-notes">
        <span class={`origin ${origin}`}>{originText(cell)}</span>
        {state ? <span class={`chip chip-${state}`}>{STATE_NAMES[state]}</span> : null}
        {isReviewed ? <span class="reviewed">reviewed</span> : null}
      </span>
    </span>
  )
}
