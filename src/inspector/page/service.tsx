/** The service's tasks for the project: publishing and machine translation. */

import { useState } from 'preact/hooks'
import { count } from '../../shared/figures.ts'
import type { Overview } from '../overview.ts'
import type { EnvironmentItem } from '../service-work.ts'
import { post, useLive } from './calls.ts'
import { ActionButton, Busy, Card, Checkbox, LanguageChecks, Loaded, Select } from './controls.tsx'

export function ServiceView({ overview }: { overview: Overview }) {
  if (!overview.hasService) {
    return (
      <Card title="No service">
        <p>
          The service or its API key is not configured. Set <code>service.baseUrl</code> and{' '}
          <code>LOCALIZATION_API_KEY</code> to see jobs and environments.
        </p>
      </Card>
    )
  }
  return (
    <>
      <Environments />
      {targetsOf(overview).length > 0 && (
        <Card title="Machine translation">
          <p class="soft">
            Translates missing texts on the service from {overview.defaultLanguage}, with one job per language.
          </p>
          <TranslateForm overview={overview} />
        </Card>
      )}
      <Jobs overview={overview} />
    </>
  )
}

function Environments() {
  const environments = useLive('environments', 'environments', {})
  return (
    <Card title="Environments">
      <Loaded live={environments}>{(items) => <ul class="items tiles">{items.map(environment)}</ul>}</Loaded>
    </Card>
  )
}

function environment({ key, status, isPublishing }: EnvironmentItem) {
  const published = status && [
    new Date(status.createdAt).toLocaleString(),
    count(status.numberOfNonEmptyTranslations, 'text'),
    count(status.numberOfLanguages, 'language'),
  ]
  const text =
    key === '_production'
      ? 'Apps that load their texts from hosting get the published texts immediately, so your users see them.'
      : `Apps that load their texts from ${key} get the published texts immediately.`
  return (
    <li key={key}>
      <strong>
        <code>{key}</code>
      </strong>
      <span class="soft">{published?.join(' · ') ?? 'not published yet'}</span>
      {isPublishing ? (
        <Busy what="publishing" />
      ) : (
        <ActionButton
          label="Publish"
          about={key}
          kind="primary"
          confirm={{ title: `Publish to ${key}?`, text }}
          run={() => post('publish', { environment: key })}
          done={() => `publishing ${key}`}
        />
      )}
    </li>
  )
}

function Jobs({ overview }: { overview: Overview }) {
  const jobs = useLive('jobs', 'jobs', {})
  const nameOf = (key: string) => overview.languages.find((language) => language.key === key)?.name ?? key
  return (
    <Card title="Jobs">
      <Loaded live={jobs}>
        {(items) => (
          <ul class="items">
            {items.length === 0 && <li class="soft none">No jobs yet.</li>}
            {items.map(({ jobId, language, progress, state, isRunning, isFailed, started, message }) => (
              <li key={jobId}>
                <strong>{nameOf(language)}</strong>
                <span class={isFailed ? 'bad' : 'soft'}>
                  {state.toLowerCase()} · {new Date(started).toLocaleString()}
                </span>
                {isRunning && <progress max={1} value={progress} aria-label={`Translation into ${nameOf(language)}`} />}
                {message && <span class={isFailed ? 'bad' : 'soft'}>{message}</span>}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}

const PROVIDERS = ['PROVIDER_A', 'PROVIDER_B'] as const

/** The languages into which the service can translate. */
function targetsOf({ languages, defaultLanguage, coverage }: Overview) {
  return languages
    .map((language, at) => ({ ...language, parts: coverage.map((row) => row[at]) }))
    .filter(({ key, isPseudo }) => key !== defaultLanguage && !isPseudo)
}

type SelectedKeys = { missing: ReadonlyMap<string, number>; onStarted: () => void }

/** `missing` is the number of selected keys that each language lacks. These languages are selected at first. */
export function TranslateForm({ overview, missing, onStarted }: { overview: Overview } & Partial<SelectedKeys>) {
  const targets = targetsOf(overview)
  const [chosen, setChosen] = useState<readonly string[]>(
    targets.map(({ key }) => key).filter((key) => (missing?.get(key) ?? 0) > 0),
  )
  const [provider, setProvider] = useState<(typeof PROVIDERS)[number]>('PROVIDER_A')
  const [replace, setReplace] = useState(false)
  const question = {
    title: 'Replace existing translations?',
    text: `Machine translation replaces every text in ${chosen.join(', ')} on the service.`,
  }
  const run = async () => {
    const answer = await post('translate', { languages: [...chosen], provider, replace })
    if (answer.done > 0) onStarted?.()
    return answer
  }
  return (
    <>
      <LanguageChecks
        legend="Into"
        languages={targets}
        chosen={chosen}
        onChange={setChosen}
        note={({ key, parts }) => {
          const gaps = parts.reduce((sum, part) => sum + (part ? part.expected - part.translated : 0), 0)
          const ofAll = gaps === 0 ? 'complete' : `${gaps} missing`
          const note = missing ? `${missing.get(key) ?? 0} of the selected keys are missing` : ofAll
          return <span class="soft">{note}</span>
        }}
      />
      <div class="row">
        <Select
          label="Provider"
          value={provider}
          options={PROVIDERS.map((name) => [name, name])}
          onChange={(value) => setProvider(value as typeof provider)}
        />
        <Checkbox checked={replace} onChange={setReplace}>
          Replace existing texts
        </Checkbox>
        <ActionButton
          label="Translate"
          kind="primary"
          disabled={chosen.length === 0}
          confirm={replace && question}
          run={run}
          done={(jobs) => `started ${count(jobs, 'job')}`}
        />
      </div>
    </>
  )
}
