/** The texts that can be seen in the page now, and where each of them is. Changes nothing in the document. */

export interface Spot {
  /** Text or attribute alone first, then with what surrounds it: a message may have been cut into elements. */
  readonly texts: readonly string[]
  readonly what: 'text' | 'attribute'
  /** Whose attribute it is, or what the text stands in. */
  readonly element: Element
  rects(): readonly DOMRect[]
}

const ATTRIBUTES = ['title', 'placeholder', 'alt', 'aria-label'] as const
const SILENT = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'TEXTAREA', 'SVG'])
/** Longer ones are whole pages, not messages. */
const LONGEST = 1_500
const LEVELS_UP = 3
const MOST_SPOTS = 3_000

export function findSpots(root: ParentNode, without: Element): readonly Spot[] {
  const spots: Spot[] = []
  const visit = (element: Element): void => {
    if (spots.length >= MOST_SPOTS || element === without || SILENT.has(element.tagName.toUpperCase())) return
    if (!isSeen(element)) return
    for (const name of ATTRIBUTES) {
      const text = element.getAttribute(name)
      if (text?.trim())
        spots.push({ texts: [text], what: 'attribute', element, rects: () => [element.getBoundingClientRect()] })
    }
    const isButton = element instanceof HTMLInputElement && /^(?:submit|button|reset)$/.test(element.type)
    if (isButton && element.value.trim() !== '') {
      spots.push({ texts: [element.value], what: 'attribute', element, rects: () => [element.getBoundingClientRect()] })
    }
    for (const node of [...element.childNodes, ...(element.shadowRoot?.childNodes ?? [])]) {
      if (node instanceof Element) visit(node)
      else if (node instanceof Text && node.data.trim() !== '') {
        spots.push({ texts: textsAround(node), what: 'text', element, rects: () => rectsOf(node) })
      }
    }
  }
  for (const child of root.children) visit(child)
  return spots
}

/** Something of it, or of what it holds, may be in the window. */
function isSeen(element: Element): boolean {
  const { top, bottom, width, height } = element.getBoundingClientRect()
  // What has no size of its own may hold what is placed elsewhere.
  if (width === 0 || height === 0) return element.checkVisibility?.() ?? true
  const isNear = bottom >= 0 && top <= innerHeight
  return isNear || element.children.length > 0
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
