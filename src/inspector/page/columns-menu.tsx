/** Chooses and orders the columns of the texts table. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Overview } from '../overview.ts'
import { allColumns, chooseColumns, chosenColumns, moved } from './columns.ts'
import { Checkbox } from './controls.tsx'
import { Dialog } from './dialog.tsx'

interface ColumnsMenuProps {
  readonly overview: Overview
  readonly columns: string | undefined
}

export function ColumnsMenu({ overview, columns }: ColumnsMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const [shown, all] = [chosenColumns(overview, columns), allColumns(overview)]
  return (
    <>
      <button type="button" class="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Columns {shown.length < all.length && `(${shown.length} of ${all.length})`}
      </button>
      {isOpen && (
        <Dialog title="Columns" onClose={() => setOpen(false)}>
          <Columns overview={overview} shown={shown} />
          <div class="actions">
            <button type="button" class="button" onClick={() => setOpen(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  )
}

function Columns({ overview, shown }: { overview: Overview; shown: readonly string[] }) {
  const list = useRef<HTMLUListElement>(null)
  // A language that is hidden stays where it is as long as the dialog is open.
  const [order, setOrder] = useState(() => [...shown, ...allColumns(overview).filter((key) => !shown.includes(key))])
  const [visible, setVisible] = useState<ReadonlySet<string>>(new Set(shown))
  const moving = useRef<HTMLElement>(null)
  // To move an element in the document takes the focus from it.
  useLayoutEffect(() => {
    moving.current?.focus()
    moving.current = null
  }, [order])
  const choose = (nextOrder: readonly string[], next: ReadonlySet<string>) => {
    setOrder([...nextOrder])
    setVisible(next)
    chooseColumns(
      overview,
      nextOrder.filter((key) => next.has(key)),
    )
  }
  const move = (key: string, step: number, from: HTMLElement) => {
    moving.current = from
    choose(moved(order, key, step), visible)
  }
  const show = (key: string, isShown: boolean) => {
    const next = new Set(visible)
    if (isShown) next.add(key)
    else next.delete(key)
    // A table without a column would say nothing.
    if (next.size > 0) choose(order, next)
  }
  const onKeyDown = (event: KeyboardEvent, key: string) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const from = event.target as HTMLElement
    if (event.altKey) return move(key, step, from)
    const next = order[order.indexOf(key) + step]
    list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(next ?? '')}"] input`)?.focus()
  }
  return (
    <>
      <p class="soft small">The arrow keys go from language to language, and with Alt they move one.</p>
      <ul ref={list} class="plain columns" aria-label="Languages">
        {order.map((key, at) => {
          const { name = key } = overview.languages.find((language) => language.key === key) ?? {}
          return (
            <li key={key} data-key={key} onKeyDown={(event) => onKeyDown(event, key)}>
              <Checkbox checked={visible.has(key)} onChange={(on) => show(key, on)}>
                <span>
                  {name} <code>{key}</code>
                </span>
              </Checkbox>
              <MoveButton
                label={`Move ${name} up`}
                sign="↑"
                disabled={at === 0}
                onMove={(from) => move(key, -1, from)}
              />
              <MoveButton
                label={`Move ${name} down`}
                sign="↓"
                disabled={at === order.length - 1}
                onMove={(from) => move(key, 1, from)}
              />
            </li>
          )
        })}
      </ul>
      <div class="actions">
        <button
          type="button"
          class="button"
          onClick={() => choose(allColumns(overview), new Set(allColumns(overview)))}
        >
          Show all, in the project's order
        </button>
        {visible.size > 1 && (
          <button type="button" class="button" onClick={() => choose(order, new Set([overview.defaultLanguage]))}>
            Only {overview.defaultLanguage}
          </button>
        )}
      </div>
    </>
  )
}

interface MoveButtonProps {
  readonly label: string
  readonly sign: string
  readonly disabled: boolean
  readonly onMove: (from: HTMLElement) => void
}

function MoveButton({ label, sign, disabled, onMove }: MoveButtonProps) {
  return (
    <button
      type="button"
      class="button quiet"
      aria-label={label}
      aria-disabled={disabled}
      onClick={(event) => disabled || onMove(event.currentTarget)}
    >
      {sign}
    </button>
  )
}
