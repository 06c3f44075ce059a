/** Formats whole numbers. `toLocaleString` would take 10 milliseconds at its first call. */

/** Formats a number, as in `12,034`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Formats a number with its unit, as in `1 text` and `12,034 texts`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : plural}`
}

/** Formats a share, as in `97.5%`. Returns 100% only if nothing is missing, and 0% only if everything is. */
export function percent(share: number): string {
  if (share >= 1) return '100%'
  const tenths = Math.floor(share * 1000)
  return `${(share > 0 ? Math.max(1, tenths) : 0) / 10}%`
}
