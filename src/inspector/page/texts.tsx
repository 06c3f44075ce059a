/** Every text, searched and filtered, with all languages side by side; one of them is opened beside the table. */
import { useRef, useState } from 'preact/hooks'
import type { Overview } from '../overview.ts'
import { DraftList } from './draft-list.tsx'
import type { Filters } from './filters.ts'
import { KeyPanel, Panel } from './key-panel.tsx'
import { NewKey } from './new-key.tsx'
import { changeQuery, type Query } from './route.ts'
import { TextsTable } from './texts-table.tsx'
import { Toolbar } from './toolbar.tsx'

export function TextsView({ query, overview }: { query: Query; overview: Overview }) {
  const { search = '', namespace, language, filter, customer, sort, columns, key, of = namespace } = query
  const filters = { search, namespace, language, filter, customer, sort } as Filters
  // A link to one text filters nothing: `of` is only the namespace of its key.
  const opened = key === undefined ? undefined : { namespace: of ?? overview.namespaces[0] ?? '', key, customer }
  const opener = useRef<HTMLElement>(null)
  const [isNew, setNew] = useState(false)
  const close = () => {
    setNew(false)
    changeQuery({ key: undefined, of: undefined })
    opener.current?.focus()
  }
  return (
    <div class="texts">
      <div class="texts-main">
        <Toolbar
          overview={overview}
          filters={filters}
          columns={columns}
          onNewKey={() => {
            opener.current = document.activeElement as HTMLElement
            changeQuery({ key: undefined, of: undefined })
            setNew(true)
          }}
        />
        <DraftList project={overview.project} />
        <TextsTable
          overview={overview}
          filters={filters}
          columns={columns}
          opened={opened}
          onOpen={(row, from) => {
            opener.current = from
            setNew(false)
            changeQuery({ key: row.key, of: row.namespace })
          }}
        />
      </div>
      {opened && <KeyPanel of={opened} onClose={close} />}
      {isNew && !opened && (
        <Panel label="New key" title="New key" id="" onClose={close}>
          <NewKey
            namespace={namespace}
            onDone={(made) => {
              setNew(false)
              changeQuery({ key: made.key, of: made.namespace })
            }}
          />
        </Panel>
      )}
    </div>
  )
}
