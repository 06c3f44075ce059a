/** The columns of the texts table: their headers, which sort the table, and their cells. */
import type { ComponentChildren } from 'preact'
import { textId, textRef } from '../../catalog/text-id.ts'
import type { Overview } from '../overview.ts'
import type { Cell, Row } from '../protocol.ts'
import { useDrafts } from './drafts.ts'
import { TextMarks } from './format.tsx'
import { changeQuery, type Filters, readStored, store } from './route.ts'
import type { Column } from './table.tsx'

export function useTextColumns(overview: Overview, shown: readonly string[], filters: Filters): readonly Column<Row>[] {
  const { project, languages, kind } = overview
  const drafts = new Map(useDrafts(project).map(({ ref, draft }) => [textId(ref), draft.text]))
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
        header: (
          <SortButton by={`text:${language}`} sort={filters.sort}>
            {name} <code>{language}</code>
          </SortButton>
        ),
        cell: (row: Row) =>
          row.cells[at] && (
            <TextCell
              cell={row.cells[at]}
              language={language}
              usual={kind === 'project' ? 'file' : 'service'}
              draft={drafts.size > 0 ? draftIn(row) : undefined}
            />
          ),
      },
    ]
  })
}

export function sortOf(sort: string | undefined, by: string): Column<Row>['sort'] {
  if (sort === by) return 'ascending'
  return sort === `-${by}` ? 'descending' : undefined
}

interface SortButtonProps {
  readonly by: string
  readonly sort: string | undefined
  readonly children: ComponentChildren
}

/** Cycles through ascending, descending and unsorted. */
export function SortButton({ by, sort, children }: SortButtonProps) {
  const now = sortOf(sort, by)
  const next = now === undefined ? by : now === 'ascending' ? `-${by}` : undefined
  const first = by === 'key' && sort === undefined ? '-key' : next
  return (
    <button type="button" class="sort-button" onClick={() => changeQuery({ sort: first }, { replace: true })}>
      {children}
      <span aria-hidden="true">{now === 'ascending' ? ' ↑' : now === 'descending' ? ' ↓' : ''}</span>
    </button>
  )
}

interface TextCellProps {
  readonly cell: Cell
  readonly language: string
  /** The origin that is not marked. */
  readonly usual: Cell['origin']
  /** The user's unsaved text. */
  readonly draft: string | undefined
}

function TextCell({ cell, language, usual, draft }: TextCellProps) {
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
export function allColumns({ languages }: Overview): readonly string[] {
  return [...languages].sort((a, b) => Number(b.isDefault) - Number(a.isDefault)).map(({ key }) => key)
}

/** `inAddress` contains comma-separated language keys. Unknown languages are ignored. */
export function chosenColumns(overview: Overview, inAddress: string | undefined): readonly string[] {
  const all = allColumns(overview)
  const given = (inAddress ?? readStored('localStorage', nameOf(overview.project)) ?? '').split(',')
  const chosen = all.filter((key) => given.includes(key))
  return chosen.length === 0 ? all : chosen
}

/** Stores the columns in the browser and in the URL, so that a link shows the same columns. */
export function chooseColumns(overview: Overview, columns: readonly string[]): void {
  const chosen = columns.length === overview.languages.length ? undefined : columns.join()
  store('localStorage', nameOf(overview.project), chosen)
  changeQuery({ columns: chosen }, { replace: true })
}
