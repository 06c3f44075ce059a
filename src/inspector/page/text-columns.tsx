/** The columns of the texts table: their headers, which sort the table, and their cells. */
import type { ComponentChildren } from 'preact'
import { textId, textRef } from '../../catalog/text-id.ts'
import type { Overview } from '../overview.ts'
import type { Cell, Row } from '../protocol.ts'
import { useDrafts } from './drafts.ts'
import { TextMarks } from './format.tsx'
import { changeQuery, type Filters, readStored, store } from './route.ts'
import type { Column } from './table.tsx'

export function useTextColumns(overview: Overview, shown: readonly string[], filters: Filters): readonly Column[] {
  const { project, languages, kind } = overview
  const drafts = new Map(useDrafts(project).map(({ ref, draft }) => [textId(ref), draft.text]))
  const usual = kind === 'project' ? 'file' : 'service'
  return shown.flatMap((language) => {
    const at = languages.findIndex(({ key }) => key === language)
    const { name } = languages[at] ?? {}
    if (name === undefined) return []
    const draftIn = ({ namespace, key }: Row) =>
      drafts.get(textId(textRef({ language, namespace, customer: filters.customer }, key)))
    return [
      {
        id: language,
        sort: sortOf(filters.sort, `text:${language}`),
        header: sortButton(
          `text:${language}`,
          filters.sort,
          <>
            {name} <code>{language}</code>
          </>,
        ),
        cell: (row: Row) =>
          row.cells[at] && textCell(row.cells[at], language, usual, drafts.size > 0 ? draftIn(row) : undefined),
      },
    ]
  })
}

export function sortOf(sort: string | undefined, by: string): Column['sort'] {
  if (sort === by) return 'ascending'
  return sort === `-${by}` ? 'descending' : undefined
}

/** Cycles through ascending, descending and unsorted. */
export function sortButton(by: string, sort: string | undefined, label: ComponentChildren) {
  const now = sortOf(sort, by)
  const next = now === undefined ? by : now === 'ascending' ? `-${by}` : undefined
  const first = by === 'key' && sort === undefined ? '-key' : next
  return (
    <button type="button" class="sort-button" onClick={() => changeQuery({ sort: first }, { replace: true })}>
      {label}
      <span aria-hidden="true">{now === 'ascending' ? ' ↑' : now === 'descending' ? ' ↓' : ''}</span>
    </button>
  )
}

/** The origin `usual` is not marked. `draft` is the user's unsaved text. */
function textCell(cell: Cell, language: string, usual: Cell['origin'], draft: string | undefined) {
  const { text, origin, from, isUnusedForm, isReviewed } = cell
  const isDraft = draft !== undefined
  return (
    <span class={`cell ${isDraft ? 'from-draft' : `from-${origin}`}`}>
      <span class="cell-text" dir="auto" lang={isDraft ? language : (from ?? language)}>
        {isDraft ? draft : origin === 'none' && !isUnusedForm ? <em>missing</em> : text}
      </span>
      <span class="cell-notes">
        {isDraft && <span class="chip chip-draft">not saved</span>}
        <TextMarks cell={cell} hidden={[usual, 'none']} />
        {isReviewed && (
          <span class="reviewed" title="reviewed">
            <span class="unseen">reviewed</span>
          </span>
        )}
      </span>
    </span>
  )
}

const nameOf = (project: string) => `localization-columns ${project}`

/** The default language comes first. */
export function columnLanguages({ languages }: Overview) {
  return [...languages].sort((a, b) => Number(b.isDefault) - Number(a.isDefault))
}

/** `inAddress` contains comma-separated language keys. Unknown languages are ignored. */
export function chosenColumns(overview: Overview, inAddress: string | undefined): readonly string[] {
  const all = columnLanguages(overview).map(({ key }) => key)
  const given = (inAddress ?? readStored('localStorage', nameOf(overview.project)) ?? '').split(',')
  const chosen = all.filter((key) => given.includes(key))
  return chosen.length === 0 ? all : chosen
}

/** Stores the columns in the browser and in the URL, so that a link shows the same columns. */
export function chooseColumns(overview: Overview, columns: readonly string[]): void {
  const shown = columnLanguages(overview).filter(({ key }) => columns.includes(key))
  const chosen = shown.length === overview.languages.length ? undefined : shown.map(({ key }) => key).join()
  store('localStorage', nameOf(overview.project), chosen)
  changeQuery({ columns: chosen }, { replace: true })
}
