/** Where every language and namespace stands, and what asks for attention. */
import type { Overview, PartFigure } from '../wire.ts'
import { post } from './api.ts'
import { ActionButton, count, percent } from './parts.tsx'
import { hrefOf } from './route.ts'

export function OverviewView({ overview }: { overview: Overview }) {
  return (
    <>
      <Status overview={overview} />
      <Matrix overview={overview} />
      {overview.findings.length > 0 ? (
        <section class="card" aria-labelledby="findings-title">
          <h2 id="findings-title">What is wrong with the files</h2>
          <ul class="plain">
            {overview.findings.map(({ severity, message }) => (
              <li key={message} class={severity === 'error' ? 'bad' : 'warn'}>
                {message}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  )
}

function Status({ overview }: { overview: Overview }) {
  const { counts, kind } = overview
  const figures = [
    { label: 'Conflicts', value: counts.conflict, tone: 'bad', href: hrefOf('sync') },
    { label: 'Held', value: counts.held, tone: 'warn', href: hrefOf('sync') },
    { label: 'Waiting', value: counts.waiting, tone: 'info', href: hrefOf('sync') },
    { label: 'Refused', value: counts.refused, tone: 'bad', href: hrefOf('sync') },
    {
      label: 'Newer on the service',
      value: counts.newer,
      tone: 'info',
      href: hrefOf('texts', { filter: 'differing' }),
    },
  ]
  return (
    <section class="status" aria-label="State">
      <div class="card figure-card">
        <strong>{overview.texts.toLocaleString('en')}</strong>
        <span>
          texts · {count(overview.keys, 'key')} · {count(overview.languages.length, 'language')}
        </span>
      </div>
      {kind === 'project'
        ? figures
            .filter(({ value }, at) => value > 0 || at < 2)
            .map(({ label, value, tone, href }) => (
              <a key={label} href={href} class={`card figure-card ${value > 0 ? tone : ''}`}>
                <strong>{value.toLocaleString('en')}</strong>
                <span>{label}</span>
              </a>
            ))
        : null}
      <div class="card figure-card grow">
        <span class="sync-line">{syncSentence(overview)}</span>
        {overview.sync.failure === undefined ? null : <span class="bad">{overview.sync.failure}</span>}
        {overview.sync.role === 'writer' || kind === 'service' ? (
          <ActionButton label="Read the service anew" run={() => post('refresh')} />
        ) : null}
      </div>
    </section>
  )
}

function syncSentence({ sync, kind }: Overview): string {
  if (kind === 'service') return 'The texts of this service. An edit here changes them at once.'
  switch (sync.role) {
    case 'writer':
      return sync.pushes
        ? 'Edits are pushed to the service as they are saved.'
        : 'Edits stay in the files: push is off.'
    case 'reader':
      return `Read-only: ${sync.ownerPid ? `process ${sync.ownerPid}` : 'another process'} syncs this folder. Edits go into the files.`
    case 'watching':
      return 'Edits stay in the files: no service is configured, or there is no API key.'
    case 'starting':
    case 'none':
      return 'The dev server has not begun to watch the files.'
    default:
      return 'The dev server is ending.'
  }
}

function Matrix({ overview }: { overview: Overview }) {
  const { languages, namespaces, matrix } = overview
  const total = (at: number): PartFigure =>
    matrix.reduce<PartFigure>(
      (sum, row) => ({
        translated: sum.translated + (row[at]?.translated ?? 0),
        expected: sum.expected + (row[at]?.expected ?? 0),
        differing: sum.differing + (row[at]?.differing ?? 0),
      }),
      { translated: 0, expected: 0, differing: 0 },
    )
  return (
    <section class="card" aria-labelledby="matrix-title">
      <h2 id="matrix-title">Coverage</h2>
      <p class="soft">
        How many of the texts of {overview.defaultLanguage} each language has itself, fallbacks not counted.
      </p>
      <section class="scroll" tabIndex={0} aria-label="Coverage by language and namespace">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">Language</th>
              <th scope="col">All</th>
              {namespaces.map((namespace) => (
                <th key={namespace} scope="col">
                  <a href={hrefOf('texts', { namespace })}>{namespace}</a>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {languages.map(({ key, name, isDefault, isPseudo }, at) => (
              <tr key={key}>
                <th scope="row">
                  <a href={hrefOf('texts', { language: key })}>
                    {name} <code>{key}</code>
                  </a>
                  {isDefault ? <span class="chip">default</span> : null}
                  {isPseudo ? <span class="chip">pseudo</span> : null}
                </th>
                <Figure figure={total(at)} href={hrefOf('texts', { language: key, filter: 'missing' })} />
                {namespaces.map((namespace, row) => (
                  <Figure
                    key={namespace}
                    figure={matrix[row]?.[at] ?? { translated: 0, expected: 0, differing: 0 }}
                    href={hrefOf('texts', { namespace, language: key, filter: 'missing' })}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
}

function Figure({ figure: { translated, expected, differing }, href }: { figure: PartFigure; href: string }) {
  const share = expected === 0 ? 1 : translated / expected
  const missing = expected - translated
  return (
    <td class="share" style={{ '--share': share.toFixed(3) }}>
      <a href={href}>
        <span class="percent">{percent(translated, expected)}</span>
        <span class="missing">
          {missing > 0 ? `${missing.toLocaleString('en')} missing` : expected === 0 ? 'none' : 'complete'}
          {differing > 0 ? ` · ${differing.toLocaleString('en')} differ` : ''}
        </span>
      </a>
    </td>
  )
}
