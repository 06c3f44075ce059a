/** What a failed call means for the texts that it was about, and how long the service is left alone after it. */
import { isApiError } from '../api/errors.ts'

export type SyncFailure =
  /** The service does not want this text: sending it again as it is changes nothing. */
  | 'refused'
  /** The key, the language or the customer does not exist (any longer). */
  | 'missing'
  /** The service has another text than the one that was to be replaced. */
  | 'overtaken'
  /** This one call failed; others may pass. */
  | 'call'
  /** Nothing passes now: no network, no answer, too many requests. */
  | 'down'
  /** Nothing passes until somebody mends the settings. */
  | 'settings'
  /** It was ended on purpose. */
  | 'ended'

export function failureOf(error: unknown): SyncFailure {
  if (!isApiError(error)) return 'settings'
  switch (error.code) {
    case 'API_VALIDATION':
    case 'API_CONFLICT':
    case 'API_TOO_LARGE':
      return 'refused'
    case 'API_NOT_FOUND':
      return 'missing'
    case 'API_PRECONDITION_FAILED':
      return 'overtaken'
    case 'API_SERVER':
      return 'call'
    case 'API_NETWORK':
    case 'API_TIMEOUT':
    case 'API_RATE_LIMIT':
      return 'down'
    case 'API_ABORTED':
      return 'ended'
    default:
      return 'settings'
  }
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000

/**
 * How long to leave the service alone after the `failures`th failure in a row: 50 to 100% of a doubling step, or what
 * it asked for.
 */
export function waitAfter(failures: number, error: unknown, random: () => number): number {
  const asked = isApiError(error) ? (error.retryAfterMs ?? 0) : 0
  const kind = failureOf(error)
  const step =
    kind === 'settings' ? LONGEST_WAIT_MS : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 20))
  return Math.max(asked, step * (0.5 + random() / 2))
}
