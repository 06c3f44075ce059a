/** Creates a key with its namespace, name and first texts, and shows the lines of code that could use it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Requests } from '../endpoints.ts'
import type { Overview } from '../overview.ts'
import { get, messageOf, post } from './calls.ts'
import { Busy, ErrorText, Select } from './controls.tsx'
import { readAgain, useLive } from './live.ts'

interface NewKeyProps {
  /** The text on the page for which the key is created. */
  readonly text?: string
  /** The page's language. The form asks for its text in addition to the default language's. */
  readonly pageLanguage?: string | undefined
  readonly namespace?: string | undefined
  readonly onDone: (made: { readonly namespace: string; readonly key: string }) => void
}

export function NewKey(props: NewKeyProps) {
  const { data, failure } = useLive('change', 'overview', {})
  if (failure !== undefined) return <ErrorText message={failure} />
  return data ? <NewKeyForm {...props} overview={data} /> : <Busy what="Loading" />
}

function NewKeyForm({ text = '', pageLanguage, namespace, onDone, overview }: NewKeyProps & { overview: Overview }) {
  const { namespaces, defaultLanguage, languages, hasService } = overview
  const shown = pageLanguage?.toLowerCase()
  const editable = languages.filter(({ isPseudo }) => !isPseudo)
  const asked = editable.filter(({ key }) => key === defaultLanguage || key.toLowerCase() === shown)
  // The text from the page belongs to the page's language.
  const shownIn = asked.find(({ key }) => key.toLowerCase() === shown)?.key ?? defaultLanguage
  const [chosen, choose] = useState(namespace ?? namespaces[0] ?? '')
  const [key, setKey] = useState(keyFor(text))
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({ [shownIn]: text })
  const [details, setDetails] = useState<Details>({})
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setFailure(undefined)
    try {
      const given = asked.map(({ key: language }) => ({ language, text: texts[language] ?? '' }))
      const body = {
        namespace: chosen,
        key,
        texts: given.filter((one) => one.text !== ''),
        details: detailsOf(details),
      }
      const { problems } = await post('create', body)
      if (problems.length > 0) setFailure(problems.join(' '))
      else {
        readAgain()
        onDone({ namespace: chosen, key })
      }
    } catch (error) {
      setFailure(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form class="new-key" aria-label="New key" onSubmit={(event) => void submit(event)}>
      <Select
        label="Namespace"
        value={chosen}
        options={namespaces.map((name) => [name, name === '' ? '(none)' : name])}
        onChange={choose}
      />
      <label class="field">
        <span>Key</span>
        <input ref={field} required value={key} onInput={(event) => setKey(event.currentTarget.value)} />
      </label>
      {asked.map(({ key: language, name }) => (
        <label key={language} class="field">
          <span>
            {name} <code>{language}</code>
          </span>
          <textarea
            lang={language}
            dir="auto"
            rows={2}
            required={language === shownIn}
            value={texts[language] ?? ''}
            onInput={(event) => setTexts({ ...texts, [language]: event.currentTarget.value })}
          />
        </label>
      ))}
      {hasService && <DetailFields details={details} onChange={setDetails} />}
      {failure !== undefined && <ErrorText message={failure} />}
      <div class="actions">
        <button type="submit" class="button primary" disabled={isBusy} aria-busy={isBusy}>
          Add key
        </button>
      </div>
    </form>
  )
}

type Lines = Awaited<ReturnType<typeof get<'literal'>>>

/** The lines of code that contain the text, which the key should replace. */
export function LinesToChange({ text, namespace, newKey }: { text: string; namespace: string; newKey: string }) {
  const [lines, setLines] = useState<Lines>()
  useEffect(() => {
    get('literal', { text }).then(setLines, () => setLines([]))
  }, [text])
  return (
    <section class="lines" aria-label="Lines to change" role="status">
      <p>
        The key was added to the files. In the code, replace the text with the key <code>{newKey}</code> from{' '}
        <code>{namespace}</code>
        {lines && lines.length > 0 ? ':' : '.'}
      </p>
      {lines?.length === 0 && <p class="soft small">No source file contains the whole text.</p>}
      <ul class="plain small">
        {lines?.map(({ place, line }) => (
          <li key={place}>
            <code class="place">{place}</code>
            <pre dir="ltr">{line}</pre>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Turns `Written by hand!` into `written_by_hand`. */
function keyFor(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.slice(0, 5).join('_').slice(0, 60)
}

interface Details {
  readonly description?: string
  readonly charactersLimit?: string
  readonly tags?: string
}

/** `undefined` if the user entered no details. */
function detailsOf({ description = '', charactersLimit = '', tags = '' }: Details): Requests['create']['details'] {
  const limit = Number(charactersLimit)
  const named = tags.split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()]))
  const details = {
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(limit > 0 && { charactersLimit: limit }),
    ...(named.length > 0 && { tags: named }),
  }
  return Object.keys(details).length === 0 ? undefined : details
}

function DetailFields({ details, onChange }: { details: Details; onChange: (details: Details) => void }) {
  return (
    <details class="uses">
      <summary>For translators</summary>
      <div class="new-key">
        <label class="field">
          <span>Description</span>
          <textarea
            dir="auto"
            rows={2}
            maxLength={500}
            value={details.description ?? ''}
            onInput={(event) => onChange({ ...details, description: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Maximum characters per text</span>
          <input
            type="number"
            min={1}
            max={65_535}
            value={details.charactersLimit ?? ''}
            onInput={(event) => onChange({ ...details, charactersLimit: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Tags, separated by commas (at most 5)</span>
          <input
            value={details.tags ?? ''}
            onInput={(event) => onChange({ ...details, tags: event.currentTarget.value })}
          />
        </label>
        <p class="small">The service accepts these only for a new key, so the key is created there immediately.</p>
      </div>
    </details>
  )
}
