/** Parsers of option values. A value that they refuse is wrong usage. */
import { InvalidArgumentError } from 'commander'

/** Gathers the values of a repeatable option. */
export function collect(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value]
}

export type Pairs<T> = readonly (readonly [name: string, value: T])[]

/** Gathers `name=value` of a repeatable option, split at its first or its last `=`. */
export function collectPairs<T>(parse: (value: string) => T, split: 'indexOf' | 'lastIndexOf' = 'indexOf') {
  return (pair: string, previous: Pairs<T> = []): Pairs<T> => {
    const at = pair[split]('=')
    if (at <= 0) throw new InvalidArgumentError('It is name=value.')
    return [...previous, [pair.slice(0, at), parse(pair.slice(at + 1))]]
  }
}

export function wholeNumber(value: string): number {
  if (!/^\d{1,12}$/.test(value)) throw new InvalidArgumentError('It is a whole number.')
  return Number(value)
}

export function portNumber(value: string): number {
  const port = wholeNumber(value)
  if (port > 65_535) throw new InvalidArgumentError('A port is at most 65535; 0 takes a free one.')
  return port
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }

/** Milliseconds of `90`, `90s`, `5min`, `2h`. */
export function durationMs(value: string): number {
  const [, figure, unit = 's'] = /^(\d{1,6})(s|min|m|h)?$/.exec(value) ?? []
  if (figure === undefined) throw new InvalidArgumentError('It is a time such as 90s, 5min or 2h.')
  return Number(figure) * (UNITS_MS[unit] ?? 0)
}
