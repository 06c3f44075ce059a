import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findLeak, leakError, leaksIn, removeLeaks } from '../../../src/plugin/secret-scan.ts'
import { tempFolder } from '../../helpers/temp.ts'
import '../../helpers/seed.ts'

const SECRET = 'canary/+key?"7f3a91'

const file = (content: string | Uint8Array) => [
  { name: 'clean.js', content: 'export default 1' },
  { name: 'main.js', content },
]
const spellingOf = (content: string | Uint8Array, secret = SECRET) => findLeak(file(content), [secret])?.spelling

const base64 = Buffer.from(`key=${SECRET};`).toString('base64')

/** Each is a way for a program, or what stores one, to hold the secret. */
const SPELLINGS: [name: string, content: string | Uint8Array, spelling: string][] = [
  ['plain', SECRET, 'plain'],
  ['URL-encoded', encodeURIComponent(SECRET), 'URL-encoded'],
  ['in a JSON text', JSON.stringify(SECRET), 'JSON-escaped'],
  ['as bytes', Buffer.from(`x${SECRET}`), 'plain'],
  ['in base64', base64, 'base64'],
  ['in hex', `"${Buffer.from(SECRET).toString('hex')}"`, 'hex'],
  ['in upper-case hex', `"${Buffer.from(SECRET).toString('hex').toUpperCase()}"`, 'hex'],
]

describe('findLeak', () => {
  it.each(SPELLINGS)('finds it %s', (_, content, spelling) => {
    expect(findLeak(file(content), [SECRET])).toMatchObject({ file: 'main.js', spelling })
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
    expect(findLeak(file(whole.subarray(0, SECRET.length)), [SECRET])).toMatchObject({ file: 'main.js', offset: 0 })
  })

  it('says where: line and column of a text, the byte of anything else', () => {
    expect(findLeak(file(`a\nż = "${SECRET}"`), [SECRET])).toMatchObject({ offset: 8, line: 2, column: 6 })
    const binary = findLeak(file(Buffer.from(`\0\n${SECRET}`)), [SECRET])
    expect(binary).toMatchObject({ offset: 2 })
    expect(binary).not.toHaveProperty('line')
  })

  it('finds nothing where there is nothing, and looks for nothing that is too short', () => {
    expect(findLeak(file('x'.repeat(1000)), [SECRET])).toBeUndefined()
    expect(findLeak(file('abc'), ['abc'])).toBeUndefined()
    expect(findLeak(file('anything'), [])).toBeUndefined()
  })

  it('takes any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(findLeak(file(bytes), [SECRET])).toBeUndefined()
        expect(spellingOf(Buffer.concat([bytes, Buffer.from([0]), Buffer.from(SECRET)]))).toBe('plain')
      }),
    )
  })

  it('gives the first leak of each file', () => {
    const files = [...file(SECRET + SECRET), { name: 'main.js.map', content: SECRET }]
    expect([...leaksIn(files, [SECRET, 'another'])].map((leak) => leak.file)).toEqual(['main.js', 'main.js.map'])
  })
})

describe('leakError', () => {
  it('names file and place, and does not repeat the secret', () => {
    const leak = findLeak(file(`\n  "${SECRET}"`), [SECRET])
    if (!leak) throw new Error('no leak')
    const { message, code } = leakError(leak)
    expect(code).toBe('SECRET_EXPOSED')
    expect(message).toContain('service (ca***, plain): main.js:2:4')
    expect(message).not.toContain(SECRET)
    const short = findLeak(file('shortkey'), ['shortkey'])
    expect(short?.masked).toBe('***')
    expect(leakError({ file: 'assets/main.js', offset: 12 }).message).toContain('assets/main.js, at byte 12')
  })
})

describe('removeLeaks', () => {
  it('removes what leaks, leaves the rest, and says what it could not remove', async () => {
    const folder = await tempFolder()
    for (const name of ['main.js', 'main.js.map', 'clean.js']) await writeFile(join(folder, name), 'x')
    await mkdir(join(folder, 'folder'))
    const leaks = ['main.js', 'main.js.map'].map((name) => ({ file: name, offset: 0 }))
    expect(removeLeaks(leaks, (name) => join(folder, name))).toContain('Removed the file and 1 more')
    expect((await readdir(folder)).sort()).toEqual(['clean.js', 'folder'])
    expect(removeLeaks([{ file: 'folder', offset: 0 }], (name) => join(folder, name))).toContain(
      'Could not remove the file; delete it yourself (folder: ',
    )
  })
})
