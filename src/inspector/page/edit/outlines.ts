/** The outlines around visible texts, and the keys of each text. */
import type { TraceMatch } from '../../trace.ts'
import { post } from '../calls.ts'

interface Spot {
  /** The text alone, followed by the text with its surroundings, because a message may be split into elements. */
  readonly texts: readonly string[]
  /** The name of the attribute that contains the text. */
  readonly attribute?: string | undefined
  /** The element that contains the text or has the attribute. */
  readonly element: Element
  readonly rects: () => readonly DOMRect[]
}

const ATTRIBUTES = ['title', 'placeholder', 'alt', 'aria-label']
const SKIPPED = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'TEXTAREA', 'SVG'])
/** Anything longer is a whole page, not a message. */
const LONGEST = 1_500
const LEVELS_UP = 3
const MOST_SPOTS = 3_000

function findSpots(root: ParentNode, without: Element): readonly Spot[] {
  const spots: Spot[] = []
  const visit = (element: Element): void => {
    if (spots.length >= MOST_SPOTS || element === without || SKIPPED.has(element.tagName.toUpperCase())) return
    if (!mayBeInSight(element)) return
    for (const [attribute, text] of attributesOf(element)) {
      if (text.trim() === '') continue
      spots.push({ texts: [text], attribute, element, rects: () => [element.getBoundingClientRect()] })
    }
    for (const node of [...element.childNodes, ...(element.shadowRoot?.childNodes ?? [])]) {
      if (node instanceof Element) visit(node)
      else if (node instanceof Text && node.data.trim() !== '') {
        spots.push({ texts: textsAround(node), element, rects: () => rectsOf(node) })
      }
    }
  }
  for (const child of root.children) visit(child)
  return spots
}

function attributesOf(element: Element): readonly (readonly [name: string, text: string])[] {
  const texts = ATTRIBUTES.map((name) => [name, element.getAttribute(name) ?? ''] as const)
  const isButton = element instanceof HTMLInputElement && /^(?:submit|button|reset)$/.test(element.type)
  return isButton ? [...texts, ['value', element.value] as const] : texts
}

/** True if the element or one of its descendants may be visible. */
function mayBeInSight(element: Element): boolean {
  const { top, bottom, width, height } = element.getBoundingClientRect()
  // An element without a size may contain positioned elements that have one.
  if (width === 0 || height === 0) return element.checkVisibility?.() ?? true
  return (bottom >= 0 && top <= innerHeight) || element.children.length > 0
}

function textsAround(node: Text): readonly string[] {
  const texts = [node.data]
  let element = node.parentElement
  for (let level = 0; level < LEVELS_UP && element && element !== document.body; level++) {
    const text = element.textContent ?? ''
    if (text.length > LONGEST) break
    if (!texts.some((known) => known.trim() === text.trim())) texts.push(text)
    element = element.parentElement
  }
  return texts
}

function rectsOf(node: Text): readonly DOMRect[] {
  const range = document.createRange()
  range.selectNodeContents(node)
  return [...range.getClientRects()].filter(
    ({ width, height, top, bottom }) => width > 0 && height > 0 && bottom >= 0 && top <= innerHeight,
  )
}

declare global {
  /** Each loaded module's language and namespace, as JSON. In development, the modules add themselves. */
  var __localizationParts: Set<string> | undefined
}

export interface TracedMatch extends TraceMatch, Pick<Spot, 'attribute'> {
  /** True if the text matches on its own, without its surroundings. */
  readonly isOwn: boolean
}

export interface PickedText {
  /** As shown on the page. */
  readonly text: string
  readonly matches: readonly TracedMatch[]
  /** Returns the text's current position; `undefined` if the text is no longer on the page. */
  readonly anchor: () => DOMRect | undefined
}

type TracedSpot = Spot & Pick<PickedText, 'text' | 'matches'>

const MOST_TEXTS = 1_000
/** The distance between a text and its outline, in pixels. */
const GAP = 3

export class Outlines {
  isOn = false
  readonly #host: Element
  readonly #boxes = document.createElement('div')
  /** Announces the current text to screen readers. */
  readonly #said = document.createElement('div')
  #traced: readonly TracedSpot[] = []
  #current: TracedSpot | undefined

  constructor(host: Element, root: ShadowRoot) {
    this.#host = host
    this.#said.className = 'unseen'
    this.#said.role = 'status'
    root.append(this.#boxes, this.#said)
  }

  async show(style: Promise<void>): Promise<void> {
    this.isOn = true
    await style
    const spots = findSpots(document.documentElement, this.#host)
    const matches = await traceAll([...new Set(spots.flatMap(({ texts }) => texts))])
    if (!this.isOn) return
    this.#traced = spots.map((spot) => ({
      ...spot,
      text: spot.texts[0] ?? '',
      matches: distinct(
        spot.texts.flatMap((text, at) =>
          (matches.get(text) ?? []).map((match) => ({ ...match, isOwn: at === 0, attribute: spot.attribute })),
        ),
      ),
    }))
    this.draw()
  }

  hide(): void {
    this.isOn = false
    this.#traced = []
    this.#current = undefined
    this.draw()
  }

  draw(): void {
    // Attributes that no message matches get no outline.
    const shown = this.#traced.filter((one) => one.matches.length > 0 || isText(one))
    this.#boxes.replaceChildren(
      ...shown.flatMap((one) => one.rects().map((rect) => boxOf(rect, one.matches, one === this.#current))),
    )
  }

  /** The clicked text and its element's attributes, or else the only text in the clicked element. */
  textAt(event: MouseEvent): PickedText | undefined {
    const hits = this.#traced.filter(({ rects }) => rects().some((rect) => isHit(rect, event)))
    const [target] = event.composedPath()
    const within = this.#traced.filter(({ element }) => target instanceof Element && target.contains(element))
    const text = smallest(hits.filter(isText)) ?? (within.length === 1 ? within[0] : undefined)
    const first = text ?? smallest(hits)
    return first && this.#pick(first, hits)
  }

  /** Moves to the next or previous visible text, for keyboard users. */
  step(by: 1 | -1): void {
    const shown = this.#traced.filter((one) => isText(one) || one.matches.length > 0)
    const last = this.#current === undefined ? (by === 1 ? -1 : 0) : shown.indexOf(this.#current)
    this.#current = shown.at((last + by) % shown.length)
    this.draw()
    const { text = '', matches = [] } = this.#current ?? {}
    const mark = markOf(matches)
    this.#said.textContent = [text.trim(), matches[0]?.key ?? 'no match found', mark].filter(Boolean).join(', ')
  }

  /** The text to which `step` moved. */
  currentText(): PickedText | undefined {
    return this.#current && this.#pick(this.#current, this.#traced)
  }

  #pick(first: TracedSpot, around: readonly TracedSpot[]): PickedText {
    const attributes = around.filter((one) => one !== first && !isText(one) && one.element === first.element)
    const matches = distinct([first, ...attributes].flatMap((one) => one.matches))
    return { text: first.text, matches, anchor: () => placeOf(first) }
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

/** The rectangle that the text occupies in the window. */
function placeOf(spot: Spot): DOMRect | undefined {
  const rects = spot.element.isConnected ? spot.rects() : []
  if (rects.length === 0) return undefined
  const left = Math.min(...rects.map((rect) => rect.left))
  const top = Math.min(...rects.map((rect) => rect.top))
  const right = Math.max(...rects.map((rect) => rect.right))
  return new DOMRect(left, top, right - left, Math.max(...rects.map((rect) => rect.bottom)) - top)
}

function boxOf({ left, top, width, height }: DOMRect, matches: readonly TracedMatch[], isCurrent: boolean) {
  const box = document.createElement('div')
  const gap = matches.length === 0 ? 0 : GAP
  const mark = markOf(matches)
  const kind = matches.length === 0 ? 'unknown' : matches.length > 1 ? 'many' : ''
  box.className = `box ${kind} ${mark ?? ''} ${isCurrent ? 'current' : ''}`
  const sizes = { left: left - gap, top: top - gap, width: width + 2 * gap, height: height + 2 * gap }
  for (const [name, pixels] of Object.entries(sizes)) box.style.setProperty(name, `${pixels}px`)
  if (matches[0]) box.dataset.key = matches[0].key
  if (mark) box.append(Object.assign(document.createElement('span'), { textContent: mark, className: 'box-mark' }))
  return box
}

/** The mark of the exact matches, or of all matches if none is exact. */
function markOf(matches: readonly TracedMatch[]): TracedMatch['mark'] {
  const exact = matches.filter(({ isExact, isOwn }) => isExact && isOwn)
  return (exact.length > 0 ? exact : matches).find(({ mark }) => mark)?.mark
}

function isHit({ left, right, top, bottom }: DOMRect, { clientX: x, clientY: y }: MouseEvent): boolean {
  return x >= left - GAP && x <= right + GAP && y >= top - GAP && y <= bottom + GAP
}

function isText({ attribute }: TracedSpot): boolean {
  return attribute === undefined
}

/** If texts overlap, the smallest is the innermost. */
function smallest(spots: readonly TracedSpot[]): TracedSpot | undefined {
  const area = ({ rects }: TracedSpot) => rects().reduce((sum, { width, height }) => sum + width * height, 0)
  return [...spots].sort((a, b) => area(a) - area(b))[0]
}

/** A key may match both an element's text and one of its attributes. */
function distinct(matches: readonly TracedMatch[]): readonly TracedMatch[] {
  const byId = matches.map((match) => [JSON.stringify([match.namespace, match.key, match.attribute]), match] as const)
  return [...new Map(byId.reverse()).values()].reverse()
}
