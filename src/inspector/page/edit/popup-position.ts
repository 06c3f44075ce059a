/** Places a box below, above or next to a text. If the text fills the window, places the box over it. */

type Side = 'left' | 'top' | 'right' | 'bottom'

const GAP = 8
const WIDTH = 416
/** If a side has less room than this, a side with more room is preferred. */
const ENOUGH = 300
const LEAST = 140

/** `height` is the height that the box would like to have. */
export function placeBeside(text: Record<Side, number>, height: number, window: Record<'width' | 'height', number>) {
  const { width: windowWidth, height: windowHeight } = window
  const width = Math.min(WIDTH, windowWidth - 2 * GAP)
  const within = (value: number, size: number, whole: number) => Math.max(GAP, Math.min(value, whole - size - GAP))
  const left = within(text.left, width, windowWidth)
  const below = windowHeight - text.bottom - 2 * GAP
  const above = text.top - 2 * GAP
  const vertical = (room: number, isBelow: boolean) => {
    const maxHeight = Math.max(LEAST, room)
    const top = isBelow ? text.bottom + GAP : text.top - GAP - Math.min(height, maxHeight)
    return { left, width, maxHeight, top: within(top, Math.min(height, maxHeight), windowHeight) }
  }
  const wanted = Math.min(height, ENOUGH)
  if (below >= wanted) return vertical(below, true)
  if (above >= wanted) return vertical(above, false)
  const sides = [text.right + GAP, text.left - GAP - width]
  const side = sides.find((at) => at >= GAP && at + width + GAP <= windowWidth)
  if (side === undefined) return below >= above ? vertical(below, true) : vertical(above, false)
  const maxHeight = windowHeight - 2 * GAP
  return { left: side, width, maxHeight, top: within(text.top, Math.min(height, maxHeight), windowHeight) }
}
