/** The one place that talks: lines and progress on standard error, results on standard output, colours where they belong. */

import { isContinuousIntegration } from '../config/env.ts'
import type { Logger } from '../logger.ts'
import { grouped } from '../shared/figures.ts'
import { printable } from '../shared/printable.ts'
import type { CliIo } from './io.ts'
import { coloured, duration, OWN_ESCAPE, type Paint, plain, toTerminal, widthOf, withoutColours } from './text.ts'

export interface OutputSettings {
  readonly json: boolean
  readonly quiet: boolean
  readonly verbose: boolean
  readonly color: boolean
}

export interface Output {
  /** For results: standard output. */
  readonly paint: Paint
  /** For talk: standard error. */
  readonly talk: Paint
  /** One line of talk. Nothing with `--quiet`. */
  say(line: string): void
  /** One line that matters even with `--quiet`. */
  warn(line: string): void
  /** A bar on a terminal, plain lines at every quarter elsewhere. */
  bar(options: BarOptions): Bar
  /** What other rooms log with. */
  readonly logger: Logger
}

export interface BarOptions {
  readonly label: string
  /** Left out: nobody knows how many there are, they are only counted. */
  readonly total?: number | undefined
  /** `texts`, `keys`: what is counted; left out where the figure is a share of 1. */
  readonly unit?: string
  /** How long is left, where somebody knows better than the speed so far. */
  readonly leftMs?: (done: number) => number | undefined
}

export interface Bar {
  update(done: number, note?: string): void
  /** Leaves its last state standing. */
  end(note?: string): void
}

export function createOutput(io: CliIo, settings: OutputSettings): Output {
  const wantsColor = settings.color && !io.env.NO_COLOR
  const forced = wantsColor && io.env.FORCE_COLOR !== undefined && !['', '0', 'false'].includes(io.env.FORCE_COLOR)
  const outPaint = forced || (wantsColor && io.outTty && io.env.TERM !== 'dumb') ? coloured : plain
  const errPaint = forced || (wantsColor && io.errTty && io.env.TERM !== 'dumb') ? coloured : plain
  const moving = io.errTty && !settings.quiet && io.env.TERM !== 'dumb' && !isContinuousIntegration(io.env)
  const board = createBoard(io, errPaint, moving)

  const line = (text: string) => board.above(() => io.err(toTerminal(`${text}\n`)))
  const warn = (text: string) => line(`${errPaint('yellow', 'warning')} ${text}`)
  return {
    paint: outPaint,
    talk: errPaint,
    say(text) {
      if (!settings.quiet) line(text)
    },
    warn,
    bar: (options) => (settings.quiet ? silentBar : moving ? board.add(options) : plainBar(options, line)),
    logger: {
      debug: (message) => settings.verbose && line(errPaint('dim', message)),
      info: (message) => settings.verbose && line(message),
      warn,
      error: (message) => line(`${errPaint('red', 'error')} ${message}`),
    },
  }
}

const silentBar: Bar = { update() {}, end() {} }

const FRAME_MS = 80
const CELLS = 24

/** Bars below everything else that is said; each keeps its line when it ends. */
function createBoard(io: CliIo, paint: Paint, moving: boolean) {
  interface Line {
    readonly text: () => string
    ended: boolean
  }
  let lines: Line[] = []
  let drawn = 0
  let drawnAt = 0
  let ticking: NodeJS.Timeout | undefined

  const erase = () => {
    // A `^C` that the terminal echoed may stand in the line.
    if (drawn > 0) io.err(toTerminal(`${OWN_ESCAPE}[G${OWN_ESCAPE}[${drawn}A${OWN_ESCAPE}[J`))
    drawn = 0
  }
  const draw = () => {
    if (lines.length === 0) return
    const most = Math.max(20, (io.columns ?? 80) - 1)
    io.err(toTerminal(`${lines.map(({ text }) => cut(text(), most)).join('\n')}\n`))
    drawn = lines.length
    drawnAt = performance.now()
    if (lines.every(({ ended }) => ended)) {
      lines = []
      drawn = 0
      clearInterval(ticking)
      ticking = undefined
      return
    }
    // Time goes on while nothing moves.
    ticking ??= setInterval(() => {
      erase()
      draw()
    }, 1000).unref()
  }
  return {
    above(write: () => void) {
      if (!moving) return write()
      erase()
      write()
      draw()
    },
    add({ label, total, unit, leftMs }: BarOptions): Bar {
      const startedAt = performance.now()
      let state = { done: 0, note: '' }
      const line: Line = {
        ended: false,
        text() {
          if (total === undefined) return `${label}  ${grouped(state.done)} ${unit ?? ''}`
          const share = total === 0 ? 1 : Math.min(1, state.done / total)
          const full = Math.round(share * CELLS)
          const cells = paint('green', '█'.repeat(full)) + paint('dim', '░'.repeat(CELLS - full))
          const elapsedMs = performance.now() - startedAt
          const left = line.ended
            ? undefined
            : (leftMs?.(state.done) ??
              (share > 0.02 && elapsedMs > 2000 ? (elapsedMs * (1 - share)) / share : undefined))
          const figures = unit === undefined ? '' : `${grouped(state.done)}/${grouped(total)} ${unit}`
          return [
            label,
            cells,
            `${String(Math.floor(share * 100)).padStart(3)}%`,
            figures,
            left !== undefined && left > 1500 ? `about ${duration(left)} left` : '',
            state.note,
          ]
            .filter((part) => part !== '')
            .join('  ')
        },
      }
      lines.push(line)
      erase()
      draw()
      return {
        update(done, note) {
          state = { done, note: note ?? state.note }
          if (performance.now() - drawnAt < FRAME_MS) return
          erase()
          draw()
        },
        end(note) {
          if (line.ended) return
          state = { ...state, note: note ?? state.note }
          line.ended = true
          erase()
          draw()
        },
      }
    },
  }
}

function plainBar(options: BarOptions, line: (text: string) => void): Bar {
  const { label, total, unit, leftMs } = options
  if (total === undefined) return countingBar(options, line)
  const estimate = leftMs?.(0)
  if (estimate !== undefined && estimate > 1500) line(`${label}: about ${duration(estimate)}`)
  let quarter = 0
  let last = 0
  return {
    update(done) {
      last = done
      const now = total === 0 ? 0 : Math.floor((done / total) * 4)
      if (now <= quarter || now >= 4) return
      quarter = now
      line(`${label}: ${now * 25}%${unit === undefined ? '' : ` (${grouped(done)} of ${grouped(total)} ${unit})`}`)
    },
    end(note) {
      const figure = unit === undefined ? '' : `${grouped(last)} of ${grouped(total)} ${unit}`
      const rest = [figure, note ?? ''].filter((part) => part !== '').join(', ')
      line(`${label}: ${rest === '' ? 'done' : rest}`)
    },
  }
}

/** Says the figure once, when it is final. */
function countingBar({ label, unit = '' }: BarOptions, line: (text: string) => void): Bar {
  let last = 0
  return {
    update(done) {
      last = done
    },
    end: () => line(`${label}: ${grouped(last)} ${unit}`),
  }
}

/** Cuts what would break the line; a cut line loses its colours. */
function cut(text: string, most: number): string {
  return widthOf(text) <= most ? text : printable(withoutColours(text)).slice(0, most)
}
