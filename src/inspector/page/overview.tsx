/** The progress of every language and namespace, the texts that need attention, and the sizes of texts. */
import { type ComponentChildren, Fragment, h } from 'preact'
import { count, formatSize, grouped } from '../../shared/figures.ts'
import type { Answers } from '../endpoints.ts'
import type { Overview } from '../overview.ts'
import type { Coverage } from '../protocol.ts'
import { post, useLive } from './calls.ts'
import { ActionButton, Card, Loaded, PlaceLink } from './controls.tsx'
import { percent, time } from './format.tsx'
import { hrefOf } from './route.ts'

export function OverviewView({ overview }: { overview: Overview }) {
  return (
    <>
      {serviceTrouble(overview.sync)}
      {findingsCard(overview, 'error')}
      {status(overview)}
      {coverageTable(overview)}
      <SizesCard defaultLanguage={overview.defaultLanguage} />
      {findingsCard(overview, 'warning')}
    </>
  )
}

/** Shown if the last request to the service failed, or if the service failed when the texts were loaded. */
function serviceTrouble({ failure, contactAt, fallback }: Overview['sync']) {
  if (failure === undefined && fallback === undefined) return null
  const last = contactAt === undefined ? 'No request has succeeded since the dev server started.' : undefined
  return (
    <section class="trouble" role="alert">
      {failure !== undefined && (
        <>
          <p>
            <strong>The last request to the service failed.</strong>{' '}
            {last ?? `Last successful request: ${time(contactAt as number)}.`}
          </p>
          <p>{failure}</p>
        </>
      )}
      {fallback !== undefined && (
        <p>The service failed when the dev server started, so the app shows texts from {fallback}.</p>
      )}
    </section>
  )
}

/** A longer list would hide the rest of the overview. */
const FIRST_FINDINGS = 5

function findingList(findings: Overview['findings']) {
  return (
    <ul class="findings plain">
      {findings.map(({ severity, place, message }) => (
        <li key={`${place} ${message}`}>
          {place !== undefined && <PlaceLink place={place} />}
          <span class={severity === 'error' ? 'bad' : 'warn'}>{message}</span>
        </li>
      ))}
    </ul>
  )
}

function findingsCard({ findings, findingCounts, brokenFiles }: Overview, severity: 'error' | 'warning') {
  const shown = findings.filter((finding) => finding.severity === severity)
  const left = findingCounts[severity === 'error' ? 'errors' : 'warnings'] - shown.length
  if (shown.length + left === 0) return null
  const isError = severity === 'error'
  const title = isError && brokenFiles > 0 ? count(brokenFiles, 'broken file') : 'Problems in the files'
  return (
    <Card title={isError ? title : 'Warnings'}>
      {isError && brokenFiles > 0 && (
        <p class="soft">The last good texts stay in use. Nothing is sent from a broken file until you fix it.</p>
      )}
      {findingList(shown.slice(0, FIRST_FINDINGS))}
      {shown.length > FIRST_FINDINGS && (
        <details>
          <summary>{grouped(shown.length - FIRST_FINDINGS)} more</summary>
          {findingList(shown.slice(FIRST_FINDINGS))}
        </details>
      )}
      {left > 0 && (
        <p class="soft">
          and {grouped(left)} more; run <code>localization check</code> to list them all.
        </p>
      )}
    </Card>
  )
}

function status(overview: Overview) {
  const { counts, stale, kind, sync, texts, keys, languages } = overview
  const differing = hrefOf('texts', { filter: 'differing' })
  const figures = [
    { label: 'Conflicts', value: counts.conflict, tone: 'bad', href: hrefOf('sync') },
    { label: 'Waiting to be sent', value: counts.waiting, tone: 'info', href: hrefOf('sync') },
    { label: 'Held', value: counts.held, tone: 'warn', href: hrefOf('sync') },
    { label: 'Refused', value: counts.refused, tone: 'bad', href: hrefOf('sync') },
    { label: 'Stale', value: stale, tone: 'warn', href: hrefOf('texts', { filter: 'stale' }) },
    { label: 'Changed on the service', value: counts.newer, tone: 'info', href: differing },
  ]
  const shown = kind === 'project' ? figures.filter(({ value }, at) => value > 0 || at < 2) : []
  return (
    <section class="status" aria-label="State">
      <div class="card figure-card">
        <strong>{grouped(texts)}</strong>
        <span>
          texts · {count(keys, 'key')} · {count(languages.length, 'language')}
        </span>
      </div>
      {shown.map(({ label, value, tone, href }) => (
        <a key={label} href={href} class={`card figure-card ${value > 0 ? tone : ''}`}>
          <strong>{grouped(value)}</strong>
          <span>{label}</span>
        </a>
      ))}
      <div class="card figure-card grow">
        <span>{syncSentence(overview)}</span>
        {sync.contactAt !== undefined && <span class="small">Last response: {time(sync.contactAt)}</span>}
        {(sync.role === 'writer' || kind === 'service') && (
          <ActionButton label="Reload from the service" run={() => post('refresh', {})} />
        )}
      </div>
    </section>
  )
}

function syncSentence({ kind, sync: { role, pushes, ownerPid, failure } }: Overview): string {
  if (kind === 'service') return "These are the service's texts. Edits change them immediately."
  const starting = 'The dev server is not watching the files yet.'
  const owner = ownerPid ? `Process ${ownerPid}` : 'Another process'
  const pushing =
    failure === undefined
      ? 'Saved edits are pushed to the service immediately.'
      : 'Saved edits wait in the outbox until the service is responding again.'
  const sentences: Readonly<Record<typeof role, string>> = {
    writer: pushes ? pushing : 'Edits stay in the files, because push is off.',
    reader: `${owner} is syncing this folder, so this server is not. Your edits are still saved to the files.`,
    watching: 'Edits stay in the files, because the service or its API key is not configured.',
    starting,
    none: starting,
    closed: 'The dev server is shutting down.',
  }
  return sentences[role]
}

function coverageTable({ languages, namespaces, coverage, defaultLanguage }: Overview) {
  return (
    <Card title="Coverage">
      <p class="soft">How many of the {defaultLanguage} texts each language has, not counting fallbacks.</p>
      <section class="scroll" tabIndex={0} aria-label="Coverage by language and namespace">
        <table class="coverage">
          <thead>
            <tr>
              <th scope="col">Language</th>
              <th scope="col">All</th>
              {namespaces.map((namespace) => (
                <th key={namespace} scope="col">
                  {namespaceLink(namespace)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {languages.map(({ key: language, name, isDefault, isPseudo }, at) => (
              <tr key={language}>
                <th scope="row">
                  <a href={hrefOf('texts', { language })}>
                    {name} <code>{language}</code>
                  </a>
                  {isDefault && <span class="chip">default</span>}
                  {isPseudo && <span class="chip">pseudo</span>}
                </th>
                {coverageCell(
                  coverage.map((row) => row[at]),
                  language,
                )}
                {namespaces.map((namespace, row) => coverageCell([coverage[row]?.[at]], language, namespace))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  )
}

function coverageCell(parts: readonly (Coverage | undefined)[], language: string, namespace?: string) {
  const sum = (name: Exclude<keyof Coverage, 'isBroken'>) =>
    parts.reduce((total, part) => total + (part?.[name] ?? 0), 0)
  const [translated, expected, differing] = [sum('translated'), sum('expected'), sum('differing')]
  const [stale, unreviewed] = [sum('stale'), sum('unreviewed')]
  const complete = expected === 0 ? 'none' : 'complete'
  const missing = expected > translated ? `${grouped(expected - translated)} missing` : complete
  const broken = parts.filter((part) => part?.isBroken).length
  return (
    <td
      key={namespace}
      class="share"
      style={`--share: ${broken > 0 ? 0 : expected === 0 ? 1 : (translated / expected).toFixed(3)}`}
    >
      <a href={hrefOf('texts', { namespace, language, filter: 'missing' })}>
        <span class="percent">{broken > 0 ? 'unknown' : percent(translated, expected)}</span>
        <span class="missing">
          {broken > 0 ? count(broken, 'broken file') : missing}
          {differing > 0 && ` · ${grouped(differing)} differ`}
        </span>
      </a>
      {(stale > 0 || unreviewed > 0) && (
        <span class="share-more">
          {stale > 0 && <a href={hrefOf('texts', { namespace, language, filter: 'stale' })}>{grouped(stale)} stale</a>}
          {unreviewed > 0 && (
            <a href={hrefOf('texts', { namespace, language, filter: 'unreviewed' })}>
              {grouped(unreviewed)} not reviewed
            </a>
          )}
        </span>
      )}
    </td>
  )
}

type Sizes = Answers['sizes']

/** The bytes of texts that pages fetch, by chunk or namespace, largest first. */
function SizesCard({ defaultLanguage }: { defaultLanguage: string }) {
  const live = useLive('change', 'sizes', {})
  return (
    <Card title="Size">
      <Loaded live={live}>
        {({ chunks, namespaces }) => (chunks.length > 0 ? chunkSizes(chunks) : textSizes(namespaces, defaultLanguage))}
      </Loaded>
    </Card>
  )
}

function chunkSizes(chunks: Sizes['chunks']) {
  return (
    <>
      <p class="soft">
        The texts that each chunk of the last production build loads, in the largest language and before compression.
        “first”: loaded with the page. “later”: loaded when its code is needed.
      </p>
      {sizesTable('Texts by chunk', chunks, [
        ['Chunk', ({ name }) => name],
        ['Loaded', ({ kind }) => (kind === 'entry' ? 'first' : 'later')],
        ['Texts', ({ bytes }) => <bdi>{formatSize(bytes)}</bdi>],
        ['Language', ({ language }) => language],
        ['Keys', ({ keys }) => keys],
        ['Shared', ({ shared }) => shared],
        ['Namespaces', ({ namespaces }) => namespaces.map(namespaceSize)],
      ])}
    </>
  )
}

function namespaceSize({ namespace, bytes }: Sizes['chunks'][number]['namespaces'][number], at: number) {
  return (
    <Fragment key={namespace}>
      {at > 0 && ', '}
      {namespaceLink(namespace)} {formatSize(bytes)}
    </Fragment>
  )
}

function textSizes(namespaces: Sizes['namespaces'], language: string) {
  const sum = namespaces.reduce((total, { bytes }) => total + bytes, 0)
  return (
    <>
      <p class="soft">
        All {language} texts: {formatSize(sum)}. To see what each page loads, make a production build with{' '}
        <code>prune.perChunk</code> and <code>report: 'json'</code>.
      </p>
      {sum > 0 &&
        sizesTable('Texts by namespace', namespaces, [
          ['Namespace', ({ namespace }) => namespaceLink(namespace)],
          ['Texts', ({ bytes }) => <bdi>{formatSize(bytes)}</bdi>],
          ['Keys', ({ keys }) => keys],
        ])}
    </>
  )
}

function namespaceLink(namespace: string) {
  return <a href={hrefOf('texts', { namespace })}>{namespace}</a>
}

type SizeColumn<Row> = readonly [header: string, cell: (row: Row) => ComponentChildren]

/** The first column's cells are the headers of their rows. */
function sizesTable<Row>(label: string, rows: readonly Row[], columns: readonly SizeColumn<Row>[]) {
  const cells = (row: Row) =>
    columns.map(([, cell], at) => (at === 0 ? h('th', { scope: 'row' }, cell(row)) : h('td', null, cell(row))))
  return (
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table class="sizes">
        <thead>
          <tr>
            {columns.map(([header]) => (
              <th key={header} scope="col">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        {h('tbody', null, ...rows.map((row) => h('tr', null, ...cells(row))))}
      </table>
    </section>
  )
}
