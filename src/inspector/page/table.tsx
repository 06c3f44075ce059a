/** A table of any length. The document contains only the visible rows and columns. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Row } from '../protocol.ts'

export interface Column {
  readonly id: string
  readonly header: ComponentChildren
  readonly sort?: 'ascending' | 'descending' | undefined
  readonly cell: (row: Row) => ComponentChildren
}

interface TableProps {
  readonly label: string
  readonly grid: Grid
  readonly columns: readonly Column[]
  /** The header of the first column, whose cells contain the checkbox and the button that opens the row. */
  readonly rowTitle: Pick<Column, 'header' | 'sort'>
  readonly rowHeader: (row: Row, index: number) => ComponentChildren
  /** `undefined` if the row has not been fetched yet. */
  readonly rowAt: (index: number) => Row | undefined
  readonly isOpen: (row: Row) => boolean
  readonly isSelected: (row: Row) => boolean
  readonly actions: RowActions
}

export function Table(props: TableProps) {
  const { label, grid, columns, rowTitle, rowHeader, rowAt, isOpen, isSelected, actions } = props
  const { element, rowHeight, first, last, headerWidth, total } = grid
  const shown = columnsInSight(columns, grid)
  const tableWidth = px(headerWidth + columns.length * grid.columnWidth)
  const indexes = Array.from({ length: Math.max(0, Math.min(last, total) - first) }, (_, i) => first + i)
  const ghost = <span class="ghost" />
  return (
    <div
      class={`table ${grid.isNarrow ? 'narrow' : ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={total + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable={true}
      tabIndex={0}
      ref={element}
      onKeyDown={(event) => onTableKey(event, grid, actions)}
    >
      <div role="rowgroup" class="table-head">
        <div class="tr head" role="row" aria-rowindex={1} style={{ width: tableWidth }}>
          <span
            class="th key"
            role="columnheader"
            aria-colindex={1}
            aria-sort={rowTitle.sort}
            style={{ width: px(headerWidth) }}
          >
            {rowTitle.header}
          </span>
          {shown.map(({ column, position, style }) => (
            <span
              key={column.id}
              class="th"
              role="columnheader"
              aria-colindex={position}
              aria-sort={column.sort}
              style={style}
            >
              {column.header}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" class="table-body" style={{ width: tableWidth, height: px(total * rowHeight) }}>
        {indexes.map((index) => {
          const row = rowAt(index)
          const isChosen = row !== undefined && isSelected(row)
          return (
            <div
              key={index}
              class={`tr ${row && isOpen(row) ? 'open' : ''} ${isChosen ? 'selected' : ''}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={isChosen}
              data-row={index}
              style={{ transform: `translateY(${px(index * rowHeight)})`, height: px(rowHeight) }}
            >
              <span class="td key" role="rowheader" aria-colindex={1} style={{ width: px(headerWidth) }}>
                {row ? rowHeader(row, index) : ghost}
              </span>
              {shown.map(({ column, position, style }) => (
                <span
                  key={column.id}
                  class="td"
                  role="gridcell"
                  aria-colindex={position}
                  data-at={position}
                  tabIndex={-1}
                  style={style}
                  onDblClick={() => actions.edit(index, position)}
                >
                  {row ? column.cell(row) : ghost}
                </span>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Each column with its index for `aria-colindex`. */
function columnsInSight(columns: readonly Column[], { left, width, headerWidth, columnWidth }: Grid) {
  const first = Math.max(0, Math.floor(left / columnWidth) - 1)
  return columns.slice(first, Math.ceil((left + width) / columnWidth) + 1).map((column, i) => {
    const style = { left: px(headerWidth + (first + i) * columnWidth), width: px(columnWidth) }
    return { column, position: first + i + 2, style }
  })
}

function px(size: number): string {
  return `${size}px`
}

/** Narrower tables are shown as on a phone. */
const NARROW = 640
const HEAD_HEIGHT = 36
const SPARE_ROWS = 6

/**
 * The visible part of a scrolled table. Sizes are in pixels. `first` and `last` are the visible rows, plus a few on
 * both sides.
 */
export function useSight() {
  const element = useRef<HTMLDivElement>(null)
  const [{ top, left, height, width }, setBox] = useState({ top: 0, left: 0, height: 600, width: 1_000 })
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return
    let frame = 0
    const measure = () => {
      frame = 0
      setBox({ top: box.scrollTop, left: box.scrollLeft, height: box.clientHeight, width: box.clientWidth })
    }
    const measureSoon = () => {
      frame ||= requestAnimationFrame(measure)
    }
    const resizes = new ResizeObserver(measureSoon)
    measure()
    resizes.observe(box)
    box.addEventListener('scroll', measureSoon, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      resizes.disconnect()
    }
  }, [])
  const isNarrow = width < NARROW
  const rowHeight = isNarrow ? 54 : 34
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE_ROWS)
  const last = Math.ceil((top + height) / rowHeight) + SPARE_ROWS
  return { element, left, width, isNarrow, rowHeight, first, last }
}

export type Grid = ReturnType<typeof gridOf>

/** The measurements of a rendered table. */
export function gridOf(sight: ReturnType<typeof useSight>, columns: number, total: number) {
  const { isNarrow, width } = sight
  const headerWidth = isNarrow ? Math.floor(width * 0.42) : 290
  const leastWidth = isNarrow ? width - headerWidth : 220
  const columnWidth = Math.max(leastWidth, Math.floor((width - headerWidth) / Math.max(1, columns)))
  return { ...sight, total, columns, headHeight: HEAD_HEIGHT, headerWidth, columnWidth }
}

/** The keyboard actions other than moving the focus. */
interface RowActions {
  /** `at` is 0 for the checkbox, 1 for the key, and from 2 on for the columns. */
  readonly edit: (row: number, at: number) => void
  readonly toggle: (row: number) => void
  /** Selects all rows from the last selected one to this one. */
  readonly extend: (row: number, from: number) => void
  readonly selectAll: () => void
  readonly clear: () => boolean
  readonly remove: (row: number) => void
}

const ROW_STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }
const COLUMN_STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

function onTableKey(event: KeyboardEvent, grid: Grid, actions: RowActions): void {
  const target = event.target as HTMLElement
  const row = target.closest<HTMLElement>('[data-row]')
  if (!row || event.altKey) return
  const index = Number(row.dataset.row)
  const at = Number(target.closest<HTMLElement>('[data-at]')?.dataset.at ?? 1)
  const isHandled =
    event.ctrlKey || event.metaKey ? withCtrl(event, grid, actions, at) : plain(event, grid, actions, index, at)
  if (isHandled) event.preventDefault()
}

function withCtrl({ key }: KeyboardEvent, grid: Grid, { selectAll }: RowActions, at: number): boolean {
  if (key === 'a') selectAll()
  else if (key === 'Home') goTo(grid, 0, at)
  else if (key === 'End') goTo(grid, grid.total - 1, at)
  else return false
  return true
}

function plain({ key, shiftKey }: KeyboardEvent, grid: Grid, actions: RowActions, index: number, at: number): boolean {
  const rowStep = ROW_STEPS[key]
  const columnStep = COLUMN_STEPS[key]
  if (rowStep !== undefined) {
    if (key === 'ArrowUp' && index === 0 && !shiftKey) {
      document.querySelector<HTMLElement>('input[type="search"]')?.focus()
      return true
    }
    const next = Math.min(Math.max(0, index + rowStep), grid.total - 1)
    if (shiftKey) actions.extend(next, index)
    goTo(grid, next, at)
  } else if (columnStep !== undefined) goTo(grid, index, Math.min(Math.max(0, at + columnStep), grid.columns + 1))
  else if (key === 'Home' || key === 'End') goTo(grid, index, key === 'Home' ? 1 : grid.columns + 1)
  else if (key === ' ' && shiftKey) actions.toggle(index)
  else if (key === 'Delete') actions.remove(index)
  else if (key === 'Escape') return actions.clear()
  else if (at > 1 && (key === 'Enter' || key === 'F2')) actions.edit(index, at)
  else return false
  return true
}

/** Scrolls the cell into view, and focuses it once it is rendered. */
export function goTo(grid: Grid, row: number, at: number): void {
  showCell(grid, row, at)
  focusCell(grid, row, at)
}

export function showCell({ element, rowHeight, headHeight, headerWidth, columnWidth }: Grid, row: number, at: number) {
  const box = element.current
  if (!box) return
  const top = row * rowHeight
  const bottom = top + rowHeight + headHeight - box.clientHeight
  box.scrollTop = Math.max(Math.min(box.scrollTop, top), bottom)
  if (at < 2) return
  // The key column covers the cells that are scrolled underneath it.
  const left = (at - 2) * columnWidth
  const right = left + columnWidth + headerWidth - box.clientWidth
  box.scrollLeft = Math.max(Math.min(box.scrollLeft, left), right)
}

/** If the cell exists, focuses it immediately, so that the next key press starts from it. */
function focusCell(grid: Grid, row: number, at: number, tries = 20): void {
  const cell = cellAt(grid, row, at)
  if (cell) cell.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusCell(grid, row, at, tries - 1))
}

export function cellAt({ element }: Pick<Grid, 'element'>, row: number, at: number): HTMLElement | undefined {
  return element.current?.querySelector<HTMLElement>(`[data-row="${row}"] [data-at="${at}"]`) ?? undefined
}
