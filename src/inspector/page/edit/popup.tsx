/** The editor in the app's page: asks which key is meant, and edits it in every language. */
import { render } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { INSPECTOR } from '../calls.ts'
import { KeyTexts, PanelHead } from '../key-panel.tsx'
import { startListening } from '../live.ts'
import { Notices } from '../notices.tsx'
import type { TracedText } from './outlines.ts'

interface PopupPlace extends TracedText {
  readonly x: number
  readonly y: number
}

interface Popup {
  open(place: PopupPlace): void
  close(): void
}

/** Between the popup and the window's edges, in pixels. */
const MARGIN = 8

export function createPopup(root: ShadowRoot): Popup {
  const container = document.createElement('div')
  root.append(container)
  let focused: Element | null = null
  const close = () => {
    if (!container.hasChildNodes()) return
    render(null, container)
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }
  return {
    open(place) {
      close()
      focused = document.activeElement
      render(<PopupBox {...place} onClose={close} />, container)
    },
    close,
  }
}

function PopupBox({ x, y, text, matches, onClose }: PopupPlace & { onClose: () => void }) {
  const box = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState(matches.length === 1 ? matches[0] : undefined)
  useEffect(startListening, [])
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const resizes = new ResizeObserver(() => keepInWindow(element, x, y))
    resizes.observe(element)
    element.querySelector<HTMLElement>('.choices button, a')?.focus()
    return () => resizes.disconnect()
  }, [])
  const shown = text.trim().length > 80 ? `${text.trim().slice(0, 77)}…` : text.trim()
  const title = chosen?.key ?? (matches.length === 0 ? 'Not traced' : 'Which one?')
  return (
    <>
      <div
        ref={box}
        class="popup"
        role="dialog"
        aria-label="Translation"
        // Typing here must not trigger the app's shortcuts.
        onKeyDown={(event) => event.stopPropagation()}
      >
        <PanelHead onClose={onClose}>
          <h2 class="key-name">{title}</h2>
        </PanelHead>
        {chosen ? (
          <>
            <KeyTexts
              of={{ namespace: chosen.namespace, key: chosen.key }}
              first={document.documentElement.lang.toLowerCase()}
            />
            <InspectorLink query={{ key: chosen.key, of: chosen.namespace }}>Open in the inspector</InspectorLink>
          </>
        ) : matches.length === 0 ? (
          <>
            <p>
              “{shown}” is no message of this project as far as can be told: it may be written into the source, come
              from elsewhere, or be put together from parts.
            </p>
            <InspectorLink query={{ search: text.slice(0, 100) }}>Search for it</InspectorLink>
          </>
        ) : (
          <>
            <p class="soft small">
              {matches.length} translations can look like “{shown}”.
            </p>
            <div class="choices">
              {matches.map((match) => (
                <button
                  key={JSON.stringify([match.namespace, match.key])}
                  type="button"
                  class="button"
                  onClick={() => setChosen(match)}
                >
                  {match.namespace} · {match.key}
                  <span class="soft small">{match.message}</span>
                </button>
              ))}
            </div>
          </>
        )}
      </div>
      <Notices />
    </>
  )
}

interface InspectorLinkProps {
  readonly query: Readonly<Record<string, string>>
  readonly children: string
}

function InspectorLink({ query, children }: InspectorLinkProps) {
  return (
    <a href={`${INSPECTOR}#/texts?${new URLSearchParams(query)}`} target="_blank" rel="noopener">
      {children}
    </a>
  )
}

function keepInWindow(element: HTMLElement, x: number, y: number): void {
  const { width, height } = element.getBoundingClientRect()
  element.style.left = `${Math.max(MARGIN, Math.min(x, innerWidth - width - MARGIN))}px`
  element.style.top = `${Math.max(MARGIN, Math.min(y, innerHeight - height - MARGIN))}px`
}
