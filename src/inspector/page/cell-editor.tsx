/** Edits a text inside the table: the key panel's editor, placed over the cell. */
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { TextRef } from '../../catalog/text-id.ts'
import type { Overview } from '../overview.ts'
import { useLive } from './calls.ts'
import { Loaded } from './controls.tsx'
import { limitOf } from './key-panel.tsx'
import { cellAt, type Grid } from './table.tsx'
import { TextEditor } from './text-editor.tsx'

/** `at` is the column's index, as in `RowActions`. */
export type EditedCell = { readonly row: number; readonly at: number; readonly ref: TextRef }

interface CellEditorProps {
  readonly grid: Grid
  readonly cell: EditedCell
  readonly overview: Overview
  readonly onClose: (cell: EditedCell) => void
  /** Moves to the next cell (1) or the previous one (-1). */
  readonly onStep: (cell: EditedCell, by: 1 | -1) => void
}

const LEAST_WIDTH = 340
const SOURCE_WIDTH = 270
const MARGIN = 8
const SOURCE_ID = 'cell-source'

export function CellEditor({ grid, cell, overview, onClose, onStep }: CellEditorProps) {
  const { namespace, key, customer, language } = cell.ref
  const named = (key: string) => ({ key, name: overview.languages.find((one) => one.key === key)?.name ?? key })
  // The default language's text is shown next to the editor.
  const [{ name }, source] = [named(language), named(overview.defaultLanguage)]
  const close = () => onClose(cell)
  const of = { namespace, key, customer }
  const live = useLive('change', 'key', { ...of, language })
  const { details } = useLive('change', 'details', of).data ?? {}
  const hasSource = language !== source.key
  const box = usePlaceOver(grid, cell, hasSource)
  const texts = live.data?.texts ?? []
  const text = texts.find((one) => one.language === language && one.key === key)
  const sourceTexts = texts.filter((one) => one.language === source.key)
  // The default language may lack a plural form that this language has.
  const sourceText =
    sourceTexts.find((one) => one.key === key) ?? sourceTexts.find(({ form }) => form?.category === 'other')
  useEffect(() => {
    if (!text) box.current?.focus()
  }, [text === undefined])
  const onKeyDown = (event: KeyboardEvent) => {
    // With a Japanese input method, Enter completes a word.
    if (event.isComposing || (event.target as HTMLElement).closest('dialog')) return
    const isField = event.target instanceof HTMLTextAreaElement
    if (event.key === 'Escape') close()
    else if (event.key === 'Tab') {
      if (!isAtEnd(box.current, event)) return
      onStep(cell, event.shiftKey ? -1 : 1)
    } else if (event.key === 'Enter' && isField && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
      const save = (event.target as HTMLElement).closest('.editor')?.querySelector<HTMLButtonElement>('.save .primary')
      if (save && !save.disabled) save.click()
      else close()
    } else return
    event.preventDefault()
  }
  return (
    <div ref={box} class="cell-editor" role="dialog" aria-label={`${name}: ${key}`} tabIndex={-1} onKeyDown={onKeyDown}>
      {hasSource && (
        <section class="source" aria-label={`${source.name}, the source`} tabIndex={0}>
          <p class="soft small">
            {source.name} <code>{source.key}</code>
          </p>
          <p id={SOURCE_ID} class="source-text" lang={source.key} dir="auto">
            {sourceText?.text ?? ''}
          </p>
        </section>
      )}
      <Loaded live={live}>
        {({ project }) =>
          text ? (
            <TextEditor
              key={JSON.stringify(cell.ref)}
              project={project}
              of={cell.ref}
              text={text}
              sourceLanguage={source.key}
              source={sourceText?.own ?? ''}
              describedBy={hasSource ? SOURCE_ID : undefined}
              limit={limitOf(details)}
              hasFocus={true}
              inCell={true}
              onSaved={close}
            />
          ) : (
            <p class="soft">{name} has no such plural form, or the key was deleted.</p>
          )
        }
      </Loaded>
    </div>
  )
}

/** Ignores "Save" and "Discard", because they have keyboard shortcuts here. */
function isAtEnd(box: HTMLElement | null, { target, shiftKey }: KeyboardEvent): boolean {
  const all = [...(box?.querySelectorAll<HTMLElement>('textarea, button') ?? [])]
  const stops = all.filter((one) => !one.closest('.save') && one.checkVisibility())
  return stops.length === 0 || target === box || target === (shiftKey ? stops[0] : stops.at(-1))
}

/** Keeps the editor over its cell and inside the table when the table scrolls or the editor grows. */
function usePlaceOver(grid: Grid, { row, at }: EditedCell, hasSource: boolean) {
  const box = useRef<HTMLDivElement>(null)
  const place = () => {
    const [element, table] = [box.current, grid.element.current]
    if (!element || !table) return
    const bounds = table.getBoundingClientRect()
    const top = bounds.top + grid.headHeight
    const own = cellAt(grid, row, at)?.getBoundingClientRect()
    const ownWidth = Math.max(LEAST_WIDTH, own?.width ?? 0)
    // The source goes before the field if there is room for both, otherwise above it.
    const before = hasSource && ownWidth + SOURCE_WIDTH <= bounds.width - 2 * MARGIN ? SOURCE_WIDTH : 0
    element.classList.toggle('beside', before > 0)
    const width = Math.min(ownWidth + before, bounds.width - 2 * MARGIN)
    const style = { width: `${width}px`, maxHeight: `${bounds.height - grid.headHeight - MARGIN}px` }
    Object.assign(element.style, style)
    const most = { x: bounds.right - width - MARGIN, y: bounds.bottom - element.offsetHeight - MARGIN }
    const x = Math.max(bounds.left + MARGIN, Math.min((own?.left ?? bounds.left) - before, most.x))
    const y = Math.max(top, Math.min(own?.top ?? top, most.y))
    Object.assign(element.style, { left: `${x}px`, top: `${y}px` })
  }
  const latest = useRef(place)
  latest.current = place
  // The table re-renders when it scrolls, and so does this component.
  useLayoutEffect(place)
  useEffect(() => {
    const sizes = new ResizeObserver(() => latest.current())
    if (box.current) sizes.observe(box.current)
    return () => sizes.disconnect()
  }, [])
  return box
}
