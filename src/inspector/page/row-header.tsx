/** The cells in front of the table's rows: a checkbox that selects, and a button that opens the key. */
import type { Row } from '../protocol.ts'
import type { Selection } from './selection.ts'
import { SortButton } from './text-columns.tsx'

interface HeadCellProps {
  readonly sort: string | undefined
  readonly selection: Selection
  /** Of the rows that are found. */
  readonly total: number
}

export function HeadCell({ sort, selection, total }: HeadCellProps) {
  const { keys, selectAll, clear } = selection
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
      <SortButton by="key" sort={sort}>
        Key
      </SortButton>
    </>
  )
}

interface RowHeaderProps {
  readonly row: Row
  readonly index: number
  readonly selection: Selection
  readonly onOpen: (row: Row, from: HTMLElement) => void
}

export function RowHeader({ row, index, selection, onOpen }: RowHeaderProps) {
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
        <span class="soft small">{row.namespace}</span>
      </button>
    </>
  )
}
