/** A table of any length: only the visible rows and columns are in the document. */
import type { ComponentChildren } from 'preact'
import type { Grid, Sight } from './grid.ts'
import { onTableKey, type RowActions } from './table-focus.ts'

export interface Column<Row> {
  readonly id: string
  readonly header: ComponentChildren
  readonly sort?: 'ascending' | 'descending' | undefined
  readonly cell: (row: Row) => ComponentChildren
}

interface TableProps<Row> {
  readonly label: string
  readonly sight: Sight
  readonly grid: Grid
  readonly columns: readonly Column<Row>[]
  /** The header of the first column, whose cells contain the checkbox and the button that opens the row. */
  readonly rowTitle: Pick<Column<Row>, 'header' | 'sort'>
  readonly rowHeader: (row: Row, index: number) => ComponentChildren
  /** `undefined` if not read yet. */
  readonly rowAt: (index: number) => Row | undefined
  readonly isOpen: (row: Row) => boolean
  readonly isSelected: (row: Row) => boolean
  readonly actions: RowActions
}

export function Table<Row>(props: TableProps<Row>) {
  const { label, sight, grid, columns, rowTitle, rowHeader, rowAt, isOpen, isSelected, actions } = props
  const { element, rowHeight, first, last } = sight
  const { headerWidth, total } = grid
  const shown = columnsInSight(columns, grid, sight)
  const tableWidth = px(headerWidth + columns.length * grid.columnWidth)
  const indexes = Array.from({ length: Math.max(0, Math.min(last, total) - first) }, (_, i) => first + i)
  const ghost = <span class="ghost" />
  return (
    <div
      class={`table ${sight.isNarrow ? 'narrow' : ''}`}
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

/** Each with its index for `aria-colindex`. */
function columnsInSight<Row>(columns: readonly Column<Row>[], grid: Grid, { left, width }: Sight) {
  const { headerWidth, columnWidth } = grid
  const first = Math.max(0, Math.floor(left / columnWidth) - 1)
  return columns.slice(first, Math.ceil((left + width) / columnWidth) + 1).map((column, i) => {
    const style = { left: px(headerWidth + (first + i) * columnWidth), width: px(columnWidth) }
    return { column, position: first + i + 2, style }
  })
}

function px(size: number): string {
  return `${size}px`
}
