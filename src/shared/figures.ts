/** Formats lists, and numbers without `toLocaleString`, whose first call takes 10 milliseconds. */

/** For example `12,034`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** For example `1 text` or `12,034 texts`. */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : plural}`
}

/** For example `a, b, c and 2 more`. */
export function listed(items: readonly string[], joint = ', '): string {
  const more = items.length > LISTED ? ` and ${items.length - LISTED} more` : ''
  return items.slice(0, LISTED).join(joint) + more
}

const LISTED = 3

/** For example `97.5%`. Returns 100% only if nothing is missing, and 0% only if everything is. */
export function percent(share: number): string {
  if (share >= 1) return '100%'
  const tenths = Math.floor(share * 1000)
  return `${(share > 0 ? Math.max(1, tenths) : 0) / 10}%`
}

/** For example `300 B`, `2.4 KB`, `12 KB` or `1.5 MB`. One KB is 1000 bytes. */
export function formatSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 999_500 ? `${(bytes / 1_000).toFixed(bytes < 9_950 ? 1 : 0)} KB` : `${(bytes / 1e6).toFixed(1)} MB`
}
