import { expect, test } from 'vitest'
import { formatSize } from '../../../src/shared/figures.ts'

test.each([
  [300, '300 B'],
  [2440, '2.4 KB'],
  [20_000, '20 KB'],
  [999_499, '999 KB'],
  [999_500, '1.0 MB'],
  [1_500_000, '1.5 MB'],
])('%d bytes are %s', (bytes, shown) => {
  expect(formatSize(bytes)).toBe(shown)
})
