/** Keyboard navigation in a table: moves the focus, and scrolls cells into view. */
import type { Grid } from './grid.ts'

/** The actions of keys other than moving the focus. */
export interface RowActions {
  /** `at`: 0 is the checkbox, 1 the key, then the columns. */
  readonly edit: (row: number, at: number) => void
  readonly toggle: (row: number) => void
  /** Selects all rows from the last selected one. */
  readonly extend: (row: number, from: number) => void
  readonly selectAll: () => void
  readonly clear: () => boolean
  readonly remove: (row: number) => void
}

const ROW_STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }
const COLUMN_STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

export function onTableKey(event: KeyboardEvent, grid: Grid, actions: RowActions): void {
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
  // The key column covers cells that are scrolled below it.
  const left = (at - 2) * columnWidth
  const right = left + columnWidth + headerWidth - box.clientWidth
  box.scrollLeft = Math.max(Math.min(box.scrollLeft, left), right)
}

/** Immediately if the cell exists, so that the next key press starts from it. */
function focusCell(grid: Grid, row: number, at: number, tries = 20): void {
  const cell = cellAt(grid, row, at)
  if (cell) cell.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusCell(grid, row, at, tries - 1))
}

export function cellAt({ element }: Pick<Grid, 'element'>, row: number, at: number): HTMLElement | undefined {
  return element.current?.querySelector<HTMLElement>(`[data-row="${row}"] [data-at="${at}"]`) ?? undefined
}
