/** The bytes of texts that pages fetch, as a table of chunks or namespaces, largest first. */
import { type ComponentChildren, Fragment } from 'preact'
import { formatSize } from '../../shared/size.ts'
import type { Answers } from '../endpoints.ts'
import { Card, Loaded } from './controls.tsx'
import { useLive } from './live.ts'
import { hrefOf } from './route.ts'

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
  return (
    <>
      <p class="soft">
        The texts that each chunk of the last production build loads, in the largest language and before compression.
        “first”: loaded with the page. “later”: loaded when its code is needed.
      </p>
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
            <td>
              {namespaces.map((own, at) => (
                <Fragment key={own.namespace}>
                  {at > 0 && ', '}
                  <NamespaceLink namespace={own.namespace} /> {formatSize(own.bytes)}
                </Fragment>
              ))}
            </td>
          </tr>
        ))}
      </SizesTable>
    </>
  )
}

function Texts({ namespaces, language }: Sizes & { language: string }) {
  const bytes = namespaces.reduce((sum, own) => sum + own.bytes, 0)
  return (
    <>
      <p class="soft">
        All {language} texts: {formatSize(bytes)}. To see what each page loads, make a production build with{' '}
        <code>prune.perChunk</code> and <code>report: 'json'</code>.
      </p>
      {bytes > 0 && (
        <SizesTable label="Texts by namespace" columns={['Namespace', 'Texts', 'Keys']}>
          {namespaces.map((own) => (
            <tr key={own.namespace}>
              <th scope="row">
                <NamespaceLink namespace={own.namespace} />
              </th>
              <td>
                <bdi>{formatSize(own.bytes)}</bdi>
              </td>
              <td>{own.keys}</td>
            </tr>
          ))}
        </SizesTable>
      )}
    </>
  )
}

function NamespaceLink({ namespace }: { namespace: string }) {
  return <a href={hrefOf('texts', { namespace })}>{namespace}</a>
}

interface SizesTableProps {
  readonly label: string
  readonly columns: readonly string[]
  readonly children: ComponentChildren
}

function SizesTable({ label, columns, children }: SizesTableProps) {
  return (
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
  )
}
