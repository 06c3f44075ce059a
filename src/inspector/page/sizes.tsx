/** How many bytes of texts pages fetch: a treemap of chunks and namespaces, and the same as a table. */
import type { ComponentChildren } from 'preact'
import { formatSize } from '../../shared/size.ts'
import type { Answers } from '../endpoints.ts'
import { Card, Loaded } from './controls.tsx'
import { count } from './format.ts'
import { useLive } from './live.ts'
import { type Leaf, MOST_GROUPS, MOST_LEAVES, Treemap } from './treemap.tsx'

type Sizes = Answers['sizes']

export function SizesCard({ defaultLanguage }: { defaultLanguage: string }) {
  const live = useLive('change', 'sizes', {})
  return (
    <Card title="Size">
      <Loaded live={live}>
        {(sizes) => (sizes.chunks.length > 0 ? <Routes {...sizes} /> : <Texts {...sizes} language={defaultLanguage} />)}
      </Loaded>
    </Card>
  )
}

function Routes({ chunks }: Sizes) {
  const groups = chunks.map(({ name, kind, bytes, namespaces }) => ({
    name,
    kind,
    bytes,
    leaves: grouped(namespaces.map(leafOf), MOST_LEAVES),
  }))
  return (
    <>
      <p class="soft">
        What a page fetched of texts in the last production build, before compression, in the largest language:{' '}
        <span class="key-entry">with its entry</span> and <span class="key-lazy">with code that it loads later</span>
      </p>
      <Treemap groups={groups} label="Texts by chunk and namespace" />
      <SizesTable
        label="Texts by chunk"
        columns={['Chunk', 'Loaded', 'Texts', 'Language', 'Keys', 'Shared', 'Namespaces']}
      >
        {chunks.map(({ name, kind, bytes, language, keys, shared, namespaces }) => (
          <tr key={name + kind}>
            <th scope="row">{name}</th>
            <td>{kind === 'entry' ? 'first' : 'later'}</td>
            <td>
              <bdi>{formatSize(bytes)}</bdi>
            </td>
            <td>{language}</td>
            <td>{keys}</td>
            <td>{shared}</td>
            <td>{namespaces.map((own) => `${own.namespace} ${formatSize(own.bytes)}`).join(', ')}</td>
          </tr>
        ))}
      </SizesTable>
    </>
  )
}

function Texts({ namespaces, language }: Sizes & { language: string }) {
  const leaves = grouped(namespaces.map(leafOf), MOST_GROUPS)
  const bytes = leaves.reduce((sum, leaf) => sum + leaf.bytes, 0)
  return (
    <>
      <p class="soft">
        All texts of {language}, {formatSize(bytes)}. What each page fetches is shown after a production build with{' '}
        <code>prune.perChunk</code> and <code>report: 'json'</code>.
      </p>
      {bytes > 0 && (
        <>
          <Treemap groups={[{ name: undefined, kind: undefined, leaves, bytes }]} label="Texts by namespace" />
          <SizesTable label="Texts by namespace" columns={['Namespace', 'Texts', 'Keys']}>
            {namespaces.map((own) => (
              <tr key={own.namespace}>
                <th scope="row">{own.namespace}</th>
                <td>
                  <bdi>{formatSize(own.bytes)}</bdi>
                </td>
                <td>{own.keys}</td>
              </tr>
            ))}
          </SizesTable>
        </>
      )}
    </>
  )
}

interface SizesTableProps {
  readonly label: string
  readonly columns: readonly string[]
  /** The rows. */
  readonly children: ComponentChildren
}

function SizesTable({ label, columns, children }: SizesTableProps) {
  return (
    <details>
      <summary>As a table</summary>
      <section class="scroll" tabIndex={0} aria-label={label}>
        <table class="sizes">
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </section>
    </details>
  )
}

const leafOf = ({ namespace, bytes }: { namespace: string; bytes: number }) => ({ name: namespace, namespace, bytes })

/** The largest ones, and one for all others. */
function grouped(leaves: readonly Leaf[], most: number): Leaf[] {
  if (leaves.length <= most) return [...leaves]
  const others = leaves.slice(most - 1)
  const bytes = others.reduce((sum, leaf) => sum + leaf.bytes, 0)
  return [...leaves.slice(0, most - 1), { name: count(others.length, 'namespace'), namespace: undefined, bytes }]
}
