import fc from 'fast-check'
import { expect, test } from 'vitest'
import { squarify } from '../../../src/inspector/page/squarify.ts'

const BOX = { x: 10, y: 20, width: 600, height: 300 }

test('boxes have the area of their size, and lie side by side in the whole', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(sizes, (given) => {
      const sorted = given.sort((a, b) => b - a)
      const boxes = squarify(sorted, BOX)
      const total = sorted.reduce((sum, size) => sum + size, 0)
      expect(boxes).toHaveLength(sorted.length)
      for (const [at, { x, y, width, height }] of boxes.entries()) {
        expect(width * height).toBeCloseTo(((sorted[at] as number) / total) * 180_000, 3)
        expect(x).toBeGreaterThanOrEqual(10 - 1e-6)
        expect(y).toBeGreaterThanOrEqual(20 - 1e-6)
        expect(x + width).toBeLessThanOrEqual(610 + 1e-6)
        expect(y + height).toBeLessThanOrEqual(320 + 1e-6)
        for (const other of boxes.slice(0, at)) {
          const isApart =
            x + 1e-6 >= other.x + other.width ||
            other.x + 1e-6 >= x + width ||
            y + 1e-6 >= other.y + other.height ||
            other.y + 1e-6 >= y + height
          expect(isApart).toBe(true)
        }
      }
    }),
  )
})

test('boxes are near squares, and no size needs no place', () => {
  const [first] = squarify([6, 6, 4, 3, 2, 2, 1], { x: 0, y: 0, width: 6, height: 4 })
  expect(first).toEqual({ x: 0, y: 0, width: 3, height: 2 })
  expect(squarify([], BOX)).toEqual([])
  expect(squarify([0, 0], BOX).map(({ width, height }) => width * height)).toEqual([0, 0])
  expect(squarify([1], { ...BOX, height: 0 })[0]).toMatchObject({ height: 0 })
})
