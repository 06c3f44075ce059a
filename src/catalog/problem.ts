/** A rule's result for one text, before it becomes a finding with a place. */
import type { Finding } from './finding.ts'

/** A problem in one text. `message` continues a sentence that begins with the key. */
export type Problem = Pick<Finding, 'rule' | 'severity' | 'message'>

export function error(rule: Finding['rule'], message: string): Problem {
  return { rule, severity: 'error', message }
}

export function warning(rule: Finding['rule'], message: string): Problem {
  return { rule, severity: 'warning', message }
}

/** Formats names as `{a}, {b}`. */
export function showNames(names: readonly string[]): string {
  return names.map((name) => `{${name}}`).join(', ')
}
