/** The measurements of a table, and its visible part. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** The visible part of a table that is scrolled. Sizes are in pixels. */
export interface Sight {
  readonly element: RefObject<HTMLDivElement | null>
  readonly left: number
  readonly width: number
  /** True on a screen as narrow as a phone. */
  readonly isNarrow: boolean
  readonly rowHeight: number
  /** The visible rows, with a few more on both sides. */
  readonly first: number
  readonly last: number
}

const NARROW = 640
const HEAD_HEIGHT = 36
const SPARE_ROWS = 6

export function useSight(): Sight {
  const element = useRef<HTMLDivElement>(null)
  const [{ top, left, height, width }, setBox] = useState({ top: 0, left: 0, height: 600, width: 1_000 })
  useLayoutEffect(() => {
    const box = element.current
    if (!box) return
    let frame = 0
    const measure = () => {
      frame = 0
      setBox({ top: box.scrollTop, left: box.scrollLeft, height: box.clientHeight, width: box.clientWidth })
    }
    const measureSoon = () => {
      frame ||= requestAnimationFrame(measure)
    }
    const resizes = new ResizeObserver(measureSoon)
    measure()
    resizes.observe(box)
    box.addEventListener('scroll', measureSoon, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      resizes.disconnect()
    }
  }, [])
  const isNarrow = width < NARROW
  const rowHeight = isNarrow ? 72 : 60
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE_ROWS)
  const last = Math.ceil((top + height) / rowHeight) + SPARE_ROWS
  return { element, left, width, isNarrow, rowHeight, first, last }
}

/** The measurements of a rendered table. */
export interface Grid extends Pick<Sight, 'element' | 'rowHeight'> {
  readonly total: number
  readonly columns: number
  readonly headHeight: number
  readonly headerWidth: number
  readonly columnWidth: number
}

export function gridOf({ element, rowHeight, isNarrow, width }: Sight, columns: number, total: number): Grid {
  const headerWidth = isNarrow ? Math.floor(width * 0.42) : 290
  const leastWidth = isNarrow ? width - headerWidth : 220
  const columnWidth = Math.max(leastWidth, Math.floor((width - headerWidth) / Math.max(1, columns)))
  return { element, rowHeight, total, columns, headHeight: HEAD_HEIGHT, headerWidth, columnWidth }
}
