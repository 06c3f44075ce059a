import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeBeside } from '../../../src/inspector/page/edit/popup-position.ts'

const boxOf = (left: number, top: number, width: number, height: number) => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
})

test('below the text, above it near the end of the window, and at a side of a high one', () => {
  const window = { width: 1280, height: 800 }
  expect(placeBeside(boxOf(100, 50, 80, 20), 500, window)).toMatchObject({ left: 100, top: 78, maxHeight: 714 })
  expect(placeBeside(boxOf(100, 700, 80, 20), 500, window)).toMatchObject({ left: 100, top: 192 })
  expect(placeBeside(boxOf(100, 10, 80, 780), 500, window)).toMatchObject({ left: 188, top: 10 })
  expect(placeBeside(boxOf(1200, 50, 80, 20), 500, window)).toMatchObject({ left: 856 })
})

test('in the window, and never over a text that leaves room', () => {
  const rooms = fc.record({
    width: fc.integer({ min: 320, max: 1600 }),
    height: fc.integer({ min: 480, max: 1200 }),
    left: fc.integer({ min: 0, max: 300 }),
    top: fc.integer({ min: 0, max: 1150 }),
    textHeight: fc.integer({ min: 10, max: 120 }),
    wanted: fc.integer({ min: 80, max: 900 }),
  })
  fc.assert(
    fc.property(rooms, ({ width, height, left, top, textHeight, wanted }) => {
      const text = boxOf(left, Math.min(top, height - textHeight), 20, textHeight)
      const at = placeBeside(text, wanted, { width, height })
      const shown = Math.min(wanted, at.maxHeight)
      expect(at.left).toBeGreaterThanOrEqual(8)
      expect(at.left + at.width).toBeLessThanOrEqual(width - 8)
      expect(at.top).toBeGreaterThanOrEqual(8)
      expect(at.top + shown).toBeLessThanOrEqual(height - 8)
      const isBeside = at.top >= text.bottom || at.top + shown <= text.top
      expect(isBeside || at.left >= text.right || at.left + at.width <= text.left).toBe(true)
    }),
  )
})
