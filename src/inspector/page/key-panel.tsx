/** One key with its text in every language. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Requests } from '../endpoints.ts'
import { ErrorText, Loaded } from './controls.tsx'
import { useLive } from './live.ts'
import { TextEditor } from './text-editor.tsx'

type KeyRef = Requests['key']

/** Beside the table of texts. */
export function KeyPanel({ of, onClose }: { of: KeyRef; onClose: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [of.namespace, of.key])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !(event.target as HTMLElement).closest('dialog')) onClose()
  }
  return (
    <aside class="panel" aria-label={`Text ${of.key}`} onKeyDown={onKeyDown}>
      <PanelHead onClose={onClose}>
        <h2 ref={heading} tabIndex={-1} class="key-name">
          {of.key}
        </h2>
      </PanelHead>
      <KeyTexts of={of} />
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

/** `first`: in lower case, the language whose text comes first and gets the focus. Default: the default language. */
export function KeyTexts({ of, first }: { of: KeyRef; first?: string }) {
  const { namespace, key, customer } = of
  const live = useLive('change', 'key', of)
  return (
    <>
      <p class="soft small">
        {namespace}
        {customer !== undefined && ` · customer ${customer}`}
      </p>
      <Loaded live={live}>
        {({ texts, usedAt }) => {
          // After an old link, or when the key was taken out.
          const isGone = texts.every(
            ({ text, inFile, theirs }) => text === '' && `${inFile ?? ''}${theirs ?? ''}` === '',
          )
          if (isGone) return <ErrorText message="The project has no text of this key." />
          const isFirst = ({ language }: { language: string }) => language.toLowerCase() === first
          const sorted = [...texts.filter(isFirst), ...texts.filter((text) => !isFirst(text))]
          return (
            <>
              {usedAt && <Uses places={usedAt} />}
              {sorted.map((text, at) => (
                <TextEditor
                  key={JSON.stringify([namespace, key, customer, text.language])}
                  of={{ language: text.language, namespace, key, customer }}
                  text={text}
                  sourceLanguage={texts[0]?.language ?? ''}
                  hasFocus={first !== undefined && at === 0}
                />
              ))}
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function Uses({ places }: { places: readonly string[] }) {
  if (places.length === 0) return <p class="soft small">No source file spells this key.</p>
  return (
    <details class="uses">
      <summary>
        Used in {places.length === 1 ? 'one place' : `${places.length} places`}: <code>{places[0]}</code>
      </summary>
      <ul class="plain small">
        {places.map((place) => (
          <li key={place}>
            <code>{place}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}
