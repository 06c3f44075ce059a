/** Starts machine translation: the languages, the provider, and whether to replace texts. */
import { useState } from 'preact/hooks'
import type { Overview } from '../overview.ts'
import { post } from './calls.ts'
import { ActionButton, Checkbox, Select } from './controls.tsx'
import { count } from './format.ts'

const PROVIDERS = ['PROVIDER_A', 'PROVIDER_B'] as const

/** Every language that supports jobs. */
export function targetsOf({ languages, defaultLanguage, coverage }: Overview) {
  return languages
    .map((language, at) => ({ ...language, parts: coverage.map((row) => row[at]) }))
    .filter(({ key, isPseudo }) => key !== defaultLanguage && !isPseudo)
}

interface TranslateFormProps {
  readonly overview: Overview
  /** The languages that are initially selected. */
  readonly first?: readonly string[]
  /** Shown beside the name of a language. Default: the number of missing texts. */
  readonly noteOf?: (language: string) => string
  readonly onStarted?: () => void
}

export function TranslateForm({ overview, first = [], noteOf, onStarted }: TranslateFormProps) {
  const targets = targetsOf(overview)
  const [chosen, setChosen] = useState(first.filter((language) => targets.some(({ key }) => key === language)))
  const [provider, setProvider] = useState<(typeof PROVIDERS)[number]>('PROVIDER_A')
  const [replace, setReplace] = useState(false)
  const question = {
    title: 'Replace existing translations?',
    text: `Machine translation replaces every text of ${chosen.join(', ')} on the service.`,
  }
  const run = async () => {
    const answer = await post('translate', { languages: [...chosen], provider, replace })
    if (answer.done > 0) onStarted?.()
    return answer
  }
  return (
    <>
      <fieldset>
        <legend>Into</legend>
        <div class="checks">
          {targets.map(({ key, name, parts }) => {
            const missing = parts.reduce((sum, part) => sum + (part ? part.expected - part.translated : 0), 0)
            return (
              <Checkbox
                key={key}
                checked={chosen.includes(key)}
                onChange={(on) => setChosen(on ? [...chosen, key] : chosen.filter((one) => one !== key))}
              >
                <span>
                  {name} <code>{key}</code>{' '}
                  <span class="soft">{noteOf?.(key) ?? (missing === 0 ? 'complete' : `${missing} missing`)}</span>
                </span>
              </Checkbox>
            )
          })}
        </div>
      </fieldset>
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
