/** The table of texts: its rows and columns, what is selected, and the text that is edited in its cell. */
import { useEffect, useState } from 'preact/hooks'
import type { Overview } from '../overview.ts'
import type { Row } from '../protocol.ts'
import { CellEditor, type EditedCell } from './cell-editor.tsx'
import { chosenColumns } from './columns.ts'
import { ErrorText } from './controls.tsx'
import { DeleteDialog } from './delete-keys.tsx'
import type { Filters } from './filters.ts'
import { count } from './format.ts'
import { type Grid, gridOf, useSight } from './grid.ts'
import { useLive } from './live.ts'
import { NothingFound } from './nothing-found.tsx'
import { HeadCell, RowHeader } from './row-header.tsx'
import { type Selection, useSelection } from './selection.ts'
import { SelectionBar } from './selection-bar.tsx'
import { Table } from './table.tsx'
import { goTo, type RowActions, showCell } from './table-focus.ts'
import { sortOf, useTextColumns } from './text-columns.tsx'

/** Rows are read in blocks, with one more before and behind the rows in sight. */
const BLOCK = 30

interface TextsTableProps {
  readonly overview: Overview
  readonly filters: Filters
  /** In the address. */
  readonly columns: string | undefined
  readonly opened: Pick<Row, 'namespace' | 'key'> | undefined
  readonly onOpen: (row: Row, from: HTMLElement) => void
}

export function TextsTable({ overview, filters, columns: inAddress, opened, onOpen }: TextsTableProps) {
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
  const grid = gridOf(sight, columns.length, total)
  const editing = { grid, languages, rowAt, customer: filters.customer, setEdited }
  const clearSelection = () => {
    selection.clear()
    // The button that had the focus goes with the selection.
    requestAnimationFrame(() => sight.element.current?.focus())
  }
  useEffect(() => {
    setEdited(undefined)
    sight.element.current?.scrollTo({ top: 0 })
  }, [JSON.stringify(filters)])
  return (
    <>
      <p class="total" role="status">
        {data ? count(data.total, 'key') : failure === undefined && 'Loading'}
      </p>
      <SelectionBar
        overview={overview}
        keys={selection.keys}
        customer={filters.customer}
        columns={languages}
        onClear={clearSelection}
      />
      {failure !== undefined && <ErrorText message={failure} />}
      {data?.total === 0 && <NothingFound filters={filters} />}
      <Table
        label="Texts"
        sight={sight}
        grid={grid}
        columns={columns}
        rowTitle={{
          sort: sortOf(filters.sort ?? 'key', 'key'),
          header: <HeadCell sort={filters.sort} selection={selection} total={total} />,
        }}
        rowAt={rowAt}
        isOpen={(row) => row.key === opened?.key && row.namespace === opened.namespace}
        isSelected={selection.has}
        rowHeader={(row, index) => <RowHeader row={row} index={index} selection={selection} onOpen={onOpen} />}
        actions={actionsOf(editing, selection, (index) => setDeleted(rowAt(index)))}
      />
      {edited && <EditedText {...editing} edited={edited} overview={overview} />}
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

interface Editing {
  readonly grid: Grid
  /** Of the columns. */
  readonly languages: readonly string[]
  readonly rowAt: (index: number) => Row | undefined
  readonly customer: string | undefined
  readonly setEdited: (cell: EditedCell | undefined) => void
}

function edit({ grid, languages, rowAt, customer, setEdited }: Editing, row: number, at: number): void {
  const [found, language] = [rowAt(row), languages[at - 2]]
  if (!found || language === undefined) return
  const { namespace, key } = found
  showCell(grid, row, at)
  setEdited({ row, at, ref: { language, namespace, key, ...(customer !== undefined && { customer }) } })
}

function actionsOf(editing: Editing, selection: Selection, remove: RowActions['remove']): RowActions {
  return {
    edit: (row, at) => edit(editing, row, at),
    toggle(index) {
      const row = editing.rowAt(index)
      if (row) selection.toggle(row, index)
    },
    extend: selection.extend,
    selectAll: selection.selectAll,
    clear: selection.clear,
    remove,
  }
}

function EditedText({ edited, overview, ...editing }: Editing & { edited: EditedCell; overview: Overview }) {
  const { grid, rowAt, setEdited } = editing
  const { language } = edited.ref
  const close = () => {
    setEdited(undefined)
    goTo(grid, edited.row, edited.at)
  }
  const step = (by: 1 | -1) => {
    const next = edited.row * grid.columns + (edited.at - 2) + by
    const row = Math.floor(next / grid.columns)
    if (next >= 0 && rowAt(row)) edit(editing, row, (next % grid.columns) + 2)
    else close()
  }
  const name = overview.languages.find(({ key }) => key === language)?.name ?? language
  return <CellEditor grid={grid} cell={edited} name={name} onClose={close} onStep={step} />
}

/** The filter's language beside the default one. On a phone a single one: the filter's. */
function shownLanguages(
  chosen: readonly string[],
  { defaultLanguage }: Overview,
  wanted: string | undefined,
  isNarrow: boolean,
): readonly string[] {
  const shown = wanted === undefined ? chosen : [...new Set([defaultLanguage, wanted])]
  return isNarrow ? [wanted ?? shown[0] ?? defaultLanguage] : shown
}
