/** Progress as a terminal shows it, and as a log does. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CliIo } from '../../../src/cli/io.ts'
import { createPlainBar, MovingBars } from '../../../src/cli/output.ts'
import { plain } from '../../../src/cli/text.ts'
import { createScreen, percentages } from '../../helpers/screen.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

function createBars() {
  const screen = createScreen()
  const io = { err: screen.write, columns: 80 } as unknown as CliIo
  return { screen, bars: new MovingBars(io, plain) }
}

/** After each, the time that makes a frame due. */
function each<Item>(items: readonly Item[], use: (item: Item) => void): void {
  for (const item of items) {
    vi.advanceTimersByTime(100)
    use(item)
  }
}

test('a percentage never goes back and never exceeds 100', () => {
  const { screen, bars } = createBars()
  const bar = bars.add({ label: 'push', total: 200, unit: 'texts' })
  each([50, 150, 100, 120, 250], (done) => bar.update(done))
  bar.end()
  expect(percentages(screen.written())).toEqual([0, 25, 75, 75, 75, 100, 100])
  expect(screen.lines()).toEqual([`push  ${'█'.repeat(24)}  100%  200/200 texts`])
})

test('a passing bar is there after a moment, has one line, and leaves nothing', () => {
  const { screen, bars } = createBars()
  const bar = bars.add({ label: 'reading the service', unit: 'texts', isPassing: true })
  bar.update(500, 0.1)
  expect(screen.written()).toBe('')
  vi.advanceTimersByTime(300)
  expect(screen.lines()).toEqual([`reading the service  ${'█'.repeat(2)}${'░'.repeat(22)}   10%  500 texts`])
  each([0.3, 0.2, 1.5], (share) => {
    bar.update(share * 5000, share)
    expect(screen.lines()).toHaveLength(1)
  })
  bars.above(() => screen.write('warning: something\n'))
  expect(screen.lines()).toHaveLength(2)
  expect(percentages(screen.written())).toEqual([10, 30, 30, 100, 100])
  bar.end()
  bar.end()
  expect(screen.lines()).toEqual(['warning: something'])
})

test('a short reading shows nothing', () => {
  const { screen, bars } = createBars()
  const bar = bars.add({ label: 'reading the files', unit: 'files', isPassing: true })
  bar.update(1, 1)
  bar.end()
  vi.advanceTimersByTime(10_000)
  expect(screen.written()).toBe('')
})

test('without a total, things are counted', () => {
  const { screen, bars } = createBars()
  const bar = bars.add({ label: 'reading the service', unit: 'texts', isPassing: true })
  vi.advanceTimersByTime(300)
  expect(screen.lines()).toEqual(['reading the service …'])
  each([1500, 1200], (done) => bar.update(done))
  expect(screen.lines()).toEqual(['reading the service  1,500 texts'])
  bar.end()
})

test('a passing bar above one that stays', () => {
  const { screen, bars } = createBars()
  const passing = bars.add({ label: 'reading', unit: 'texts', isPassing: true })
  vi.advanceTimersByTime(300)
  const bar = bars.add({ label: 'push', total: 0, unit: 'texts' })
  expect(screen.lines()).toHaveLength(2)
  passing.end()
  bar.end()
  expect(screen.lines()).toEqual([`push  ${'█'.repeat(24)}  100%  0/0 texts`])
})

test('in a log: a line at every quarter with the true percentage, and nothing of what passes', () => {
  const lines: string[] = []
  const bar = createPlainBar({ label: 'push', total: 300, unit: 'texts' }, (line) => lines.push(line))
  for (const done of [10, 80, 70, 85, 240, 400]) bar.update(done)
  bar.end()
  expect(lines).toEqual(['push: 26% (80 of 300 texts)', 'push: 80% (240 of 300 texts)', 'push: 300 of 300 texts'])
  const passing = createPlainBar({ label: 'reading', unit: 'texts', isPassing: true }, (line) => lines.push(line))
  passing.update(1, 1)
  passing.end()
  expect(lines).toHaveLength(3)
})
