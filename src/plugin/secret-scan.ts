/** Searches for the build's secrets in its output, and in folders that the bundler copies into the output. */
import { rmSync } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalizationError, messageOf } from '../errors.ts'
import { displayPath } from '../shared/paths.ts'
import type { Session } from './session.ts'

/** The scan ignores shorter secrets, because they would be found by chance. */
const MIN_SECRET_LENGTH = 6

export interface Leak {
  readonly file: string
  /** The byte offset of the secret in the file. */
  readonly offset: number
  /** `line` and `column` are set only for text files. Both start at 1, and columns count characters. */
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** The encoding of the secret in the file, such as `plain` or `base64`. */
  readonly spelling?: string
  readonly masked?: string
}

export interface OutputFile {
  readonly name: string
  readonly content: string | Uint8Array
}

export function findLeak(files: Iterable<OutputFile>, secrets: readonly string[]): Leak | undefined {
  for (const leak of leaksIn(files, secrets)) return leak
  return undefined
}

/** Returns the first leak in each file. */
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
    `the output contains a secret of the localization service${which}: ${file}${place}${done}`,
    {
      code: 'SECRET_EXPOSED',
      hint:
        'Do not publish this output. Find out how the API key or personal token got there (define, an environment ' +
        'plugin, an import of a configuration file), and replace the key.',
    },
  )
}

/**
 * Deletes the files that contain secrets, for bundlers whose output can be searched only after it is written. Returns
 * the end of the error message. This is synchronous, so that it can run while the process exits.
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
  if (failures.length > 0) return `. Could not remove the file; delete it yourself (${failures.join('; ')})`
  const others = leaks.length > 1 ? ` and ${leaks.length - 1} more that contained it` : ''
  return `. Removed the file${others}`
}

function placeOf(bytes: Buffer, offset: number): Pick<Leak, 'line' | 'column'> {
  if (bytes.subarray(0, 8000).includes(0)) return {}
  const lines = bytes.subarray(0, offset).toString().split('\n')
  return { line: lines.length, column: (lines.at(-1) as string).length + 1 }
}

function needlesOf(secret: string) {
  const masked = secret.length < 12 ? '***' : `${secret.slice(0, 2)}***`
  return [...spellingsOf(secret)]
    .filter(([, text]) => text.length >= MIN_SECRET_LENGTH)
    .map(([spelling, text]) => ({ spelling, masked, bytes: Buffer.from(text) }))
}

/** Yields the secret in each encoding that a tool may use. */
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

/** Returns the base64 forms of a secret. There is one for each alignment that it can have inside a longer text. */
function base64Of(secret: string): string[] {
  return [0, 1, 2].map((shift) => {
    const bytes = Buffer.from('\0'.repeat(shift) + secret)
    // The characters at both ends also depend on neighboring bytes, so they are removed.
    return bytes
      .toString('base64')
      .replaceAll('=', '')
      .slice(shift === 0 ? 0 : shift + 1, bytes.length % 3 === 0 ? undefined : -1)
  })
}

/** Returns the configuration's secrets, and the personal token of the local service, which may not be running. */
export async function secretsToFind(session: Session): Promise<readonly string[]> {
  // If the load fails, the build fails anyway.
  const state = await session.ready().catch(() => undefined)
  const token = state && (await localToken(state.config.root))
  return token === undefined ? session.secrets() : [...new Set([...session.secrets(), token])]
}

/**
 * Reads the token from the local service's file. The schema is not used, so that files from other versions work too.
 */
async function localToken(root: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(root, '.localization/service/service.json'), 'utf8')
    const { personalToken } = JSON.parse(text) as { readonly personalToken?: unknown }
    return typeof personalToken === 'string' ? personalToken : undefined
  } catch {
    return undefined
  }
}

/**
 * Large files are searched in pieces of this size. Two pieces overlap by more than the length of any encoded secret.
 */
const PIECE_BYTES = 16_000_000
const OVERLAP_BYTES = 100_000

/**
 * Searches a folder that the bundler copies into its output (`public` in Vite and Farm), because no hook sees its
 * files. Throws if one of them contains a secret. A missing folder counts as empty.
 */
export async function checkCopiedFolder(folder: string, root: string, secrets: readonly string[]): Promise<void> {
  if (secrets.length === 0) return
  for await (const path of filesBelow(folder)) {
    const leak = await leakInFile(path, secrets)
    if (leak) throw leakError({ ...leak, file: displayPath(root, path) }, ', which the build copies into its output')
  }
}

async function* filesBelow(folder: string): AsyncIterable<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(folder, entry.name)
    // Bundlers follow symbolic links when they copy.
    const found = entry.isSymbolicLink() ? await stat(path).catch(() => undefined) : entry
    if (found?.isDirectory()) yield* filesBelow(path)
    else if (found?.isFile()) yield path
  }
}

async function leakInFile(path: string, secrets: readonly string[]): Promise<Leak | undefined> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const buffer = Buffer.allocUnsafe(Math.min(size, PIECE_BYTES))
    for (let start = 0; start < size; start += PIECE_BYTES - OVERLAP_BYTES) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
      const leak = findLeak([{ name: path, content: buffer.subarray(0, bytesRead) }], secrets)
      if (leak && start === 0) return leak
      // The line number is known only in the first piece of the file.
      if (leak) return { ...leak, offset: start + leak.offset, line: undefined, column: undefined }
    }
    return undefined
  } finally {
    await file.close()
  }
}
