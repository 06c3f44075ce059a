/** Formats numbers and names for people. */
import type { TextRef } from '../../catalog/text-id.ts'

export function figure(value: number): string {
  return value.toLocaleString('en')
}

/** Such as `1 text` or `12,034 texts`. */
export function count(value: number, noun: string): string {
  return `${figure(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Never 100% as long as something is missing. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–'
  return `${part === whole ? 100 : Math.min(99, Math.floor((part / whole) * 100))}%`
}

/** Such as `14:03:05`, with the date if it is not today's. */
export function time(at: number): string {
  const date = new Date(at)
  const clock = date.toLocaleTimeString('en-GB')
  return date.toDateString() === new Date().toDateString() ? clock : `${date.toLocaleDateString('en-CA')} ${clock}`
}

export function textName({ language, namespace, key, customer }: TextRef): string {
  return `${language}/${namespace}${customer === undefined ? '' : ` (${customer})`} ${key}`
}
