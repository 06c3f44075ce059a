/** Searches what a build emits for the secrets it was made with. */
import { LocalizationError } from '../errors.ts'

/** Shorter ones would be found everywhere by chance. */
const MIN_SECRET_LENGTH = 6

/** The first emitted file that holds a secret, plain or in an encoding that bundlers and people use. */
export interface Leak {
  readonly file: string
  /** Byte offset. */
  readonly offset: number
}

export interface OutputFile {
  readonly name: string
  readonly content: string | Uint8Array
}

/** `undefined`: no file holds one. */
export function findLeak(files: Iterable<OutputFile>, secrets: readonly string[]): Leak | undefined {
  const needles = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).flatMap(spellings)
  if (needles.length === 0) return undefined
  for (const { name, content } of files) {
    const bytes =
      typeof content === 'string'
        ? Buffer.from(content)
        : Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    for (const needle of needles) {
      const offset = bytes.indexOf(needle)
      if (offset !== -1) return { file: name, offset }
    }
  }
  return undefined
}

export function leakError({ file, offset }: Leak): LocalizationError {
  return new LocalizationError(`the localization service secret is in the emitted file ${file}, at byte ${offset}`, {
    code: 'SECRET_EXPOSED',
    hint: 'Do not publish this output. Find what put the API key or personal token there (define, an environment plugin, an import of a config file), and replace the key.',
  })
}

/** Plain, URL-encoded, JSON-escaped, and base64 at each of the three alignments it can have inside a longer text. */
function spellings(secret: string): Buffer[] {
  const texts = new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
  for (let shift = 0; shift < 3; shift++) {
    const bytes = Buffer.from('\0'.repeat(shift) + secret)
    // Characters at both ends depend on the neighbours: only those in between are the secret's own.
    const own = bytes
      .toString('base64')
      .replaceAll('=', '')
      .slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === 0 ? undefined : -1)
    if (own.length >= MIN_SECRET_LENGTH) {
      texts.add(own)
      texts.add(own.replaceAll('+', '-').replaceAll('/', '_'))
    }
  }
  return [...texts].map((text) => Buffer.from(text))
}
