/** The service's tasks for the project: publishing and machine translation. */
import type { Overview } from '../overview.ts'
import type { EnvironmentItem } from '../service-tasks.ts'
import { post } from './calls.ts'
import { ActionButton, Busy, Card, Loaded } from './controls.tsx'
import { count } from './format.ts'
import { useLive } from './live.ts'
import { TranslateForm, targetsOf } from './translate-form.tsx'

export function ServiceView({ overview }: { overview: Overview }) {
  if (!overview.hasService) {
    return (
      <Card title="No service">
        <p>
          No service or no API key is configured. Set <code>service.baseUrl</code> and <code>LOCALIZATION_API_KEY</code>{' '}
          to see jobs and environments.
        </p>
      </Card>
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
  const environments = useLive('environments', 'environments', {})
  return (
    <Card title="Environments">
      <Loaded live={environments}>
        {(items) => (
          <ul class="items tiles">
            {items.map((item) => (
              <Environment key={item.key} item={item} />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}

function Environment({ item: { key, status, isPublishing } }: { item: EnvironmentItem }) {
  const published = status && [
    new Date(status.createdAt).toLocaleString(),
    count(status.numberOfNonEmptyTranslations, 'text'),
    count(status.numberOfLanguages, 'language'),
  ]
  const [whose, effect] = key === '_production' ? ['hosting', ', which your users see'] : [key, '']
  const text = `Apps that load their texts from ${whose} immediately get the published texts${effect}.`
  return (
    <li>
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

function Translate({ overview }: { overview: Overview }) {
  if (targetsOf(overview).length === 0) return null
  return (
    <Card title="Machine translation">
      <p class="soft">
        Translates missing texts on the service from {overview.defaultLanguage}, with one job per language.
      </p>
      <TranslateForm overview={overview} />
    </Card>
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
