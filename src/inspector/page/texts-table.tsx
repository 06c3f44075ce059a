/** The texts table: its rows and columns, the selection, and the editor inside a cell. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { textRef } from '../../catalog/text-id.ts'
import { count } from '../../shared/figures.ts'
import type { Overview } from '../overview.ts'
import type { KeyName, Row } from '../protocol.ts'
import { useLive } from './calls.ts'
import { CellEditor, type EditedCell } from './cell-editor.tsx'
import { Button, ErrorText } from './controls.tsx'
import { DeleteDialog } from './delete-keys.tsx'
import { changeQuery, type Filters } from './route.ts'
import { type Selection, SelectionBar, useSelection } from './selection-bar.tsx'
import { goTo, gridOf, showCell, Table, useSight } from './table.tsx'
import { chosenColumns, sortButton, sortOf, useTextColumns } from './text-columns.tsx'

const NO_FILTERS = { search: undefined, filter: undefined, namespace: undefined, language: undefined }

function nothingFound({ search = '', filter = 'all', namespace, language }: Filters) {
  const isFiltered = filter !== 'all' || namespace !== undefined || language !== undefined
  if (search === '' && !isFiltered)
    return <p class="nothing">The project has no keys yet. Create one with “New key”.</p>
  return (
    <div class="nothing">
      <p>
        {search === '' ? 'No keys match the filters.' : `No key or text contains “${search}”`}
        {search !== '' && (isFiltered ? ' and matches the filters.' : '. You can also search for part of a word.')}
      </p>
      <div class="actions">
        {isFiltered && search !== '' && (
          <Button label="Search all texts" onClick={() => changeQuery({ ...NO_FILTERS, search })} />
        )}
        <Button label="Show everything" onClick={() => changeQuery(NO_FILTERS)} />
      </div>
    </div>
  )
}

/** Rows are fetched in blocks, including one block before and one after the visible rows. */
const BLOCK = 30

interface TextsTableProps {
  readonly overview: Overview
  readonly filters: Filters
  /** The columns in the URL. */
  readonly columns: string | undefined
  readonly opened: KeyName | undefined
  readonly onOpen: (row: Row, from: HTMLElement) => void
  /** Shown above the table, next to the number of keys. */
  readonly children: ComponentChildren
}

export function TextsTable({ overview, filters, columns: inAddress, opened, onOpen, children }: TextsTableProps) {
  const { kind, hasService } = overview
  const sight = useSight()
  const [edited, setEdited] = useState<EditedCell>()
  const [deleted, setDeleted] = useState<Row>()
  const from = Math.max(0, Math.floor(sight.first / BLOCK) - 1) * BLOCK
  const range = { from, count: (Math.floor(sight.last / BLOCK) + 2) * BLOCK - from }
  const stays = edited ? ('yes' as const) : undefined
  const { data, failure } = useLive('change', 'rows', { ...filters, ...range, stays }, { keepsOld: true })
  const rowAt = (index: number) => data?.rows[index - data.from]
  const selection = useSelection(filters)
  const languages = shownLanguages(chosenColumns(overview, inAddress), overview, filters.language, sight.isNarrow)
  const columns = useTextColumns(overview, languages, filters)
  const total = data?.total ?? 0
  const hasNamespace = overview.namespaces.length > 1 && filters.namespace === undefined
  const grid = gridOf(sight, columns.length, total)
  const edit = (row: number, at: number) => {
    const [found, language] = [rowAt(row), languages[at - 2]]
    if (!found || language === undefined) return
    showCell(grid, row, at)
    setEdited({
      row,
      at,
      ref: textRef({ language, namespace: found.namespace, customer: filters.customer }, found.key),
    })
  }
  const closeEditor = ({ row, at }: EditedCell) => {
    setEdited(undefined)
    goTo(grid, row, at)
  }
  const step = (cell: EditedCell, by: 1 | -1) => {
    const next = cell.row * grid.columns + (cell.at - 2) + by
    const row = Math.floor(next / grid.columns)
    if (next >= 0 && rowAt(row)) edit(row, (next % grid.columns) + 2)
    else closeEditor(cell)
  }
  const clearSelection = () => {
    selection.clear()
    // The focused button disappears together with the selection.
    requestAnimationFrame(() => sight.element.current?.focus())
  }
  useEffect(() => {
    setEdited(undefined)
    sight.element.current?.scrollTo({ top: 0 })
  }, [JSON.stringify(filters)])
  return (
    <>
      {/* Always as tall as its buttons, so that the table does not move when they appear. */}
      <div class="bar">
        <p class="total" role="status">
          {data ? count(data.total, 'key') : failure === undefined && 'Loading'}
        </p>
        <SelectionBar
          {...{ overview, keys: selection.keys, customer: filters.customer, columns: languages }}
          onClear={clearSelection}
        />
        {children}
      </div>
      {failure !== undefined && <ErrorText message={failure} />}
      {data?.total === 0 && nothingFound(filters)}
      <Table
        label="Texts"
        grid={grid}
        columns={columns}
        rowTitle={{ sort: sortOf(filters.sort ?? 'key', 'key'), header: headCell(filters.sort, selection, total) }}
        rowAt={rowAt}
        isOpen={(row) => row.key === opened?.key && row.namespace === opened.namespace}
        isSelected={selection.has}
        rowHeader={(row, index) => rowHeader(row, index, selection, hasNamespace, onOpen)}
        actions={{
          ...selection,
          edit,
          toggle(index) {
            const row = rowAt(index)
            if (row) selection.toggle(row, index)
          },
          remove: (index) => setDeleted(rowAt(index)),
        }}
      />
      {edited && <CellEditor {...{ grid, overview }} cell={edited} onClose={closeEditor} onStep={step} />}
      {deleted && (
        <DeleteDialog
          {...{ kind, hasService }}
          keys={selection.keys.length > 0 ? selection.keys : [{ namespace: deleted.namespace, key: deleted.key }]}
          onClose={() => setDeleted(undefined)}
          onDeleted={clearSelection}
        />
      )}
    </>
  )
}

/** The default language and the filter's language. On a phone, only one of them, preferably the filter's. */
function shownLanguages(
  chosen: readonly string[],
  { defaultLanguage }: Overview,
  wanted: string | undefined,
  isNarrow: boolean,
): readonly string[] {
  const shown = wanted === undefined ? chosen : [...new Set([defaultLanguage, wanted])]
  return isNarrow ? [wanted ?? shown[0] ?? defaultLanguage] : shown
}

function headCell(sort: string | undefined, { keys, selectAll, clear }: Selection, total: number) {
  return (
    <>
      <label class="select">
        <input
          type="checkbox"
          aria-label="Select all keys"
          checked={total > 0 && keys.length >= total}
          indeterminate={keys.length > 0 && keys.length < total}
          onChange={(event) => (event.currentTarget.checked ? selectAll() : clear())}
        />
      </label>
      {sortButton('key', sort, 'Key')}
    </>
  )
}

function rowHeader(
  row: Row,
  index: number,
  selection: Selection,
  hasNamespace: boolean,
  onOpen: TextsTableProps['onOpen'],
) {
  return (
    <>
      <label class="select">
        <input
          type="checkbox"
          tabIndex={-1}
          data-at={0}
          aria-label={`Select ${row.key}`}
          checked={selection.has(row)}
          onClick={(event) => {
            if (event.shiftKey) selection.extend(index, index)
            else selection.toggle(row, index)
          }}
        />
      </label>
      <button type="button" class="key-button" data-at={1} onClick={(event) => onOpen(row, event.currentTarget)}>
        <span class="key-name">{row.key}</span>
        {hasNamespace && <span class="soft small">{row.namespace}</span>}
      </button>
    </>
  )
}
