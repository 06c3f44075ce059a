/** A key's information for translators: its description, its tags, and the maximum length of its texts. */
import type { Answers } from '../endpoints.ts'

export type Details = Answers['details']['details']

export function limitOf(details: Details): number | undefined {
  const { charactersLimit = -1 } = details ?? {}
  return charactersLimit < 0 ? undefined : charactersLimit
}

export function KeyDetails({ details }: { details: Details }) {
  const { description = '', codeDescription = '', tags = [] } = details ?? {}
  const limit = limitOf(details)
  if (description + codeDescription === '' && tags.length === 0 && limit === undefined) return null
  return (
    <section class="details small" aria-label="For translators">
      {description !== '' && <p dir="auto">{description}</p>}
      {codeDescription !== '' && (
        <p dir="auto" class="soft">
          {codeDescription}
        </p>
      )}
      <p class="actions">
        {limit !== undefined && <span class="chip">at most {limit} characters</span>}
        {tags.map((tag) => (
          <span key={tag} class="chip">
            {tag}
          </span>
        ))}
      </p>
    </section>
  )
}
