import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findLeak, leakError } from '../../../src/plugin/guard.ts'

const SECRET = 'canary/+key?"7f3a91'

const file = (content: string | Uint8Array) => [
  { name: 'clean.js', content: 'export default 1' },
  { name: 'main.js', content },
]

describe('findLeak', () => {
  it.each([
    ['plain', SECRET],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['in a JSON text', JSON.stringify(SECRET)],
    ['as bytes', Buffer.from(`x${SECRET}`)],
  ])('finds it %s', (_, content) => {
    expect(findLeak(file(content), [SECRET])?.file).toBe('main.js')
  })

  it('finds it in base64, whatever stands around it', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.constantFrom('base64' as const, 'base64url' as const), (a, b, kind) => {
        const content = `const x = "${Buffer.from(a + SECRET + b).toString(kind)}"`
        expect(findLeak(file(content), [SECRET])?.file).toBe('main.js')
      }),
    )
  })

  it('finds it in a part of a larger buffer, and not beside it', () => {
    const whole = Buffer.from(`${SECRET}....clean`)
    expect(findLeak(file(whole.subarray(SECRET.length)), [SECRET])).toBeUndefined()
    expect(findLeak(file(whole.subarray(0, SECRET.length)), [SECRET])).toEqual({ file: 'main.js', offset: 0 })
  })

  it('finds nothing where there is nothing, and looks for nothing that is too short', () => {
    expect(findLeak(file('x'.repeat(1000)), [SECRET])).toBeUndefined()
    expect(findLeak(file('abc'), ['abc'])).toBeUndefined()
    expect(findLeak(file('anything'), [])).toBeUndefined()
  })

  it('gives an error that does not repeat it', () => {
    const { message, code } = leakError({ file: 'assets/main.js', offset: 12 })
    expect(code).toBe('SECRET_EXPOSED')
    expect(message).toContain('assets/main.js, at byte 12')
    expect(message).not.toContain(SECRET)
  })
})
