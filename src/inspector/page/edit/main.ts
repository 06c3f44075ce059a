/** Alt outlines what is translated, a click opens the editor. The app's document is only looked at: everything drawn is in a shadow root. */
import type { TraceMatch } from '../../wire.ts'
import { trace } from './calls.ts'
import { createPopup } from './popup.ts'
import { findSpots, type Spot } from './scan.ts'
import { adoptStyle } from './style.ts'

declare global {
  /** Language and namespace of each loaded module, as JSON; filled by the modules themselves in development. */
  var __localizationParts: Set<string> | undefined
}

interface Traced {
  readonly spot: Spot
  readonly text: string
  readonly matches: readonly TraceMatch[]
}

const NAME = 'localization-edit'

function start(): void {
  const host = document.createElement(NAME)
  const root = host.attachShadow({ mode: 'open' })
  adoptStyle(root)

  const language = () => document.documentElement.lang
  const popup = createPopup(root, language)
  const boxes = document.createElement('div')
  root.append(boxes)
  let traced: readonly Traced[] = []
  let isOn = false
  let turn = 0

  const draw = () => {
    boxes.replaceChildren(
      ...traced.flatMap(({ spot, matches }) =>
        matches.length === 0 && spot.what === 'attribute'
          ? []
          : spot.rects().map((rect) => {
              const box = document.createElement('div')
              box.className = `box ${matches.length === 0 ? 'unknown' : matches.length > 1 ? 'many' : ''}`
              const edge = matches.length === 0 ? 0 : 3
              box.style.left = `${rect.left - edge}px`
              box.style.top = `${rect.top - edge}px`
              box.style.width = `${rect.width + 2 * edge}px`
              box.style.height = `${rect.height + 2 * edge}px`
              if (matches[0]) box.dataset.key = matches[0].key
              return box
            }),
      ),
    )
  }

  const look = async () => {
    const own = ++turn
    const spots = findSpots(document.documentElement, host)
    const texts = [...new Set(spots.flatMap((spot) => spot.texts))]
    const loaded = [...(globalThis.__localizationParts ?? [])].map((part) => JSON.parse(part) as [string, string])
    const found = await trace(texts, loaded, language())
    if (own !== turn || !isOn) return
    const byText = new Map(texts.map((text, i) => [text, found[i] ?? []]))
    traced = spots.map((spot) => {
      const alone = byText.get(spot.texts[0] ?? '') ?? []
      const all = spot.texts.flatMap((text) => byText.get(text) ?? [])
      return { spot, text: spot.texts[0] ?? '', matches: distinct(all.length > 0 ? all : alone) }
    })
    draw()
  }

  const on = () => {
    if (isOn) return
    isOn = true
    host.dataset.active = ''
    // Not before it is needed, and behind the body: what hydrates or replaces the body does not meet it.
    if (!host.isConnected) document.documentElement.append(host)
    look().catch((error: unknown) => {
      off()
      console.warn(
        `[unplugin-localization] texts cannot be edited in the page: ${error instanceof Error ? error.message : error}`,
      )
    })
  }
  const off = () => {
    isOn = false
    turn++
    traced = []
    delete host.dataset.active
    boxes.replaceChildren()
  }

  const isOurs = (event: Event) => event.composedPath().includes(host)

  /** What is meant by a click there: the text under it with the attributes around it, else what the clicked element holds. */
  const meant = (event: MouseEvent): Traced | undefined => {
    const { clientX: x, clientY: y } = event
    const isHit = ({ left, right, top, bottom }: DOMRect) =>
      x >= left - 3 && x <= right + 3 && y >= top - 3 && y <= bottom + 3
    const hits = traced.filter(({ spot }) => spot.rects().some(isHit))
    const [target] = event.composedPath()
    const within = traced.filter(({ spot }) => target instanceof Element && target.contains(spot.element))
    const text =
      smallest(hits.filter(({ spot }) => spot.what === 'text')) ?? (within.length === 1 ? within[0] : undefined)
    const element = text?.spot.element ?? smallest(hits)?.spot.element
    const attributes = hits.filter(({ spot }) => spot.what === 'attribute' && spot.element === element)
    const matches = distinct([...(text?.matches ?? []), ...attributes.flatMap((one) => one.matches)])
    const first = text ?? attributes[0]
    return first && { ...first, matches }
  }

  addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Alt' && !event.ctrlKey && !event.metaKey && !event.shiftKey) on()
      else if (event.key === 'Escape') popup.close()
    },
    true,
  )
  addEventListener(
    'keyup',
    (event) => {
      if (event.key !== 'Alt' || !isOn) return
      // Some systems would go to the window's menu.
      event.preventDefault()
      off()
    },
    true,
  )
  addEventListener('blur', off)
  for (const type of ['scroll', 'resize']) {
    addEventListener(type, () => (isOn ? requestAnimationFrame(draw) : undefined), { capture: true, passive: true })
  }
  // The app must not act on a click that is for us.
  for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'auxclick'] as const) {
    addEventListener(
      type,
      (event) => {
        if (isOn && event.altKey && !isOurs(event)) stop(event)
      },
      true,
    )
  }
  addEventListener(
    'click',
    (event) => {
      if (isOurs(event)) return
      if (!isOn || !event.altKey) {
        popup.close()
        return
      }
      stop(event)
      const found = meant(event)
      if (!found) return
      popup.open({ x: event.clientX + 8, y: event.clientY + 8 }, found.text, found.matches)
      off()
    },
    true,
  )
}

/** What is drawn over others lies in them. */
function smallest(list: readonly Traced[]): Traced | undefined {
  const area = ({ spot }: Traced) => spot.rects().reduce((sum, { width, height }) => sum + width * height, 0)
  return [...list].sort((a, b) => area(a) - area(b))[0]
}

function stop(event: Event): void {
  event.preventDefault()
  event.stopImmediatePropagation()
}

function distinct(matches: readonly TraceMatch[]): readonly TraceMatch[] {
  const seen = new Set<string>()
  return matches.filter(({ namespace, key }) => {
    const id = JSON.stringify([namespace, key])
    return !seen.has(id) && seen.add(id)
  })
}

start()
