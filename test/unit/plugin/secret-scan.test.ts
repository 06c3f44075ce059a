import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
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

const escapedWith = (encode: (code: number) => string) =>
  [...SECRET].map((char, i) => (i % 3 === 1 ? encode(char.charCodeAt(0)) : JSON.stringify(char).slice(1, -1))).join('')
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')
const pieces = [SECRET.slice(0, 4), SECRET.slice(4, 5), SECRET.slice(5, 13), SECRET.slice(13)].map((piece) =>
  JSON.stringify(piece),
)
const base64 = Buffer.from(`key=${SECRET};`).toString('base64')

/** Each is a way for a program, or what stores one, to hold the secret. */
const SPELLINGS: [name: string, content: string | Uint8Array, spelling: string][] = [
  ['plain', SECRET, 'plain'],
  ['URL-encoded', encodeURIComponent(SECRET), 'URL-encoded'],
  ['wholly percent-encoded', [...Buffer.from(SECRET)].map((byte) => `%${hex(byte, 2)}`).join(''), 'plain'],
  ['in a JSON text', JSON.stringify(SECRET), 'JSON-escaped'],
  ['in a JSON text in a JSON text', JSON.stringify(JSON.stringify(SECRET)), 'plain'],
  ['as bytes', Buffer.from(`x${SECRET}`), 'plain'],
  ['as UTF-16', Buffer.from(`x${SECRET}`, 'utf16le'), 'UTF-16'],
  ['reversed', `"${[...SECRET].reverse().join('')}".split("").reverse()`, 'reversed'],
  ['in hex', `"${Buffer.from(SECRET).toString('hex')}"`, 'hex'],
  ['in upper-case hex', `"${Buffer.from(SECRET).toString('hex').toUpperCase()}"`, 'hex'],
  ['in base64, reversed', [...base64].reverse().join(''), 'base64, reversed'],
  ['in base64 of the reversed', Buffer.from([...SECRET].reverse().join('')).toString('base64'), 'base64'],
  ['in base64, broken into lines', base64.replace(/.{7}/g, '$&\r\n'), 'base64'],
  ['with \\x escapes', `"${escapedWith((code) => `\\x${hex(code, 2)}`)}"`, 'plain'],
  ['with \\X digits', `"${escapedWith((code) => `\\x${hex(code, 2).toUpperCase()}`)}"`, 'plain'],
  ['with \\u escapes', `"${escapedWith((code) => `\\u${hex(code, 4)}`)}"`, 'plain'],
  ['with \\u{} escapes', `"${escapedWith((code) => `\\u{${hex(code, 1)}}`)}"`, 'plain'],
  ['with octal escapes', `"${escapedWith((code) => `\\${code.toString(8)}`)}"`, 'plain'],
  ['with references', `<p title="${escapedWith((code) => `&#${code};`)}">`, 'plain'],
  ['with hexadecimal references', `<p title="${escapedWith((code) => `&#x${hex(code, 1)};`)}">`, 'plain'],
  ['in pieces', pieces.join(' + '), 'plain'],
  ['in pieces on lines', pieces.join('\n    + '), 'plain'],
  ['in pieces in brackets', `(${pieces[0]} + (${pieces[1]} + ${pieces[2]})) + ${pieces[3]}`, 'plain'],
  ['in pieces, concat', `${pieces[0]}.concat(${pieces[1]}, ${pieces[2]}).concat(${pieces[3]})`, 'plain'],
  ['in pieces, join', `[${pieces.join(',')}].join("")`, 'plain'],
  ['in a template', `\`\${${pieces[0]}}\${${pieces[1]}}${SECRET.slice(5, 13)}\${ ${pieces[3]} }\``, 'plain'],
  ['in pieces in a source map', JSON.stringify({ sourcesContent: [`const a =\n  ${pieces.join(' +\n\t')}`] }), 'plain'],
  ['as characters', `[${[...SECRET].map((char) => JSON.stringify(char)).join(', ')}].join('')`, 'plain'],
  ['as character codes', `String.fromCharCode(${[...Buffer.from(SECRET)].join(', ')})`, 'character codes'],
  ['as a byte array', `new Uint8Array([${[...Buffer.from(SECRET)].map((b) => `0x${hex(b, 2)}`)}])`, 'character codes'],
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

  it('finds it wherever it is cut, and in what a minifier makes of that', () => {
    const cuts = fc.array(fc.integer({ min: 0, max: SECRET.length }), { maxLength: 6 })
    const signs = fc.constantFrom(' + ', '+', '\n+', ').concat(')
    fc.assert(
      fc.property(cuts, signs, (at, sign) => {
        const ends = [...new Set([0, ...at, SECRET.length])].sort((a, b) => a - b)
        const parts = ends.slice(1).map((end, i) => JSON.stringify(SECRET.slice(ends[i], end)))
        const code = `globalThis.x = (${parts.join(sign)})\n`
        expect(spellingOf(code)).toBeDefined()
        expect(spellingOf(transformSync(code, { minify: true }).code)).toBeDefined()
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
    expect(findLeak(file(`a\nb\n  "can"\n+ ${JSON.stringify(SECRET.slice(3))}`), [SECRET])).toMatchObject({
      line: 3,
      column: 4,
    })
    expect(findLeak(file(`a\n"%63${SECRET.slice(1)}"`), [SECRET])).toMatchObject({ line: 2, column: 2 })
    const binary = findLeak(file(Buffer.from(`\0\n${SECRET}`)), [SECRET])
    expect(binary).toMatchObject({ offset: 2 })
    expect(binary).not.toHaveProperty('line')
  })

  it('finds nothing where there is nothing, and looks for nothing that is too short', () => {
    expect(findLeak(file('x'.repeat(1000)), [SECRET])).toBeUndefined()
    expect(findLeak(file('abc'), ['abc'])).toBeUndefined()
    expect(findLeak(file('anything'), [])).toBeUndefined()
    // Six and seven characters are found as they are, and not in words that happen to stand side by side.
    expect(spellingOf('it came to pass', 'metopa')).toBeUndefined()
    expect(spellingOf('a metopa', 'metopa')).toBe('plain')
    // Broken escapes are no escapes, also at the very end.
    for (const text of ['\\', '%', '%4', '\\x', '\\u', '\\u{', '&#', '&#x', '&#99999999;', '\\u{ffffffff}', '\\9']) {
      expect(spellingOf(text)).toBeUndefined()
    }
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
    expect(message).toContain('secret (ca***, plain) is in the emitted file main.js:2:4')
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
    expect(await removeLeaks(leaks, (name) => join(folder, name))).toContain('removed again, with 1 more')
    expect((await readdir(folder)).sort()).toEqual(['clean.js', 'folder'])
    expect(await removeLeaks([{ file: 'folder', offset: 0 }], (name) => join(folder, name))).toContain(
      'could not be removed: delete it (folder: ',
    )
  })
})
