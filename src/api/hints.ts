/** The code of an HTTP status, and what to do after a failure. Pure. */
import type { ApiErrorCode } from './errors.ts'

/** The kind of address that was asked: the hint depends on it. */
export type Target = 'project' | 'personal' | 'file' | 'hosting'

const CODES: Readonly<Record<number, ApiErrorCode>> = {
  401: 'API_AUTHENTICATION',
  402: 'API_PLAN',
  403: 'API_AUTHENTICATION',
  404: 'API_NOT_FOUND',
  405: 'API_NOT_FOUND',
  407: 'API_AUTHENTICATION',
  408: 'API_TIMEOUT',
  409: 'API_CONFLICT',
  410: 'API_NOT_FOUND',
  412: 'API_PRECONDITION_FAILED',
  429: 'API_RATE_LIMIT',
}

/** The code for the status of an answer that is no success. */
export function codeOfStatus(status: number): ApiErrorCode {
  if (status < 300) return 'API_UNEXPECTED_ANSWER'
  if (status < 400) return 'API_REDIRECT'
  return status < 500 ? (CODES[status] ?? 'API_VALIDATION') : 'API_SERVER'
}

const EXPIRED = 'The address of an exported file expires: export again.'

/** A hint for every target, or one for each; `other` is for the targets that are not named. */
const HINTS: Partial<Record<ApiErrorCode, string | (Partial<Record<Target, string>> & { other?: string })>> = {
  API_AUTHENTICATION: {
    file: EXPIRED,
    hosting: 'Check the hosting settings of the project and `service.cdnUrl`.',
    personal: 'Check `service.personalToken` or LOCALIZATION_PERSONAL_TOKEN.',
    project: 'Check `service.apiKey` or LOCALIZATION_API_KEY, and `service.tokenHeader`.',
  },
  API_PLAN: "The project's plan does not include this call.",
  API_NOT_FOUND: {
    file: EXPIRED,
    hosting: 'Publish the environment first, or check `service.projectToken` and `environment`.',
    other: 'Check the name that was asked for, and `service.baseUrl` or LOCALIZATION_BASE_URL.',
  },
  API_CONFLICT: 'Wait until the running request has ended, then repeat.',
  API_PRECONDITION_FAILED: 'Somebody else changed it: read it again, and decide again.',
  API_RATE_LIMIT: 'Wait, or set `service.requestsPerMinute` below the limit of the service.',
  API_SERVER: 'The service has a fault of its own: try again later.',
  API_NETWORK: {
    hosting: 'Check the network and `service.cdnUrl` or LOCALIZATION_CDN_URL.',
    other: 'Check the network, the proxy settings, and `service.baseUrl` or LOCALIZATION_BASE_URL.',
  },
  API_TIMEOUT: 'Try again, or raise `service.timeoutMs`.',
  API_UNEXPECTED_ANSWER: {
    file: 'Export again; if it comes again, the fault is with the service.',
    hosting: 'Check that `service.cdnUrl` is the address of the published files.',
    other: 'Check that `service.baseUrl` is the address of the service and not of a login page or proxy.',
  },
  API_TOO_LARGE: 'Raise `maxBytes` if the file is really that large.',
  API_REDIRECT: {
    project: 'Set `service.baseUrl` to the address it redirects to, if you trust it.',
    personal: 'Set `service.baseUrl` to the address it redirects to, if you trust it.',
  },
}

export function hintOf(code: ApiErrorCode, target: Target): string | undefined {
  const hint = HINTS[code]
  return typeof hint === 'object' ? (hint[target] ?? hint.other) : hint
}
