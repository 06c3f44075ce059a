/** The editor in the app's page: asks which key is meant, and edits it in every language. */
import { render } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { INSPECTOR } from '../calls.ts'
import { KeyTexts, PanelHead } from '../key-panel.tsx'
import { startListening } from '../live.ts'
import { Notices } from '../notices.tsx'
import type { TracedText } from './outlines.ts'

/** A position in the window, in pixels. */
type Position = { readonly x: number; readonly y: number }

export function createPopup(root: ShadowRoot) {
  const container = document.createElement('div')
  root.append(container)
  let focused: Element | null = null
  const close = () => {
    if (!container.hasChildNodes()) return
    render(null, container)
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }
  const open = (traced: TracedText, { x, y }: Position) => {
    close()
    focused = document.activeElement
    render(
      <div class="popup-place" style={`--x: ${x}px; --y: ${y}px`}>
        <Popup {...traced} onClose={close} />
        <Notices />
      </div>,
      container,
    )
  }
  return { open, close }
}

function Popup({ text, matches, onClose }: TracedText & { onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null)
  const [chosen, choose] = useState(matches.length === 1 ? matches[0] : undefined)
  useEffect(startListening, [])
  useEffect(() => box.current?.querySelector<HTMLElement>('.choices button, a')?.focus(), [])
  const shown = text.trim().length > 80 ? `${text.trim().slice(0, 77)}…` : text.trim()
  const title = chosen?.key ?? (matches.length === 0 ? 'Not traced' : 'Which one?')
  // Typing here must not trigger the app's shortcuts.
  const keepToItself = (event: Event) => event.stopPropagation()
  return (
    <div ref={box} class="popup" role="dialog" aria-label="Translation" onKeyDown={keepToItself}>
      <PanelHead onClose={onClose}>
        <h2 class="key-name">{title}</h2>
      </PanelHead>
      {chosen && (
        <>
          <KeyTexts of={{ namespace: chosen.namespace, key: chosen.key }} first={[document.documentElement.lang]} />
          <InspectorLink label="Open in the inspector" query={{ key: chosen.key, of: chosen.namespace }} />
        </>
      )}
      {!chosen && matches.length > 0 && (
        <>
          <p class="soft small">
            {matches.length} translations can look like “{shown}”.
          </p>
          <div class="choices">
            {matches.map((match) => (
              <button
                key={`${match.namespace} ${match.key}`}
                type="button"
                class="button"
                onClick={() => choose(match)}
              >
                {match.namespace} · {match.key}
                <span class="soft small">{match.message}</span>
              </button>
            ))}
          </div>
        </>
      )}
      {matches.length === 0 && (
        <>
          <p>
            “{shown}” is no message of this project as far as can be told: it may be written into the source, come from
            elsewhere, or be put together from parts.
          </p>
          <InspectorLink label="Search for it" query={{ search: text.slice(0, 100) }} />
        </>
      )}
    </div>
  )
}

function InspectorLink({ label, query }: { label: string; query: Record<string, string> }) {
  return (
    <a href={`${INSPECTOR}#/texts?${new URLSearchParams(query)}`} target="_blank" rel="noopener">
      {label}
    </a>
  )
}
