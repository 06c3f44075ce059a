/** What translators are told of a new key. The service takes it when a key is made, and never again. */
import type { Requests } from '../endpoints.ts'

export interface Details {
  readonly description?: string
  readonly charactersLimit?: string
  readonly tags?: string
}

/** `undefined`: nothing is said. */
export function detailsOf({
  description = '',
  charactersLimit = '',
  tags = '',
}: Details): Requests['create']['details'] {
  const limit = Number(charactersLimit)
  const named = tags.split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()]))
  const details = {
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(limit > 0 && { charactersLimit: limit }),
    ...(named.length > 0 && { tags: named }),
  }
  return Object.keys(details).length === 0 ? undefined : details
}

export function DetailFields({ details, onChange }: { details: Details; onChange: (details: Details) => void }) {
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
          <span>Most characters of a text</span>
          <input
            type="number"
            min={1}
            max={65_535}
            value={details.charactersLimit ?? ''}
            onInput={(event) => onChange({ ...details, charactersLimit: event.currentTarget.value })}
          />
        </label>
        <label class="field">
          <span>Tags, with commas between them, at most five</span>
          <input
            value={details.tags ?? ''}
            onInput={(event) => onChange({ ...details, tags: event.currentTarget.value })}
          />
        </label>
        <p class="small">The service takes these only when a key is made: it makes the key at once.</p>
      </div>
    </details>
  )
}
