import { expect, test } from 'vitest'
import { apiAddress, parseFileAddress } from '../../../src/api/address.ts'
import { excerpt, redactAddress, redactText, redactThrown } from '../../../src/api/redact.ts'
import { isLoopbackHost } from '../../../src/shared/loopback.ts'

test.each([
  ['http://localhost/', true],
  ['http://app.localhost:80/', true],
  ['http://127.8.9.1/', true],
  ['http://[::1]:3/', true],
  ['http://2130706433/', true],
  ['http://128.0.0.1/', false],
  ['http://localhost.example/', false],
  ['http://127.0.0.1.example/', false],
  ['http://[::2]/', false],
  ['http://0.0.0.0/', false],
])('%s is on this machine: %s', (address, expected) => {
  expect(isLoopbackHost(new URL(address).hostname)).toBe(expected)
})

test('an address or a redirect from elsewhere does not lead to this machine, one from this machine may', () => {
  const code = expect.objectContaining({ code: 'API_ORIGIN' })
  for (const to of ['http://127.0.0.1/x', 'https://localhost/x', 'http://[::1]/x']) {
    expect(() => parseFileAddress(to, new URL('https://files.example/a'))).toThrow(code)
    expect(parseFileAddress(to, new URL('http://127.0.0.1/a')).href).toBe(to)
  }
  const from = new URL('https://files.example/a/c')
  expect(parseFileAddress('../b', from, from).href).toBe('https://files.example/b')
  expect(() => parseFileAddress('../b', from)).toThrow(code)
})

test('a query repeats arrays, leaves out what is undefined, keeps what is empty', () => {
  const query = { a: ['x', 'y z'], b: undefined, c: '', d: 0, e: [] }
  expect(apiAddress(new URL('https://h/app/'), '/api/x', query).href).toBe('https://h/app/api/x?a=x&a=y+z&c=&d=0')
})

test('an address is shown without user, fragment and unknown query values', () => {
  const url = new URL('https://user:pass@h:8/p/t0ken-x?key=a b&X-Signature=s3cr3t#frag')
  expect(redactAddress(url, ['t0ken-x'])).toBe('https://h:8/p/***?key=a%20b&X-Signature=***')
  expect(redactAddress(new URL('https://h/p?downloadOptions=A&downloadOptions=B'))).toBe(
    'https://h/p?downloadOptions=A&downloadOptions=B',
  )
})

test('a secret is replaced as it is, percent-encoded and in base64; a word of three letters is no secret', () => {
  const secret = 'a/b+c=d?'
  const text = `${secret} ${encodeURIComponent(secret)} ${Buffer.from(secret).toString('base64')} abc`
  expect(redactText(text, [secret, 'abc'])).toBe('*** *** *** abc')
})

test('an excerpt is one line of 200 characters without terminal escapes', () => {
  expect(excerpt('a\n\u001b[31mb\r\n\tc', [])).toBe('a [31mb c')
  expect(excerpt('x'.repeat(500), [])).toHaveLength(200)
})

test('what was thrown is copied with its chain, without fields of its own and without secrets', () => {
  const inner = Object.assign(new Error('inner s3cr3t'), {
    code: 'ECONNRESET',
    request: { headers: { token: 's3cr3t' } },
  })
  const outer = new TypeError('outer s3cr3t', { cause: new AggregateError([inner], 'both') })
  const copy = redactThrown(outer, ['s3cr3t']) as Error & { cause: Error & { cause: Error } }
  expect([copy.name, copy.message, copy.cause.message]).toEqual(['TypeError', 'outer ***', 'both'])
  expect(copy.cause.cause).toMatchObject({ message: 'inner ***', code: 'ECONNRESET' })
  expect(Object.keys(copy.cause.cause)).toEqual(['code'])
  expect(copy.stack).not.toContain('s3cr3t')
  const loop = new Error('loop')
  loop.cause = loop
  expect(redactThrown(loop, [])).toBeInstanceOf(Error)
})
