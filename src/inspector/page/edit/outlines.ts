/** The outlines of the texts in sight, and the keys of each. */
import type { TraceMatch } from '../../trace.ts'
import { post } from '../calls.ts'
import { findSpots, type Spot } from './spots.ts'

declare global {
  /** Language and namespace of each loaded module, as JSON. In development the modules fill it. */
  var __localizationParts: Set<string> | undefined
}

export interface TracedText {
  /** As the page shows it. */
  readonly text: string
  readonly matches: readonly TraceMatch[]
}

interface TracedSpot extends TracedText {
  readonly spot: Spot
}

/** What one call takes. */
const MOST_TEXTS = 1_000
/** Between a text and its outline, in pixels. */
const GAP = 3

export class Outlines {
  isOn = false
  readonly #host: Element
  readonly #boxes = document.createElement('div')
  #traced: readonly TracedSpot[] = []

  constructor(host: Element, root: ShadowRoot) {
    this.#host = host
    root.append(this.#boxes)
  }

  async show(style: Promise<void>): Promise<void> {
    this.isOn = true
    await style
    const spots = findSpots(document.documentElement, this.#host)
    const matches = await traceAll([...new Set(spots.flatMap(({ texts }) => texts))])
    if (!this.isOn) return
    this.#traced = spots.map((spot) => ({
      spot,
      text: spot.texts[0] ?? '',
      matches: distinct(spot.texts.flatMap((text) => matches.get(text) ?? [])),
    }))
    this.draw()
  }

  hide(): void {
    this.isOn = false
    this.#traced = []
    this.draw()
  }

  draw(): void {
    // An attribute that is not a translation is nothing a person sees.
    const shown = this.#traced.filter(({ spot, matches }) => matches.length > 0 || spot.kind === 'text')
    this.#boxes.replaceChildren(
      ...shown.flatMap(({ spot, matches }) => spot.rects().map((rect) => boxOf(rect, matches))),
    )
  }

  /** The text under a click with the attributes around it; else the only text of the clicked element. */
  textAt(event: MouseEvent): TracedText | undefined {
    const hits = this.#traced.filter(({ spot }) => spot.rects().some((rect) => isHit(rect, event)))
    const [target] = event.composedPath()
    const within = this.#traced.filter(({ spot }) => target instanceof Element && target.contains(spot.element))
    const text =
      smallest(hits.filter(({ spot }) => spot.kind === 'text')) ?? (within.length === 1 ? within[0] : undefined)
    const element = (text ?? smallest(hits))?.spot.element
    const attributes = hits.filter(({ spot }) => spot.kind === 'attribute' && spot.element === element)
    const picked = [...(text ? [text] : []), ...attributes]
    return picked[0] && { text: picked[0].text, matches: distinct(picked.flatMap(({ matches }) => matches)) }
  }
}

async function traceAll(texts: readonly string[]): Promise<ReadonlyMap<string, readonly TraceMatch[]>> {
  const loaded = Array.from(globalThis.__localizationParts ?? [], (part) => JSON.parse(part) as [string, string])
  const language = document.documentElement.lang
  const matches = new Map<string, readonly TraceMatch[]>()
  for (let from = 0; from < texts.length; from += MOST_TEXTS) {
    const asked = texts.slice(from, from + MOST_TEXTS)
    const found = await post('trace', { texts: asked, loaded, language })
    for (const [at, text] of asked.entries()) matches.set(text, found[at] ?? [])
  }
  return matches
}

function boxOf({ left, top, width, height }: DOMRect, matches: readonly TraceMatch[]): HTMLElement {
  const box = document.createElement('div')
  const gap = matches.length === 0 ? 0 : GAP
  box.className = `box ${matches.length === 0 ? 'unknown' : matches.length > 1 ? 'many' : ''}`
  const sizes = { left: left - gap, top: top - gap, width: width + 2 * gap, height: height + 2 * gap }
  for (const [name, pixels] of Object.entries(sizes)) box.style.setProperty(name, `${pixels}px`)
  if (matches[0]) box.dataset.key = matches[0].key
  return box
}

function isHit({ left, right, top, bottom }: DOMRect, { clientX: x, clientY: y }: MouseEvent): boolean {
  return x >= left - GAP && x <= right + GAP && y >= top - GAP && y <= bottom + GAP
}

/** A text that is drawn over others is inside them. */
function smallest(spots: readonly TracedSpot[]): TracedSpot | undefined {
  const area = ({ spot }: TracedSpot) => spot.rects().reduce((sum, { width, height }) => sum + width * height, 0)
  return [...spots].sort((a, b) => area(a) - area(b))[0]
}

function distinct(matches: readonly TraceMatch[]): readonly TraceMatch[] {
  const byId = matches.map((match) => [JSON.stringify([match.namespace, match.key]), match] as const).reverse()
  return [...new Map(byId).values()].reverse()
}
