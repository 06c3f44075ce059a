/** Tokens: random, found by digest, compared in constant time. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Letters and digits, which need no escaping in headers, addresses and shells. */
export function randomToken(): string {
  return randomBytes(20).toString('hex')
}

export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

export function isSameToken(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
