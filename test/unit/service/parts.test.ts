/** The service's pure parts. */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { withinLimit } from '../../../src/service/limits.ts'
import { pseudoLocalize } from '../../../src/service/providers.ts'
import { createRateLimiter } from '../../../src/service/rate-limit.ts'
import { readUpload } from '../../../src/service/request.ts'

describe('pseudoLocalize', () => {
  test.each([
    ['Hello {name}', '[Ĥéļļö {name}]'],
    ['{{count}} items', '[{{count}} îţéɱš]'],
    ['{n, plural, one {# file} other {# files}} left', '[{n, plural, one {# file} other {# files}} ļéƒţ]'],
    ['<b>Bold</b> &amp; %s %(name)s $t(key)', '[<b>Ɓöļð</b> &amp; %s %(name)s $t(key)]'],
    ['an open { brace', '[áñ öþéñ { brace]'.replace('öþéñ', 'öþéñ')],
    ['', ''],
    ['  ', '  '],
    ['😀 1 < 2', '[😀 1 < 2]'],
  ])('%j', (text, expected) => {
    expect(pseudoLocalize(text)).toBe(expected)
  })
})

test('characters are counted as people count them', () => {
  expect(withinLimit('😀😀', 2)).toBe(true)
  expect(withinLimit('abc', 2)).toBe(false)
  expect(withinLimit('abc', -1)).toBe(true)
  expect(withinLimit('', 0)).toBe(true)
})

test('rate limit: a clock that goes backwards gives nothing away and takes nothing', async () => {
  let now = 10_000
  const limit = createRateLimiter({ requestsPerMinute: 60, burst: 1 }, () => now)
  await limit('a')
  now = 0
  await expect(limit('a')).rejects.toThrow()
  now = 1000
  await limit('a')
})

test('an upload whose connection ended before it is read is cut short', async () => {
  const incoming = new IncomingMessage(new Socket())
  incoming.headers['content-type'] = 'multipart/form-data; boundary=b'
  incoming.destroy()
  await expect(readUpload(incoming, 1000, () => undefined)).rejects.toMatchObject({ status: 400 })
})
