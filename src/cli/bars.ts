/** Progress: bars that move on a terminal, lines elsewhere. */
import { grouped } from '../shared/figures.ts'
import { printable } from '../shared/printable.ts'
import type { CliIo } from './io.ts'
import { duration, OWN_ESCAPE, type Paint, toTerminal, widthOf, withoutColours } from './text.ts'

export interface BarOptions {
  readonly label: string
  /** If it is left out, the things are only counted. */
  readonly total?: number | undefined
  /** What is counted, such as `texts`. Leave it out if the figure is a share of 1. */
  readonly unit?: string
  /** The time that is left, if the caller knows it better than the speed so far tells. */
  readonly leftMs?: () => number | undefined
  /** Only on a terminal, only if it takes a moment, and gone at the end. Default false: the bar stays. */
  readonly isPassing?: boolean
}

export interface Bar {
  /** `share`: from 0 to 1, where the total is not known. The bar never goes back. */
  update(done: number, share?: number): void
  /** Leaves the last state on the screen, but for a passing bar. */
  end(note?: string): void
}

const FRAME_MS = 80
/** What is over sooner needs no passing bar. */
const PASSING_DELAY_MS = 300
const CELLS = 24
/** A shorter time left is not worth saying. */
const MIN_LEFT_MS = 1500

/** Bars below all other output. They keep their lines until all have ended. */
export class MovingBars {
  #bars: MovingBar[] = []
  #drawnLines = 0
  #drawnAt = 0

  constructor(
    private readonly io: CliIo,
    private readonly paint: Paint,
  ) {}

  /** Writes above the bars. */
  above(write: () => void): void {
    this.#erase()
    write()
    this.#draw()
  }

  add(options: BarOptions): Bar {
    const bar = new MovingBar(options, this.paint)
    this.#bars.push(bar)
    this.#redraw()
    const timer = options.isPassing ? setTimeout(() => this.#redraw(), PASSING_DELAY_MS).unref() : undefined
    return {
      update: (done, share) => {
        bar.update(done, share)
        if (performance.now() - this.#drawnAt >= FRAME_MS) this.#redraw()
      },
      end: (note = '') => {
        if (bar.hasEnded) return
        clearTimeout(timer)
        if (options.isPassing) this.#bars = this.#bars.filter((each) => each !== bar)
        bar.hasEnded = true
        bar.note = note
        this.#redraw()
      },
    }
  }

  #redraw(): void {
    this.#erase()
    this.#draw()
  }

  #erase(): void {
    // To the line's begin first: a `^C` that the terminal echoed may stand in it.
    const escapes = `${OWN_ESCAPE}[G${OWN_ESCAPE}[${this.#drawnLines}A${OWN_ESCAPE}[J`
    if (this.#drawnLines > 0) this.io.err(toTerminal(escapes))
    this.#drawnLines = 0
  }

  #draw(): void {
    const shown = this.#bars.filter(({ isDue }) => isDue)
    if (shown.length === 0) return
    const width = Math.max(20, (this.io.columns ?? 80) - 1)
    this.io.err(toTerminal(shown.map((bar) => `${cut(bar.text(), width)}\n`).join('')))
    this.#drawnAt = performance.now()
    const isOver = this.#bars.every(({ hasEnded }) => hasEnded)
    if (isOver) this.#bars = []
    this.#drawnLines = isOver ? 0 : shown.length
  }
}

class MovingBar {
  #done = 0
  #share: number | undefined
  note = ''
  hasEnded = false
  readonly #startedAt = performance.now()

  constructor(
    private readonly options: BarOptions,
    private readonly paint: Paint,
  ) {
    this.#share = shareOf(0, options.total)
  }

  get isDue(): boolean {
    return !this.options.isPassing || performance.now() - this.#startedAt >= PASSING_DELAY_MS
  }

  update(done: number, share = shareOf(done, this.options.total)): void {
    this.#done = Math.max(this.#done, Math.min(done, this.options.total ?? done))
    if (share !== undefined) this.#share = Math.max(this.#share ?? 0, Math.min(1, share))
  }

  text(): string {
    const { label, total, unit = '' } = this.options
    const share = this.#share
    if (share === undefined) return this.#done === 0 ? `${label} …` : `${label}  ${grouped(this.#done)} ${unit}`
    const full = Math.round(share * CELLS)
    const cells = this.paint('green', '█'.repeat(full)) + this.paint('dim', '░'.repeat(CELLS - full))
    const percent = `${String(Math.floor(share * 100)).padStart(3)}%`
    const ofTotal = total === undefined ? '' : `/${grouped(total)}`
    const figures = unit === '' ? '' : `${grouped(this.#done)}${ofTotal} ${unit}`
    const leftMs = this.#leftMs(share)
    const left = leftMs > MIN_LEFT_MS ? `about ${duration(leftMs)} left` : ''
    return [label, cells, percent, figures, left, this.note].filter((part) => part !== '').join('  ')
  }

  #leftMs(share: number): number {
    if (this.hasEnded) return 0
    const given = this.options.leftMs?.()
    const elapsedMs = performance.now() - this.#startedAt
    return given ?? (share > 0.02 && elapsedMs > 2000 ? (elapsedMs * (1 - share)) / share : 0)
  }
}

/** Of nothing, everything is done. */
function shareOf(done: number, total: number | undefined): number | undefined {
  return total === undefined ? undefined : total === 0 ? 1 : done / total
}

export const SILENT_BAR: Bar = { update() {}, end() {} }

/** A line at every quarter, and one with the final figure. */
export function createPlainBar(options: BarOptions, print: (line: string) => void): Bar {
  const { label, total, unit, leftMs } = options
  if (options.isPassing) return SILENT_BAR
  let done = 0
  let quarter = 0
  const figures = (of: string) => (unit === undefined ? '' : `${grouped(done)}${of} ${unit}`)
  if (total === undefined) {
    return {
      update: (now) => {
        done = now
      },
      end: () => print(`${label}: ${figures('')}`),
    }
  }
  const ofTotal = ` of ${grouped(total)}`
  const estimate = leftMs?.() ?? 0
  if (estimate > MIN_LEFT_MS) print(`${label}: about ${duration(estimate)}`)
  return {
    update(now) {
      done = Math.max(done, Math.min(now, total))
      const reached = total === 0 ? 0 : Math.floor((done / total) * 4)
      if (reached <= quarter || reached >= 4) return
      quarter = reached
      const share = `${Math.floor((done / total) * 100)}%`
      print(unit === undefined ? `${label}: ${share}` : `${label}: ${share} (${figures(ofTotal)})`)
    },
    end(note = '') {
      const rest = [figures(ofTotal), note].filter((part) => part !== '').join(', ')
      print(`${label}: ${rest === '' ? 'done' : rest}`)
    },
  }
}

/** A line that is too long would wrap. A cut line loses its colours. */
function cut(text: string, width: number): string {
  return widthOf(text) <= width ? text : printable(withoutColours(text)).slice(0, width)
}
