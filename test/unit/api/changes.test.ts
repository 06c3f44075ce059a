/** The times of a service's texts. */
import { afterEach, expect, test, vi } from 'vitest'
import { modifiedAt } from '../../../src/api/changes.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test.each([
  // In Berlin, this time does not exist.
  ['2026-03-29T02:30:00', Date.UTC(2026, 2, 29, 2, 30)],
  ['2026-01-01T00:00:00.5Z', Date.UTC(2026, 0, 1) + 500],
  ['2026-01-01T01:00:00+01:00', Date.UTC(2026, 0, 1)],
  ['soon', undefined],
  [undefined, undefined],
])('%s, in any time zone', (lastModifiedAt, time) => {
  const text = { key: 'a', language: 'en', text: '', lastModifiedAt }
  for (const zone of ['Europe/Berlin', 'UTC']) {
    vi.stubEnv('TZ', zone)
    expect(modifiedAt(text as never)).toBe(time)
  }
})
