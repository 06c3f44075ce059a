/** The service's pure parts. */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { collectParts, joinJson, mergeNamespaces, textsToJson } from '../../../src/service/compose.ts'
import { createFileStore } from '../../../src/service/files.ts'
import { withinLimit } from '../../../src/service/limits.ts'
import { pseudoLocalize } from '../../../src/service/providers/pseudo.ts'
import { createRateLimiter } from '../../../src/service/rate-limit.ts'
import { readUpload } from '../../../src/service/upload.ts'

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

describe('composing files', () => {
  const row = (namespace: string, key: string, text: string) => ({ namespace, key, text, language: 'en', customer: '' })

  test('the default namespace wins, then the first by name', async () => {
    const rows = [row('', 'a', '1'), row('bar', 'a', '2'), row('bar', 'b', '3'), row('zoo', 'b', '4')]
    const parts = await collectParts([rows.slice(0, 2), rows.slice(2)])
    expect(parts).toHaveLength(3)
    expect([...mergeNamespaces(parts)]).toEqual([
      ['a', '1'],
      ['b', '3'],
    ])
  })

  test('every name is a name', () => {
    const json = textsToJson([
      ['__proto__', 'p'],
      ['"', '\u2028'],
    ])
    expect(json).toBe('{"__proto__":"p","\\"":"\u2028"}')
    expect(joinJson([['__proto__', json]])).toBe(`{"__proto__":${json}}`)
    expect(textsToJson([['__proto__.x', 'y']], true)).toBe('{"__proto__":{"x":"y"}}')
  })
})

test('characters are counted as people count them', () => {
  expect(withinLimit('😀😀', 2)).toBe(true)
  expect(withinLimit('abc', 2)).toBe(false)
  expect(withinLimit('abc', -1)).toBe(true)
  expect(withinLimit('', 0)).toBe(true)
})

test('files: the oldest go when there are too many bytes, the latest always stays', () => {
  const files = createFileStore({ lifetimeMs: 1000, now: () => 0, maxBytes: 10 })
  const token = (path: string) => path.replace('files/', '')
  const first = token(files.add('123456'))
  const second = token(files.add('1234'))
  expect(files.get(first)?.toString()).toBe('123456')
  const third = token(files.add('a very long file'))
  expect(files.get(first)).toBe(undefined)
  expect(files.get(second)).toBe(undefined)
  expect(files.get(third)?.toString()).toBe('a very long file')
})

test('rate limit: a clock that goes backwards gives nothing away and takes nothing', () => {
  let now = 10_000
  const limit = createRateLimiter({ requestsPerMinute: 60, burst: 1 }, () => now)
  limit('a')
  now = 0
  expect(() => limit('a')).toThrow()
  now = 1000
  limit('a')
})

test('an upload whose connection ended before it is read is cut short', async () => {
  const incoming = new IncomingMessage(new Socket())
  incoming.headers['content-type'] = 'multipart/form-data; boundary=b'
  incoming.destroy()
  await expect(readUpload(incoming, 1000)).rejects.toMatchObject({ status: 400 })
})
