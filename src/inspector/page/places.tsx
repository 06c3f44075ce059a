/** Places in files, which open in the user's editor, and the uses of a key. */
import type { ComponentChildren } from 'preact'
import type { Requests } from '../endpoints.ts'
import { post } from './calls.ts'
import { ActionButton, Busy } from './controls.tsx'
import { useLive } from './live.ts'

/** `place` is, for example, `src/app.ts:3:5`. */
export function PlaceLink({ place }: { place: string }) {
  return (
    <span class="place">
      <ActionButton kind="link" label={place} about="open in your editor" run={() => post('open', { place })} />
    </span>
  )
}

/** Uses do not depend on texts, so they are not searched again when a text changes. */
export function Uses({ of }: { of: Requests['uses'] }) {
  const { data, failure } = useLive(undefined, 'uses', of)
  if (failure !== undefined) return <p class="bad small">Uses in the code: {failure}</p>
  if (!data) return <Busy what="Looking for uses in the code" />
  if (!data.uses) return null
  const { certain, possible, call } = data.uses
  if (certain.length > 0) {
    const places = certain.map(({ place, pattern }) => ({ place, note: pattern && <code>{pattern}</code> }))
    return <Places title={`Used in ${placeCount(certain.length)}`} places={places} />
  }
  if (possible.length > 0) {
    const title = `No definite use found. The key appears in ${placeCount(possible.length)}`
    return <Places title={title} places={possible.map((place) => ({ place }))} />
  }
  return (
    <p class="soft small">
      No use found.
      {call && (
        <>
          {' '}
          A call with an unknown key may use it: <code>{call.code}</code> in <PlaceLink place={call.place} />
        </>
      )}
    </p>
  )
}

function placeCount(count: number): string {
  return count === 1 ? 'one place' : `${count} places`
}

interface PlacesProps {
  readonly title: string
  readonly places: readonly { readonly place: string; readonly note?: ComponentChildren }[]
}

function Places({ title, places: [first, ...others] }: PlacesProps) {
  return (
    <div class="uses small">
      <p>
        {title}: {first && <PlaceLink place={first.place} />} {first?.note}
      </p>
      {others.length > 0 && (
        <details>
          <summary>{others.length} more</summary>
          <ul class="plain">
            {others.map(({ place, note }) => (
              <li key={place}>
                <PlaceLink place={place} /> {note}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
