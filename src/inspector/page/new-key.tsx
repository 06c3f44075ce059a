/** Creates a key with its namespace, name and first texts, and shows the lines of code that could use it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Requests } from '../endpoints.ts'
import type { Overview } from '../overview.ts'
import type { KeyName } from '../protocol.ts'
import { messageOf, post, readAgain, useLive } from './calls.ts'
import { ErrorText, Loaded, Select } from './controls.tsx'

interface NewKeyProps {
  /** The text on the page for which the key is created. */
  readonly text?: string
  /** The page's language. The form asks for its text in addition to the default language's. */
  readonly pageLanguage?: string | undefined
  readonly namespace?: string | undefined
  readonly onDone: (made: KeyName) => void
}

export function NewKey(props: NewKeyProps) {
  const overview = useLive('change', 'overview', {})
  return <Loaded live={overview}>{(data) => <NewKeyForm {...props} overview={data} />}</Loaded>
}

function NewKeyForm({ text = '', pageLanguage, namespace, onDone, overview }: NewKeyProps & { overview: Overview }) {
  const { namespaces, defaultLanguage, languages, hasService } = overview
  const shown = pageLanguage?.toLowerCase()
  const editable = languages.filter(({ isPseudo }) => !isPseudo)
  const asked = editable.filter(({ key }) => key === defaultLanguage || key.toLowerCase() === shown)
  // The text from the page belongs to the page's language.
  const shownIn = asked.find(({ key }) => key.toLowerCase() === shown)?.key ?? defaultLanguage
  const [chosen, choose] = useState(namespace ?? namespaces[0] ?? '')
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const given = (name: string) => String(form.get(name) ?? '')
    setBusy(true)
    setFailure(undefined)
    try {
      const key = given('key')
      const texts = asked.map(({ key: language }) => ({ language, text: given(`text ${language}`) }))
      const { problems } = await post('create', {
        namespace: chosen,
        key,
        texts: texts.filter((one) => one.text !== ''),
        details: detailsOf(given('description').trim(), Number(given('limit')), given('tags')),
      })
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
        <input ref={field} name="key" required defaultValue={keyFor(text)} />
      </label>
      {asked.map(({ key: language, name }) => (
        <label key={language} class="field">
          <span>
            {name} <code>{language}</code>
          </span>
          <textarea
            name={`text ${language}`}
            lang={language}
            dir="auto"
            rows={2}
            required={language === shownIn}
            defaultValue={language === shownIn ? text : ''}
          />
        </label>
      ))}
      {hasService && DETAIL_FIELDS}
      {failure !== undefined && <ErrorText message={failure} />}
      <div class="actions">
        <button type="submit" class="button primary" disabled={isBusy} aria-busy={isBusy}>
          Add key
        </button>
      </div>
    </form>
  )
}

/** The lines of code that contain the text, which the key should replace. */
export function LinesToChange({ text, namespace, newKey }: { text: string; namespace: string; newKey: string }) {
  const { data, failure } = useLive(undefined, 'literal', { text })
  const lines = failure === undefined ? data : []
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

/** `undefined` if the user entered no details. */
function detailsOf(description: string, charactersLimit: number, given: string): Requests['create']['details'] {
  const tags = given.split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()]))
  const details = {
    ...(description !== '' && { description }),
    ...(charactersLimit > 0 && { charactersLimit }),
    ...(tags.length > 0 && { tags }),
  }
  return Object.keys(details).length === 0 ? undefined : details
}

const DETAIL_FIELDS = (
  <details class="uses">
    <summary>For translators</summary>
    <div class="new-key">
      <label class="field">
        <span>Description</span>
        <textarea name="description" dir="auto" rows={2} maxLength={500} />
      </label>
      <label class="field">
        <span>Maximum characters per text</span>
        <input name="limit" type="number" min={1} max={65_535} />
      </label>
      <label class="field">
        <span>Tags, separated by commas (at most 5)</span>
        <input name="tags" />
      </label>
      <p class="small">The service accepts these only for a new key, so the key is created there immediately.</p>
    </div>
  </details>
)
