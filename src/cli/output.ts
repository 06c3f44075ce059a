/** Prints a command's messages and progress on standard error. Also decides whether output has colors. */
import { isContinuousIntegration } from '../config/env.ts'
import type { Logger } from '../logger.ts'
import { printable } from '../shared/escape.ts'
import { grouped } from '../shared/figures.ts'
import type { CliIo } from './io.ts'
import { coloured, duration, OWN_ESCAPE, type Paint, plain, toTerminal, widthOf, withoutColours } from './text.ts'

export type Output = ReturnType<typeof createOutput>

export function createOutput(
  io: CliIo,
  { color, quiet, verbose }: { readonly color: boolean; readonly quiet?: boolean; readonly verbose?: boolean },
) {
  const isDumb = io.env.TERM === 'dumb'
  const isForced = !['', '0', 'false'].includes(io.env.FORCE_COLOR ?? '')
  const paintFor = (isTerminal: boolean) =>
    color && !io.env.NO_COLOR && (isForced || (isTerminal && !isDumb)) ? coloured : plain
  const talk = paintFor(io.errTty)
  const isMoving = io.errTty && !quiet && !isDumb && !isContinuousIntegration(io.env)
  const bars = isMoving ? new MovingBars(io, talk) : undefined
  const print = (text: string) => {
    const write = () => io.err(toTerminal(`${text}\n`))
    if (bars) bars.above(write)
    else write()
  }
  const warn = (text: string) => print(`${talk('yellow', 'warning:')} ${text}`)
  return {
    /** Colors for standard output (results). */
    paint: paintFor(io.outTty),
    /** Colors for standard error (messages). */
    talk,
    /** Prints a message, except with `--quiet`. */
    say(text: string) {
      if (!quiet) print(text)
    },
    warn,
    /** Shows progress. On a terminal, this is a bar; elsewhere, a line for every quarter. */
    bar: (options: BarOptions) => (quiet ? SILENT_BAR : (bars?.add(options) ?? createPlainBar(options, print))),
    /** Passed to code outside the command line. */
    logger: {
      debug: (message) => verbose && print(talk('dim', message)),
      info: (message) => verbose && print(message),
      warn,
      error: (message) => print(`${talk('red', 'error:')} ${message}`),
    } satisfies Logger,
  }
}

export type BarOptions = {
  readonly label: string
  /** The unit, such as `texts`. If omitted, the bar shows only a percentage. */
  readonly unit?: string
  /** Estimates the remaining time. Default: an estimate from the speed so far. */
  readonly leftMs?: () => number | undefined
} & (
  | { readonly isPassing?: false; readonly total: number }
  /** Appears only on a terminal and only for slow work, and disappears at the end. Without a total, it only counts. */
  | { readonly isPassing: true; readonly total?: number }
)

export interface Bar {
  /** Moves the bar, never backwards. If the total is unknown, `share` (0 to 1) sets its position. */
  update(done: number, share?: number): void
  /** Stops the bar. `note` is shown after it. */
  end(note?: string): void
}

const FRAME_MS = 80
/** Passing bars appear only after this time. */
const PASSING_DELAY_MS = 300
const CELLS = 24
/** Shorter remaining times are not shown. */
const MIN_LEFT_MS = 1500

/** Keeps the bars below all other output. Each bar keeps its line until all have ended. */
export class MovingBars {
  #bars: MovingBar[] = []
  #drawnLines = 0
  #drawnAt = 0

  constructor(
    private readonly io: CliIo,
    private readonly paint: Paint,
  ) {}

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
    // Moves to the start of the line first, because the terminal may have echoed `^C`.
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

/** The share of a total of 0 is 1. */
function shareOf(done: number, total: number | undefined): number | undefined {
  return total === undefined ? undefined : total === 0 ? 1 : done / total
}

const SILENT_BAR: Bar = { update() {}, end() {} }

/** Prints a line for every quarter, and one at the end. */
export function createPlainBar(options: BarOptions, print: (line: string) => void): Bar {
  if (options.isPassing) return SILENT_BAR
  const { label, total, unit, leftMs } = options
  let done = 0
  let quarter = 0
  const figures = () => (unit === undefined ? '' : `${grouped(done)} of ${grouped(total)} ${unit}`)
  const estimate = leftMs?.() ?? 0
  if (estimate > MIN_LEFT_MS) print(`${label}: about ${duration(estimate)}`)
  return {
    update(now) {
      done = Math.max(done, Math.min(now, total))
      const reached = total === 0 ? 0 : Math.floor((done / total) * 4)
      if (reached <= quarter || reached >= 4) return
      quarter = reached
      const share = `${Math.floor((done / total) * 100)}%`
      print(unit === undefined ? `${label}: ${share}` : `${label}: ${share} (${figures()})`)
    },
    end(note = '') {
      const rest = [figures(), note].filter((part) => part !== '').join(', ')
      print(`${label}: ${rest === '' ? 'done' : rest}`)
    },
  }
}

/** Cuts a line that would wrap. A cut line loses its colors. */
function cut(text: string, width: number): string {
  return widthOf(text) <= width ? text : printable(withoutColours(text)).slice(0, width)
}
