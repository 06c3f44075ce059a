/** The editor in the app's page. It asks which key is meant and edits that key in every language, or creates a key. */
import { render } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { KeyName } from '../../protocol.ts'
import { INSPECTOR, startListening } from '../calls.ts'
import { Button, Notices } from '../controls.tsx'
import { KeyTexts, PanelHead } from '../key-panel.tsx'
import { LinesToChange, NewKey } from '../new-key.tsx'
import { hrefOf } from '../route.ts'
import type { PickedText, TracedMatch } from './outlines.ts'
import { placeBeside } from './popup-position.ts'

export function createPopup(root: ShadowRoot) {
  const container = document.createElement('div')
  root.append(container)
  let focused: Element | null = null
  const close = () => {
    if (!container.hasChildNodes()) return
    render(null, container)
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true })
  }
  const open = (picked: PickedText) => {
    close()
    focused = document.activeElement
    render(
      // The editor is in English even if the page is not.
      <div dir="ltr" lang="en">
        <Popup {...picked} onClose={close} />
        <Notices />
      </div>,
      container,
    )
  }
  return { open, close }
}

function Popup({ text, matches, anchor, onClose }: PickedText & { onClose: () => void }) {
  const box = usePlace(anchor)
  const [chosen, choose] = useState(() => certainOf(matches))
  const [made, setMade] = useState<KeyName>()
  useEffect(startListening, [])
  useEffect(() => box.current?.querySelector<HTMLElement>('.choices button, a')?.focus(), [])
  const line = text.trim().replace(/\s+/g, ' ')
  const shown = line.length > 80 ? `${line.slice(0, 77)}…` : line
  const title = chosen?.key ?? made?.key ?? (matches.length === 0 ? 'No match found' : 'Which one?')
  // Typing in the editor must not trigger the app's shortcuts.
  const keepToItself = (event: Event) => event.stopPropagation()
  return (
    <div ref={box} class="popup" role="dialog" aria-label="Translation" onKeyDown={keepToItself}>
      <PanelHead onClose={onClose}>
        <h2 class="key-name">{title}</h2>
      </PanelHead>
      {chosen && (
        <>
          {aboutMatch(chosen, matches.length - 1, () => choose(undefined))}
          <KeyTexts of={{ namespace: chosen.namespace, key: chosen.key }} first={chosen.language} />
          {inspectorLink('Open in the inspector', { key: chosen.key, of: chosen.namespace })}
        </>
      )}
      {!chosen && matches.length > 0 && choices(shown, matches, choose)}
      {matches.length === 0 && made && (
        <>
          <LinesToChange text={line} namespace={made.namespace} newKey={made.key} />
          <KeyTexts of={made} />
        </>
      )}
      {matches.length === 0 && !made && (
        <>
          <p>
            “{shown}” does not match any message in this project. It may be written directly in the source code, come
            from elsewhere, or be assembled from several parts.
          </p>
          {inspectorLink('Search for it', { search: text.slice(0, 100) })}
          <details class="uses">
            <summary>Create a key for it</summary>
            <NewKey text={line} pageLanguage={document.documentElement.lang} onDone={setMade} />
          </details>
        </>
      )}
    </div>
  )
}

/** The only match, or the only one that matches the clicked text exactly. */
function certainOf(matches: readonly TracedMatch[]): TracedMatch | undefined {
  if (matches.length === 1) return matches[0]
  const exact = matches.filter(({ isExact, isOwn, attribute }) => isExact && isOwn && attribute === undefined)
  return exact.length === 1 ? exact[0] : undefined
}

function aboutMatch({ attribute }: TracedMatch, others: number, onOthers: () => void) {
  if (attribute === undefined && others === 0) return null
  return (
    <div class="actions small">
      {attribute !== undefined && (
        <span class="chip">
          attribute <code>{attribute}</code>
        </span>
      )}
      {others > 0 && (
        <Button
          label={others === 1 ? '1 other possible match' : `${others} other possible matches`}
          onClick={onOthers}
        />
      )}
    </div>
  )
}

function choices(shown: string, matches: readonly TracedMatch[], onChoose: (match: TracedMatch) => void) {
  return (
    <>
      <p class="soft small">
        {matches.length} translations match “{shown}” or an attribute of its element.
      </p>
      <div class="choices">
        {matches.map((match) => (
          <button
            key={`${match.namespace} ${match.key} ${match.attribute}`}
            type="button"
            class="button"
            onClick={() => onChoose(match)}
          >
            <span>
              {match.namespace} · {match.key}
            </span>
            <span class="soft small" lang={match.language} dir="auto">
              {match.message}
            </span>
            <span class="cell-notes">
              <span class="chip">{match.attribute === undefined ? 'text' : `attribute ${match.attribute}`}</span>
              {match.mark && <span class={`chip chip-${match.mark}`}>{match.mark}</span>}
            </span>
          </button>
        ))}
      </div>
    </>
  )
}

/** Keeps the box next to the text when the page scrolls, or when the box or the text changes size. */
function usePlace(anchor: PickedText['anchor']) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    let text = anchor()
    const place = () => {
      text = anchor() ?? text
      const { scrollHeight } = element
      const at = text ?? { left: 0, right: 0, top: 0, bottom: 0 }
      // The window's size without scroll bars.
      const { clientWidth: width, clientHeight: height } = document.documentElement
      const sizes = placeBeside(at, scrollHeight + 2, { width, height: Math.min(height, innerHeight) })
      for (const [name, value] of Object.entries(sizes)) Object.assign(element.style, { [name]: `${value}px` })
    }
    place()
    const resizes = new ResizeObserver(place)
    resizes.observe(element)
    const grows = new MutationObserver(place)
    grows.observe(element, { childList: true, subtree: true })
    const isOutside = (event: Event) => !event.composedPath().includes(element)
    const onScroll = (event: Event) => isOutside(event) && place()
    addEventListener('scroll', onScroll, { capture: true, passive: true })
    addEventListener('resize', place)
    return () => {
      resizes.disconnect()
      grows.disconnect()
      removeEventListener('scroll', onScroll, { capture: true })
      removeEventListener('resize', place)
    }
  }, [])
  return box
}

function inspectorLink(label: string, query: Record<string, string>) {
  return (
    <a href={INSPECTOR + hrefOf('texts', query)} target="_blank" rel="noopener">
      {label}
    </a>
  )
}
