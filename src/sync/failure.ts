/** Classifies a failed call: what happens to its texts, and the wait before the next call. */
import { type ApiErrorCode, isApiError } from '../api/errors.ts'

/**
 * - `refused`: the service refuses this text. Sending the same text again would fail again.
 * - `missing`: the key, the language or the customer does not exist (any longer).
 * - `overtaken`: the service has another text than the one that was to be replaced.
 * - `call`: this one call failed; others may pass.
 * - `down`: nothing passes now: no network, no answer, too many requests.
 * - `settings`: nothing passes until somebody corrects the settings.
 * - `ended`: the call was ended on purpose.
 */
export type SyncFailure = 'refused' | 'missing' | 'overtaken' | 'call' | 'down' | 'settings' | 'ended'

const FAILURES: Partial<Record<ApiErrorCode, SyncFailure>> = {
  API_VALIDATION: 'refused',
  API_CONFLICT: 'refused',
  API_TOO_LARGE: 'refused',
  API_NOT_FOUND: 'missing',
  API_PRECONDITION_FAILED: 'overtaken',
  API_SERVER: 'call',
  API_NETWORK: 'down',
  API_TIMEOUT: 'down',
  API_RATE_LIMIT: 'down',
  API_ABORTED: 'ended',
}

export function failureOf(error: unknown): SyncFailure {
  return (isApiError(error) && FAILURES[error.code]) || 'settings'
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000

/** 50 to 100% of a step that doubles with each failure in a row, or what the service asked for. */
export function waitAfter(failures: number, error: unknown, random: () => number): number {
  const askedMs = isApiError(error) ? (error.retryAfterMs ?? 0) : 0
  const doubledMs = failureOf(error) === 'settings' ? LONGEST_WAIT_MS : FIRST_WAIT_MS * 2 ** (failures - 1)
  return Math.max(askedMs, Math.min(LONGEST_WAIT_MS, doubledMs) * (0.5 + random() / 2))
}
