/** Squarified treemaps (Bruls, Huizing and van Wijk): areas as given, sides as equal as they can be. */

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A box for each size, in their order. The largest sizes come first; none is negative. */
export function squarify(sizes: readonly number[], box: Box): Box[] {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= 0) return sizes.map(() => ({ ...box, width: 0, height: 0 }))
  const scale = (box.width * box.height) / total
  const boxes: Box[] = []
  let left = box
  let row: number[] = []
  for (const size of sizes) {
    const area = size * scale
    if (row.length > 0 && worstRatio([...row, area], left) > worstRatio(row, left)) {
      const placed = placeRow(row, left)
      boxes.push(...placed.boxes)
      left = placed.left
      row = []
    }
    row.push(area)
  }
  return [...boxes, ...placeRow(row, left).boxes]
}

const sumOf = (row: readonly number[]) => row.reduce((sum, area) => sum + area, 0)

/** A row stands along the shorter side. */
function worstRatio(row: readonly number[], { width, height }: Box): number {
  const thickness = sumOf(row) / Math.min(width, height)
  return Math.max(...row.map((area) => Math.max(thickness ** 2 / area, area / thickness ** 2)))
}

function placeRow(row: readonly number[], { x, y, width, height }: Box): { boxes: Box[]; left: Box } {
  const area = sumOf(row)
  if (area <= 0) return { boxes: row.map(() => ({ x, y, width: 0, height: 0 })), left: { x, y, width, height } }
  const isColumn = width >= height
  const thickness = area / (isColumn ? height : width)
  let at = 0
  const boxes = row.map((own) => {
    const length = own / thickness
    const start = at
    at += length
    return isColumn
      ? { x, y: y + start, width: thickness, height: length }
      : { x: x + start, y, width: length, height: thickness }
  })
  const left = isColumn
    ? { x: x + thickness, y, width: Math.max(0, width - thickness), height }
    : { x, y: y + thickness, width, height: Math.max(0, height - thickness) }
  return { boxes, left }
}
