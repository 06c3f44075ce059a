/** Whole numbers as a person reads them. Not by `toLocaleString`, whose first call takes ten milliseconds. */

/** `12,034`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 text`, `12,034 texts`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : plural}`
}
