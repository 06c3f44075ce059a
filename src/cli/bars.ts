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
}

export interface Bar {
  update(done: number): void
  /** Leaves the last state on the screen. */
  end(note?: string): void
}

const FRAME_MS = 80
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
    return {
      update: (done) => {
        bar.done = done
        if (performance.now() - this.#drawnAt >= FRAME_MS) this.#redraw()
      },
      end: (note = '') => {
        if (bar.hasEnded) return
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
    if (this.#bars.length === 0) return
    const width = Math.max(20, (this.io.columns ?? 80) - 1)
    this.io.err(toTerminal(this.#bars.map((bar) => `${cut(bar.text(), width)}\n`).join('')))
    this.#drawnAt = performance.now()
    if (this.#bars.every(({ hasEnded }) => hasEnded)) this.#bars = []
    this.#drawnLines = this.#bars.length
  }
}

class MovingBar {
  done = 0
  note = ''
  hasEnded = false
  readonly #startedAt = performance.now()

  constructor(
    private readonly options: BarOptions,
    private readonly paint: Paint,
  ) {}

  text(): string {
    const { label, total, unit = '' } = this.options
    if (total === undefined) return `${label}  ${grouped(this.done)} ${unit}`
    const share = total === 0 ? 1 : Math.min(1, this.done / total)
    const full = Math.round(share * CELLS)
    const cells = this.paint('green', '█'.repeat(full)) + this.paint('dim', '░'.repeat(CELLS - full))
    const percent = `${String(Math.floor(share * 100)).padStart(3)}%`
    const figures = unit === '' ? '' : `${grouped(this.done)}/${grouped(total)} ${unit}`
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

/** A line at every quarter, and one with the final figure. */
export function createPlainBar({ label, total, unit, leftMs }: BarOptions, print: (line: string) => void): Bar {
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
      done = now
      const reached = total === 0 ? 0 : Math.floor((done / total) * 4)
      if (reached <= quarter || reached >= 4) return
      quarter = reached
      const share = `${reached * 25}%`
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
