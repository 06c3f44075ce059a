/** How to go on where nothing is found. */

import type { Filters } from './filters.ts'
import { changeQuery } from './route.ts'

const NO_FILTERS = { search: undefined, filter: undefined, namespace: undefined, language: undefined }

export function NothingFound({ filters }: { filters: Filters }) {
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
