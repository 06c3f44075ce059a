/** Chooses the columns of the texts table. */
import { useState } from 'preact/hooks'
import type { Overview } from '../overview.ts'
import { allColumns, chooseColumns, chosenColumns } from './columns.ts'
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
          <Columns overview={overview} shown={shown} all={all} />
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

interface ColumnsProps {
  readonly overview: Overview
  readonly shown: readonly string[]
  readonly all: readonly string[]
}

function Columns({ overview, shown, all }: ColumnsProps) {
  const show = (key: string, isShown: boolean) =>
    chooseColumns(
      overview,
      all.filter((each) => (each === key ? isShown : shown.includes(each))),
    )
  return (
    <>
      <ul class="plain columns" aria-label="Languages">
        {all.map((key) => {
          const { name = key } = overview.languages.find((language) => language.key === key) ?? {}
          const isShown = shown.includes(key)
          return (
            <li key={key}>
              {/* One column always stays. */}
              <Checkbox checked={isShown} disabled={isShown && shown.length === 1} onChange={(on) => show(key, on)}>
                <span>
                  {name} <code>{key}</code>
                </span>
              </Checkbox>
            </li>
          )
        })}
      </ul>
      <div class="actions">
        <button type="button" class="button" onClick={() => chooseColumns(overview, all)}>
          Show all
        </button>
        {shown.length > 1 && (
          <button type="button" class="button" onClick={() => chooseColumns(overview, [overview.defaultLanguage])}>
            Only {overview.defaultLanguage}
          </button>
        )}
      </div>
    </>
  )
}
