/** Everything that a command prints beside its result: messages and progress on standard error. Decides on colours. */

import { isContinuousIntegration } from '../config/env.ts'
import type { Logger } from '../logger.ts'
import { type Bar, type BarOptions, createPlainBar, MovingBars, SILENT_BAR } from './bars.ts'
import type { CliIo } from './io.ts'
import { coloured, type Paint, plain, toTerminal } from './text.ts'

export interface OutputSettings {
  readonly quiet?: boolean
  readonly verbose?: boolean
  readonly color: boolean
}

export interface Output {
  /** For results: standard output. */
  readonly paint: Paint
  /** For messages: standard error. */
  readonly talk: Paint
  /** Prints a message. Nothing with `--quiet`. */
  say(line: string): void
  /** Prints a warning, also with `--quiet`. */
  warn(line: string): void
  /** A bar on a terminal; elsewhere a line at every quarter. */
  bar(options: BarOptions): Bar
  /** For the code that a command calls. */
  readonly logger: Logger
}

export function createOutput(io: CliIo, { color, quiet, verbose }: OutputSettings): Output {
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
    paint: paintFor(io.outTty),
    talk,
    say(text) {
      if (!quiet) print(text)
    },
    warn,
    bar: (options) => (quiet ? SILENT_BAR : (bars?.add(options) ?? createPlainBar(options, print))),
    logger: {
      debug: (message) => verbose && print(talk('dim', message)),
      info: (message) => verbose && print(message),
      warn,
      error: (message) => print(`${talk('red', 'error:')} ${message}`),
    },
  }
}
