/** The panel of a key, with its uses in the code and its texts in every language. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { count } from '../../shared/figures.ts'
import type { Answers, Requests } from '../endpoints.ts'
import { useLive } from './calls.ts'
import { Busy, DialogButton, ErrorText, Loaded, PlaceLink } from './controls.tsx'
import { DeleteDialog } from './delete-keys.tsx'
import { TextEditor } from './text-editor.tsx'

type KeyRef = Requests['key']

type PanelProps = { label: string; title: string; id: string; onClose: () => void; children: ComponentChildren }

/** Shown next to the texts table. When the id changes, the title gets the focus. */
export function Panel({ label, title, id, onClose, children }: PanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [id])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !(event.target as HTMLElement).closest('dialog')) onClose()
  }
  return (
    <aside class="panel" aria-label={label} onKeyDown={onKeyDown}>
      <PanelHead onClose={onClose}>
        <h2 ref={heading} tabIndex={-1} class="key-name">
          {title}
        </h2>
      </PanelHead>
      {children}
    </aside>
  )
}

export function PanelHead({ onClose, children }: { onClose: () => void; children: ComponentChildren }) {
  return (
    <div class="head">
      {children}
      <button type="button" class="button quiet" aria-label="Close" onClick={onClose}>
        ✕
      </button>
    </div>
  )
}

/** A key's texts. Those in the language `first` come first, and their first field gets the focus. */
export function KeyTexts({ of, first }: { of: KeyRef; first?: string }) {
  const { namespace, customer } = of
  const live = useLive('change', 'key', of)
  const { details } = useLive('change', 'details', of).data ?? {}
  return (
    <>
      <p class="soft small">
        {namespace}
        {customer !== undefined && ` · customer ${customer}`}
      </p>
      <Loaded live={live}>
        {({ project, texts, plural, kind, hasService }) => {
          // The link was old, or the key was deleted.
          const isGone = texts.every(
            ({ text, inFile, theirs }) => text === '' && `${inFile ?? ''}${theirs ?? ''}` === '',
          )
          if (isGone) return <ErrorText message="The project has no texts for this key." />
          const [source] = texts
          const languages = [...new Set(texts.map(({ language }) => language))]
          languages.sort((a, b) => Number(b === first) - Number(a === first))
          const keys = [...new Set(texts.map(({ key }) => key))].map((key) => ({ namespace, key }))
          return (
            <>
              {detailsOf(details)}
              {kind === 'project' && <Uses of={of} />}
              {languages.map((language) => {
                const own = texts.filter((text) => text.language === language)
                const editors = own.map((text, position) => (
                  <TextEditor
                    key={JSON.stringify([namespace, text.key, customer, language])}
                    project={project}
                    of={{ language, namespace, key: text.key, customer }}
                    text={text}
                    sourceLanguage={source?.language ?? ''}
                    source={texts.find(({ key }) => key === text.key)?.own ?? ''}
                    limit={text.key === of.key ? limitOf(details) : undefined}
                    hasService={hasService}
                    hasFocus={language === first && position === 0}
                  />
                ))
                if (plural === undefined) return editors
                return (
                  <section key={language} class="language" aria-label={own[0]?.name}>
                    <h3>
                      {own[0]?.name} <code>{language}</code>
                    </h3>
                    {editors}
                  </section>
                )
              })}
              <div class="actions danger-zone">
                <DialogButton
                  label={keys.length === 1 ? 'Delete the key' : `Delete ${count(keys.length, 'key')}`}
                  kind="danger"
                >
                  {(close) => <DeleteDialog {...{ kind, hasService, keys }} onClose={close} />}
                </DialogButton>
              </div>
            </>
          )
        }}
      </Loaded>
    </>
  )
}

type Details = Answers['details']['details']

export function limitOf(details: Details): number | undefined {
  const { charactersLimit = -1 } = details ?? {}
  return charactersLimit < 0 ? undefined : charactersLimit
}

function detailsOf(details: Details) {
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

/** Uses do not depend on texts, so they are not searched again when a text changes. */
function Uses({ of }: { of: KeyRef }) {
  const { data, failure } = useLive(undefined, 'uses', of)
  if (failure !== undefined) return <p class="bad small">Uses in the code: {failure}</p>
  if (!data) return <Busy what="Looking for uses in the code" />
  if (!data.uses) return null
  const { certain, possible, call } = data.uses
  if (certain.length > 0) {
    const places = certain.map(({ place, pattern }) => ({ place, note: pattern && <code>{pattern}</code> }))
    return placesList(`Used in ${placeCount(certain.length)}`, places)
  }
  if (possible.length > 0) {
    const title = `No definite use found. The key appears in ${placeCount(possible.length)}`
    return placesList(
      title,
      possible.map((place) => ({ place })),
    )
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

function placesList(title: string, [first, ...others]: readonly { place: string; note?: ComponentChildren }[]) {
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
