/** What the service does for the project: machine translation and publishing. */
import { useState } from 'preact/hooks'
import type { EnvironmentItem, JobItem, Overview } from '../wire.ts'
import { post } from './api.ts'
import { useLive } from './live.ts'
import { ActionButton, count, Trouble, useSay, Waiting } from './parts.tsx'

export function ServiceView({ overview }: { overview: Overview }) {
  if (!overview.hasService) {
    return (
      <section class="card">
        <h2>No service</h2>
        <p>
          The configuration names no service, or there is no API key. With <code>service.baseUrl</code> and{' '}
          <code>LOCALIZATION_API_KEY</code> this page shows jobs and environments.
        </p>
      </section>
    )
  }
  return (
    <>
      <Environments />
      <Translate overview={overview} />
      <Jobs overview={overview} />
    </>
  )
}

function Environments() {
  const { data, failure } = useLive<{ environments: readonly EnvironmentItem[] }>('environments', 'environments')
  const say = useSay()
  return (
    <section class="card" aria-labelledby="environments-title">
      <h2 id="environments-title">Environments</h2>
      {failure ? <Trouble message={failure.message} /> : null}
      {data ? null : failure ? null : <Waiting what="Asking the service" />}
      <ul class="items tiles">
        {data?.environments.map(({ key, publishedAt, texts, languages, isPublishing }) => (
          <li key={key}>
            <strong>
              <code>{key}</code>
            </strong>
            <span class="soft">
              {publishedAt === null
                ? 'not published yet'
                : `${new Date(publishedAt).toLocaleString()} · ${count(texts, 'text')} · ${count(languages, 'language')}`}
            </span>
            {isPublishing ? (
              <Waiting what="publishing" />
            ) : (
              <ActionButton
                label="Publish"
                about={key}
                kind="primary"
                confirm={{
                  title: `Publish to ${key}?`,
                  text:
                    key === '_production'
                      ? 'Apps that take their texts from hosting get what is published from this moment on: this is what your users see.'
                      : `Apps that take their texts from ${key} get what is published from this moment on.`,
                }}
                run={() => post('publish', { environment: key })}
                onDone={() => say(`publishing ${key}`)}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Translate({ overview }: { overview: Overview }) {
  const { languages, defaultLanguage, matrix } = overview
  const targets = languages
    .map((language, at) => ({
      ...language,
      missing: matrix.reduce((sum, row) => sum + (row[at]?.expected ?? 0) - (row[at]?.translated ?? 0), 0),
    }))
    .filter(({ key, isPseudo }) => key !== defaultLanguage && !isPseudo)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [provider, setProvider] = useState<'PROVIDER_A' | 'PROVIDER_B'>('PROVIDER_A')
  const [replace, setReplace] = useState(false)
  const say = useSay()
  if (targets.length === 0) return null
  const toggle = (key: string, on: boolean) => {
    const next = new Set(chosen)
    if (on) next.add(key)
    else next.delete(key)
    setChosen(next)
  }
  return (
    <section class="card" aria-labelledby="translate-title">
      <h2 id="translate-title">Translate by machine</h2>
      <p class="soft">From {defaultLanguage}, one job a language, for the texts the service does not have yet.</p>
      <fieldset>
        <legend>Into</legend>
        <div class="checks">
          {targets.map(({ key, name, missing }) => (
            <label key={key} class="check">
              <input type="checkbox" checked={chosen.has(key)} onChange={(e) => toggle(key, e.currentTarget.checked)} />
              <span>
                {name} <code>{key}</code> <span class="soft">{missing === 0 ? 'complete' : `${missing} missing`}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <div class="row">
        <label class="field">
          <span>Provider</span>
          <select value={provider} onChange={(e) => setProvider(e.currentTarget.value as typeof provider)}>
            <option value="PROVIDER_A">PROVIDER_A</option>
            <option value="PROVIDER_B">PROVIDER_B</option>
          </select>
        </label>
        <label class="check">
          <input type="checkbox" checked={replace} onChange={(e) => setReplace(e.currentTarget.checked)} />
          Replace texts that are there
        </label>
        <ActionButton
          label="Translate"
          kind="primary"
          disabled={chosen.size === 0}
          {...(replace && {
            confirm: {
              title: 'Replace what is translated?',
              text: `Every text of ${[...chosen].join(', ')} on the service is written anew by a machine.`,
            },
          })}
          run={() => post('translate', { languages: [...chosen], provider, replace })}
          onDone={(answer) => {
            if (answer && answer.done > 0) say(`started ${count(answer.done, 'job')}`)
          }}
        />
      </div>
    </section>
  )
}

function Jobs({ overview }: { overview: Overview }) {
  const { data, failure } = useLive<{ jobs: readonly JobItem[] }>('jobs', 'jobs')
  const nameOf = (key: string) => overview.languages.find((language) => language.key === key)?.name ?? key
  return (
    <section class="card" aria-labelledby="jobs-title">
      <h2 id="jobs-title">Jobs</h2>
      {failure ? <Trouble message={failure.message} /> : null}
      {data?.jobs.length === 0 ? <p class="soft">No job yet.</p> : null}
      <ul class="items">
        {data?.jobs.map(({ id, language, progress, state, isRunning, isFailed, startedAt, message }) => (
          <li key={id}>
            <strong>{nameOf(language)}</strong>
            <span class={isFailed ? 'bad' : 'soft'}>
              {state.toLowerCase()} · {new Date(startedAt).toLocaleString()}
            </span>
            {isRunning ? (
              <progress max={1} value={progress} aria-label={`Translation into ${nameOf(language)}`}>
                {Math.round(progress * 100)}%
              </progress>
            ) : null}
            {message === null ? null : <span class={isFailed ? 'bad' : 'soft'}>{message}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
