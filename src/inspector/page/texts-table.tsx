/** The table of texts: its columns, its cells, and the rows in sight. */
import { useEffect } from 'preact/hooks'
import type { Requests } from '../endpoints.ts'
import type { Overview } from '../overview.ts'
import type { Cell, Row } from '../protocol.ts'
import { ErrorText } from './controls.tsx'
import { count } from './format.ts'
import { useLive } from './live.ts'
import { changeQuery } from './route.ts'
import { type Column, Table, useSight } from './table.tsx'
import { TextMarks } from './text-marks.tsx'

export type Filters = Omit<Requests['rows'], 'from' | 'count'>

/** Rows are read in blocks, with one more before and behind the rows in sight. */
const BLOCK = 30

interface TextsTableProps {
  readonly overview: Overview
  readonly filters: Filters
  readonly opened: Pick<Row, 'namespace' | 'key'> | undefined
  readonly onOpen: (row: Row, from: HTMLElement) => void
}

export function TextsTable({ overview, filters, opened, onOpen }: TextsTableProps) {
  const sight = useSight()
  const from = Math.max(0, Math.floor(sight.first / BLOCK) - 1) * BLOCK
  const to = (Math.floor(sight.last / BLOCK) + 2) * BLOCK
  const { data, failure } = useLive('change', 'rows', { ...filters, from, count: to - from }, { keepsOld: true })
  useEffect(() => sight.element.current?.scrollTo({ top: 0 }), [JSON.stringify(filters)])
  return (
    <>
      <p class="total" role="status">
        {data ? count(data.total, 'key') : failure === undefined && 'Loading'}
      </p>
      {failure !== undefined && <ErrorText message={failure} />}
      {data?.total === 0 && <NothingFound filters={filters} />}
      <Table
        label="Texts"
        rowTitle="Key"
        sight={sight}
        columns={columnsOf(overview, filters.language, sight.isNarrow)}
        total={data?.total ?? 0}
        rowAt={(index) => data?.rows[index - data.from]}
        isOpen={(row) => row.key === opened?.key && row.namespace === opened.namespace}
        rowHeader={(row) => (
          <button type="button" class="key-button" onClick={(event) => onOpen(row, event.currentTarget)}>
            <span class="key-name">{row.key}</span>
            <span class="soft small">{row.namespace}</span>
          </button>
        )}
      />
    </>
  )
}

const NO_FILTERS = { search: undefined, filter: undefined, namespace: undefined, language: undefined }

/** How to go on where nothing is found. */
function NothingFound({ filters }: { filters: Filters }) {
  const { search = '', filter = 'all', namespace, language } = filters
  const isFiltered = filter !== 'all' || namespace !== undefined || language !== undefined
  if (search === '' && !isFiltered) return <p class="nothing">The project has no key yet. “New key” makes one.</p>
  return (
    <div class="nothing">
      <p>
        {search === '' ? 'No key passes the filters.' : `No key and no text has “${search}”`}
        {search !== '' && (isFiltered ? ' and passes the filters.' : '. A part of a word is enough.')}
      </p>
      <div class="actions">
        {isFiltered && search !== '' && (
          <button type="button" class="button" onClick={() => changeQuery({ ...NO_FILTERS, search })}>
            Search all texts
          </button>
        )}
        <button type="button" class="button" onClick={() => changeQuery(NO_FILTERS)}>
          Show everything
        </button>
      </div>
    </div>
  )
}

/** The default language first. On a phone one language: the filter's. */
function columnsOf({ languages }: Overview, wanted: string | undefined, isNarrow: boolean): readonly Column<Row>[] {
  const shown = languages
    .map((language, at) => ({ ...language, at }))
    .sort((a, b) => Number(b.isDefault) - Number(a.isDefault))
    .filter(({ key, isDefault }) => wanted === undefined || key === wanted || (isDefault && !isNarrow))
  return shown.slice(0, isNarrow ? 1 : undefined).map(({ key, name, at }) => ({
    id: key,
    header: (
      <>
        {name} <code>{key}</code>
      </>
    ),
    cell: ({ cells }) => cells[at] && <TextCell cell={cells[at]} language={key} />,
  }))
}

function TextCell({ cell, language }: { cell: Cell; language: string }) {
  const { text, origin, from, isReviewed } = cell
  return (
    <span class={`cell from-${origin}`}>
      <span class="cell-text" dir="auto" lang={from ?? language}>
        {origin === 'none' ? <em>missing</em> : text}
      </span>
      <span class="cell-notes">
        <TextMarks cell={cell} />
        {isReviewed && <span class="reviewed">reviewed</span>}
      </span>
    </span>
  )
}
