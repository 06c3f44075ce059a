/** Searches what a build emits for the secrets it was made with. */
import { rm } from 'node:fs/promises'
import { LocalizationError, messageOf } from '../errors.ts'
import { joinPieces, sourceOffset } from './joined-text.ts'

/** Shorter ones would be found everywhere by chance. */
const MIN_SECRET_LENGTH = 6

/** Where pieces are joined, text that has nothing to do with one another meets: there a match must be longer. */
const MIN_JOINED_LENGTH = 8

/** An emitted file that holds a secret, in whatever spelling. */
export interface Leak {
  readonly file: string
  /** Byte offset. */
  readonly offset: number
  /** Of a text file, from 1; the column in characters. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** How the secret is written there: `plain`, `base64`. */
  readonly spelling?: string
  /** The secret as a message may show it. */
  readonly masked?: string
}

export interface OutputFile {
  readonly name: string
  readonly content: string | Uint8Array
}

interface Needle {
  readonly spelling: string
  readonly masked: string
  readonly bytes: Buffer
  /** As it is once pieces are joined and escapes are undone; `undefined`: too short to be looked for there. */
  readonly joined: Buffer | undefined
}

/** The first leak; `undefined`: no file holds one. */
export function findLeak(files: Iterable<OutputFile>, secrets: readonly string[]): Leak | undefined {
  for (const leak of leaksIn(files, secrets)) return leak
  return undefined
}

/** The first leak of each file that has one. */
export function* leaksIn(files: Iterable<OutputFile>, secrets: readonly string[]): Iterable<Leak> {
  const needles = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).flatMap(needlesOf)
  if (needles.length === 0) return
  for (const { name, content } of files) {
    const bytes =
      typeof content === 'string'
        ? Buffer.from(content)
        : Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    const found = search(bytes, needles)
    if (found) {
      const { needle, offset } = found
      yield { file: name, offset, ...placeOf(bytes, offset), spelling: needle.spelling, masked: needle.masked }
    }
  }
}

export function leakError({ file, offset, line, column, spelling, masked }: Leak, done = ''): LocalizationError {
  const place = line === undefined ? `, at byte ${offset}` : `:${line}:${column ?? 1}`
  const which = masked === undefined ? '' : ` (${masked}${spelling === undefined ? '' : `, ${spelling}`})`
  return new LocalizationError(
    `the localization service secret${which} is in the emitted file ${file}${place}${done}`,
    {
      code: 'SECRET_EXPOSED',
      hint: 'Do not publish this output. Find what put the API key or personal token there (define, an environment plugin, an import of a config file), and replace the key.',
    },
  )
}

/** For bundlers that have written their output when it can be searched: removes the files that leak. Says what became of them. */
export async function removeLeaks(leaks: readonly Leak[], pathOf: (file: string) => string): Promise<string> {
  const failures: string[] = []
  for (const { file } of leaks) {
    await rm(pathOf(file), { force: true }).catch((error: unknown) => failures.push(`${file}: ${messageOf(error)}`))
  }
  if (failures.length > 0) return `. It was written and could not be removed: delete it (${failures.join('; ')})`
  return `. It was written and is removed again${leaks.length > 1 ? `, with ${leaks.length - 1} more files that hold it` : ''}`
}

function search(bytes: Buffer, needles: readonly Needle[]): { needle: Needle; offset: number } | undefined {
  for (const needle of needles) {
    const offset = bytes.indexOf(needle.bytes)
    if (offset !== -1) return { needle, offset }
  }
  const joined = joinPieces(bytes)
  for (const needle of needles) {
    const at = needle.joined ? joined.indexOf(needle.joined) : -1
    if (at !== -1) return { needle, offset: sourceOffset(bytes, at) }
  }
  return undefined
}

function placeOf(bytes: Buffer, offset: number): Pick<Leak, 'line' | 'column'> {
  if (bytes.subarray(0, 8000).includes(0)) return {}
  const before = bytes.subarray(0, offset)
  const start = before.lastIndexOf(0x0a) + 1
  let line = 1
  for (let at = before.indexOf(0x0a); at !== -1; at = before.indexOf(0x0a, at + 1)) line++
  return { line, column: before.subarray(start).toString().length + 1 }
}

function needlesOf(secret: string): Needle[] {
  const masked = secret.length < 12 ? '***' : `${secret.slice(0, 2)}***`
  const spellings = new Map<string, string>()
  for (const [spelling, text] of spellingsOf(secret)) {
    if (text.length >= MIN_SECRET_LENGTH && !spellings.has(text)) spellings.set(text, spelling)
  }
  return [...spellings].map(([text, spelling]) => {
    const bytes = Buffer.from(text)
    const joined = joinPieces(bytes)
    return { spelling, masked, bytes, joined: joined.length < MIN_JOINED_LENGTH ? undefined : joined }
  })
}

/** What people and tools make of a secret. Escapes of single characters are undone before the search and need no spelling here. */
function* spellingsOf(secret: string): Iterable<[spelling: string, text: string]> {
  const bytes = Buffer.from(secret)
  const reversed = reverse(secret)
  yield ['plain', secret]
  yield ['URL-encoded', encodeURIComponent(secret)]
  yield ['JSON-escaped', JSON.stringify(secret).slice(1, -1)]
  yield ['reversed', reversed]
  for (const text of [secret, reversed]) {
    for (const own of base64Of(text)) {
      yield ['base64', own]
      yield ['base64url', own.replaceAll('+', '-').replaceAll('/', '_')]
      yield ['base64, reversed', reverse(own)]
    }
  }
  yield ['hex', bytes.toString('hex')]
  yield ['hex', bytes.toString('hex').toUpperCase()]
  yield ['UTF-16', [...bytes].map((byte) => `${String.fromCharCode(byte)}\0`).join('')]
  yield ['character codes', [...bytes].join(',')]
  yield ['character codes', [...bytes].map((byte) => `0x${byte.toString(16)}`).join(',')]
}

/** At each of the three alignments that it can have inside a longer text. */
function base64Of(secret: string): string[] {
  return [0, 1, 2].map((shift) => {
    const bytes = Buffer.from('\0'.repeat(shift) + secret)
    // Characters at both ends depend on the neighbours: only those in between are the secret's own.
    return bytes
      .toString('base64')
      .replaceAll('=', '')
      .slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === 0 ? undefined : -1)
  })
}

function reverse(text: string): string {
  return [...text].reverse().join('')
}
