/** A table of any length: only the rows and columns in sight are in the document. */
import type { ComponentChildren, RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

export interface Column<Row> {
  readonly id: string
  readonly header: ComponentChildren
  readonly cell: (row: Row) => ComponentChildren
}

/** What is in sight of a table that is being scrolled. Sizes are in pixels. */
export interface Sight {
  readonly element: RefObject<HTMLDivElement | null>
  readonly left: number
  readonly width: number
  /** As narrow as a phone. */
  readonly isNarrow: boolean
  readonly rowHeight: number
  /** The rows in sight, with some to spare. */
  readonly first: number
  readonly last: number
}

const NARROW = 640
const HEAD_HEIGHT = 36
const SPARE_ROWS = 6

export function useSight(): Sight {
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
  const rowHeight = isNarrow ? 72 : 60
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE_ROWS)
  const last = Math.ceil((top + height) / rowHeight) + SPARE_ROWS
  return { element, left, width, isNarrow, rowHeight, first, last }
}

interface TableProps<Row> {
  readonly label: string
  readonly rowTitle: string
  readonly sight: Sight
  readonly columns: readonly Column<Row>[]
  readonly total: number
  /** `undefined`: not read yet. */
  readonly rowAt: (index: number) => Row | undefined
  readonly isOpen: (row: Row) => boolean
  /** Holds the button that opens the row. */
  readonly rowHeader: (row: Row) => ComponentChildren
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, rowTitle, sight, columns, total, rowAt, isOpen, rowHeader } = props
  const { element, rowHeight, first, last } = sight
  const { headerWidth, tableWidth, shown } = layoutOf(columns, sight)
  const indexes = Array.from({ length: Math.max(0, Math.min(last, total) - first) }, (_, i) => first + i)
  const ghost = <span class="ghost" />
  return (
    <div
      class={`table ${sight.isNarrow ? 'narrow' : ''}`}
      role="table"
      aria-label={label}
      aria-rowcount={total + 1}
      aria-colcount={columns.length + 1}
      tabIndex={0}
      ref={element}
      onKeyDown={(event) => moveFocus(event, sight, total)}
    >
      <div role="rowgroup" class="table-head">
        <div class="tr head" role="row" aria-rowindex={1} style={{ width: px(tableWidth) }}>
          <span class="th key" role="columnheader" aria-colindex={1} style={{ width: px(headerWidth) }}>
            {rowTitle}
          </span>
          {shown.map(({ column, position, style }) => (
            <span key={column.id} class="th" role="columnheader" aria-colindex={position} style={style}>
              {column.header}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" class="table-body" style={{ width: px(tableWidth), height: px(total * rowHeight) }}>
        {indexes.map((index) => {
          const row = rowAt(index)
          return (
            <div
              key={index}
              class={`tr ${row && isOpen(row) ? 'open' : ''}`}
              role="row"
              aria-rowindex={index + 2}
              data-row={index}
              style={{ transform: `translateY(${px(index * rowHeight)})`, height: px(rowHeight) }}
            >
              <span class="td key" role="rowheader" aria-colindex={1} style={{ width: px(headerWidth) }}>
                {row ? rowHeader(row) : ghost}
              </span>
              {shown.map(({ column, position, style }) => (
                <span key={column.id} class="td" role="cell" aria-colindex={position} style={style}>
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

/** The columns in sight, each with its position for `aria-colindex`. */
function layoutOf<Row>(columns: readonly Column<Row>[], { left, width, isNarrow }: Sight) {
  const headerWidth = isNarrow ? Math.floor(width * 0.42) : 260
  const leastWidth = isNarrow ? width - headerWidth : 220
  const columnWidth = Math.max(leastWidth, Math.floor((width - headerWidth) / columns.length))
  const first = Math.max(0, Math.floor(left / columnWidth) - 1)
  const shown = columns.slice(first, Math.ceil((left + width) / columnWidth) + 1).map((column, i) => {
    const style = { left: px(headerWidth + (first + i) * columnWidth), width: px(columnWidth) }
    return { column, position: first + i + 2, style }
  })
  return { headerWidth, tableWidth: headerWidth + columns.length * columnWidth, shown }
}

function px(size: number): string {
  return `${size}px`
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }

/** The arrow keys and the page keys go from row to row, and from the first one back to the search field. */
function moveFocus(event: KeyboardEvent, { element, rowHeight }: Sight, total: number): void {
  const step = STEPS[event.key]
  const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')
  const box = element.current
  if (step === undefined || !row || !box) return
  event.preventDefault()
  if (event.key === 'ArrowUp' && row.dataset.row === '0') {
    document.querySelector<HTMLElement>('input[type="search"]')?.focus()
    return
  }
  const next = Math.min(Math.max(0, Number(row.dataset.row) + step), total - 1)
  const top = next * rowHeight
  const bottom = top + rowHeight + HEAD_HEIGHT - box.clientHeight
  box.scrollTop = Math.max(Math.min(box.scrollTop, top), bottom)
  focusRow(box, next)
}

/** At once where the row is there, so that the next key press starts from it; else when it has been drawn. */
function focusRow(box: HTMLElement, index: number, tries = 20): void {
  const button = box.querySelector<HTMLElement>(`[data-row="${index}"] button`)
  if (button) button.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusRow(box, index, tries - 1))
}
