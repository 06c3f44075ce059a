/** Finds the texts in sight, and where each of them is. Changes nothing in the document. */

export interface Spot {
  /** The text alone first, then with the text around it: a message may be cut into elements. */
  readonly texts: readonly string[]
  /** The attribute's name, where the text is one's. */
  readonly attribute?: string | undefined
  /** The element that has the attribute, or that the text is in. */
  readonly element: Element
  rects(): readonly DOMRect[]
}

const ATTRIBUTES = ['title', 'placeholder', 'alt', 'aria-label']
const SKIPPED = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'TEXTAREA', 'SVG'])
/** A longer text is a whole page, not a message. */
const LONGEST = 1_500
const LEVELS_UP = 3
const MOST_SPOTS = 3_000

export function findSpots(root: ParentNode, without: Element): readonly Spot[] {
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

/** Whether the element, or anything in it, may be in the window. */
function mayBeInSight(element: Element): boolean {
  const { top, bottom, width, height } = element.getBoundingClientRect()
  // An element without a size may hold others that are placed elsewhere.
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
