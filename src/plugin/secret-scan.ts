/** Searches the output of a build for the secrets that the build was made with. */
import { rmSync } from 'node:fs'
import { LocalizationError, messageOf } from '../errors.ts'

/** Shorter secrets would be found everywhere by chance. */
const MIN_SECRET_LENGTH = 6

/** An emitted file that holds a secret. */
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
    const found = needles.find((needle) => bytes.includes(needle.bytes))
    if (!found) continue
    const offset = bytes.indexOf(found.bytes)
    yield { file: name, offset, ...placeOf(bytes, offset), spelling: found.spelling, masked: found.masked }
  }
}

export function leakError({ file, offset, line, column, spelling, masked }: Leak, done = ''): LocalizationError {
  const place = line === undefined ? `, at byte ${offset}` : `:${line}:${column ?? 1}`
  const which = masked === undefined ? '' : ` (${masked}${spelling === undefined ? '' : `, ${spelling}`})`
  return new LocalizationError(
    `the localization service secret${which} is in the emitted file ${file}${place}${done}`,
    {
      code: 'SECRET_EXPOSED',
      hint:
        'Do not publish this output. Find what put the API key or personal token there (define, an environment ' +
        'plugin, an import of a config file), and replace the key.',
    },
  )
}

/**
 * For bundlers that have written their output when it can be searched: removes the files that leak. Returns what to say
 * about it. Synchronous, for the end of a process.
 */
export function removeLeaks(leaks: readonly Leak[], pathOf: (file: string) => string): string {
  const failures: string[] = []
  for (const { file } of leaks) {
    try {
      rmSync(pathOf(file), { force: true })
    } catch (error) {
      failures.push(`${file}: ${messageOf(error)}`)
    }
  }
  if (failures.length > 0) return `. It was written and could not be removed: delete it (${failures.join('; ')})`
  const others = leaks.length > 1 ? `, with ${leaks.length - 1} more files that hold it` : ''
  return `. It was written and is removed again${others}`
}

function placeOf(bytes: Buffer, offset: number): Pick<Leak, 'line' | 'column'> {
  if (bytes.subarray(0, 8000).includes(0)) return {}
  const lines = bytes.subarray(0, offset).toString().split('\n')
  return { line: lines.length, column: (lines.at(-1) as string).length + 1 }
}

interface Needle {
  readonly spelling: string
  readonly masked: string
  readonly bytes: Buffer
}

function needlesOf(secret: string): Needle[] {
  const masked = secret.length < 12 ? '***' : `${secret.slice(0, 2)}***`
  return [...spellingsOf(secret)]
    .filter(([, text]) => text.length >= MIN_SECRET_LENGTH)
    .map(([spelling, text]) => ({ spelling, masked, bytes: Buffer.from(text) }))
}

/** How tools write a secret. */
function* spellingsOf(secret: string): Iterable<[spelling: string, text: string]> {
  yield ['plain', secret]
  yield ['URL-encoded', encodeURIComponent(secret)]
  yield ['JSON-escaped', JSON.stringify(secret).slice(1, -1)]
  for (const text of base64Of(secret)) {
    yield ['base64', text]
    yield ['base64url', text.replaceAll('+', '-').replaceAll('/', '_')]
  }
  const hex = Buffer.from(secret).toString('hex')
  yield ['hex', hex]
  yield ['hex', hex.toUpperCase()]
}

/** At each of the three alignments that the secret can have inside a longer text. */
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
