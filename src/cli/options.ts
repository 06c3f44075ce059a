/** Parsers of option values; what they refuse is wrong usage. */
import { InvalidArgumentError } from 'commander'
import { parseDuration } from './wait.ts'

export function wholeNumber(value: string): number {
  if (!/^\d{1,12}$/.test(value)) throw new InvalidArgumentError('It is a whole number.')
  return Number(value)
}

export function portNumber(value: string): number {
  const port = wholeNumber(value)
  if (port > 65_535) throw new InvalidArgumentError('A port is at most 65535; 0 takes a free one.')
  return port
}

/** Milliseconds of `90`, `90s`, `5min`, `2h`. */
export function durationMs(value: string): number {
  const ms = parseDuration(value)
  if (ms === undefined) throw new InvalidArgumentError('It is a time such as 90s, 5min or 2h.')
  return ms
}

/** Gathers `name=value` of a repeatable option. The name is what stands before the first `=`. */
export function collectPairs(
  value: string,
  previous: readonly (readonly [string, string])[] | undefined,
): readonly (readonly [string, string])[] {
  const at = value.indexOf('=')
  if (at <= 0) throw new InvalidArgumentError('It is name=value.')
  return [...(previous ?? []), [value.slice(0, at), value.slice(at + 1)]]
}
