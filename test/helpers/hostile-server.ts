/** Answers no honest server gives. For use with `startServer`. */
import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { expect } from 'vitest'
import { ApiError, type ApiErrorCode } from '../../src/client.ts'
import { API_KEY, PERSONAL_TOKEN } from './api-client.ts'

/** Writes these bytes and nothing else, then closes the connection. */
export function sendRaw(response: ServerResponse, ...lines: string[]): void {
  response.socket?.end(lines.join('\r\n'))
}

/** Writes these bytes, then resets the connection. */
export function sendAndReset(response: ServerResponse, ...lines: string[]): void {
  const { socket } = response
  if (lines.length === 0) socket?.resetAndDestroy()
  else socket?.write(lines.join('\r\n'), () => socket.resetAndDestroy())
}

/** One byte now and then, for ever. */
export function trickle(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 5)
  response.on('close', () => clearInterval(timer))
}

/** Everything a person or a log can see of an error, its causes included. */
export function everythingOf(error: unknown): string {
  const seen = [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error), String(error)]
  for (let at = error; at instanceof Error; at = at.cause) {
    seen.push(at.stack ?? '', JSON.stringify(at), JSON.stringify(Object.getOwnPropertyDescriptors(at)))
  }
  return seen.join('\n')
}

/** Waits for the rejection, checks its code, and that it shows no secret in any way. */
export async function expectApiError(promise: Promise<unknown>, code: ApiErrorCode): Promise<ApiError> {
  const error = await promise.then(
    (value) => expect.fail(`resolved with ${inspect(value)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ApiError)) throw error
  expect(error.code, error.message).toBe(code)
  const all = everythingOf(error)
  for (const secret of [API_KEY, PERSONAL_TOKEN]) expect(all.split(secret)).toHaveLength(1)
  expect(error.serviceMessage?.length ?? 0).toBeLessThanOrEqual(200)
  return error
}
