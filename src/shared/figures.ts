/** Formats numbers without `toLocaleString`, whose first call takes 10 milliseconds. */

/** For example `12,034`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** For example `1 text` or `12,034 texts`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : plural}`
}

/** For example `97.5%`. Returns 100% only if nothing is missing, and 0% only if everything is. */
export function percent(share: number): string {
  if (share >= 1) return '100%'
  const tenths = Math.floor(share * 1000)
  return `${(share > 0 ? Math.max(1, tenths) : 0) / 10}%`
}
