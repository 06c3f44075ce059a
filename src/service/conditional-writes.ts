/** Conditional writes: `If-Match` and `If-None-Match` (RFC 9110, section 13.1). An extension, not in the contract. */
import type { ServiceContext, ServiceRequest } from './context.ts'
import { badRequest, HttpError } from './http-error.ts'
import type { WriteCondition } from './set-text.ts'

/** The response header that announces the extension. */
export const CONDITIONAL_WRITES = ['Conditional-Writes', 'text-digest=sha-256'] as const

/**
 * Returns the condition from the request's headers, or `undefined` if there is none or if the extension is switched
 * off.
 */
export function readCondition({ features }: ServiceContext, c: ServiceRequest): WriteCondition | undefined {
  const ifMatch = c.req.header('if-match')
  const ifNoneMatch = c.req.header('if-none-match')
  if (!features.conditionalWrites || (ifMatch === undefined && ifNoneMatch === undefined)) return undefined
  const expected = ifMatch === undefined ? undefined : parseIfMatch(ifMatch)
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
    throw badRequest('If-None-Match must be *, which means that the text must not exist.')
  }
  return ({ digest, isEmpty }) => {
    const isExpected = expected === undefined || (expected === '*' ? !isEmpty : expected.has(digest))
    if (isExpected && (ifNoneMatch === undefined || isEmpty)) return
    throw new HttpError(
      412,
      'PRECONDITION_FAILED',
      "Nothing was written: the service's text differs from the expected one. Read it again before you retry.",
    )
  }
}

const ENTITY_TAG = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g

/** Returns the strong tags. Weak tags are valid, but never match. */
function parseIfMatch(value: string): '*' | ReadonlySet<string> {
  if (value.trim() === '*') return '*'
  const digests = new Set<string>()
  // NUL marks a parsed tag, because headers cannot contain NUL.
  const rest = value.replace(ENTITY_TAG, (_, weak: string | undefined, digest: string) => {
    if (weak === undefined) digests.add(digest)
    return '\0'
  })
  const items = rest.split(',').map((item) => item.trim())
  if (!items.includes('\0') || items.some((item) => item !== '' && item !== '\0')) {
    throw badRequest('If-Match is malformed: expected *, or comma-separated digests in double quotes.')
  }
  return digests
}
