/**
 * Writes many JSON files concurrently with little memory. Above a limit, the parts written so far are compressed off
 * the main thread. Several gzip files may share a compressed part.
 */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, deflateRawSync, inflateRaw } from 'node:zlib'
import { nestStrings } from '../shared/flatten.ts'
import { ConcurrencyLimit, Turns } from './scheduling.ts'

const compress = promisify(deflateRaw)
const decompress = promisify(inflateRaw)

/** Above this size, speed matters more than the best compression. */
const LARGE_FILE_BYTES = 2_000_000
/** The maximum number of input bytes for one compression. */
export const MAX_PIECE_BYTES = 1_000_000
/** The maximum number of concurrent compressions. Each needs memory and a thread in Node's thread pool. */
const MAX_COMPRESSIONS = 2
/** Up to this size, compressing on the main thread is several times faster than in Node's thread pool. */
const MAX_SMALL_BYTES = 8000
/** The time spent on compressing small files before other requests get a turn, in milliseconds. */
const TURN_MS = 10

/**
 * A compressed part of a file. `deflated` ends at a byte boundary and has no final block, so that more pieces can
 * follow.
 */
interface Piece {
  readonly size: number
  readonly crc: number
  readonly deflated: Uint8Array
}

/** A file's compressed content. The `chunks` together form one gzip file. */
export interface GzipFile {
  /** Equal only for equal contents. */
  readonly hash: string
  /** The uncompressed size. */
  readonly size: number
  readonly chunks: readonly Uint8Array[]
}

const compressions = new ConcurrencyLimit(MAX_COMPRESSIONS)
const turns = new Turns(TURN_MS)

async function compressPiece(plain: Uint8Array, level: number): Promise<Piece> {
  const options = { level, finishFlush: constants.Z_SYNC_FLUSH }
  const deflated = await compressions.run(async () => {
    if (plain.length > MAX_SMALL_BYTES) return compress(plain, options)
    await turns.next()
    return deflateRawSync(plain, options)
  })
  // Copies `deflated`, because zlib's result would keep its whole output buffer in memory.
  return { size: plain.length, crc: crc32(plain), deflated: new Uint8Array(deflated) }
}

function decompressPiece({ deflated }: Piece): Promise<Buffer> {
  return decompress(deflated, { finishFlush: constants.Z_SYNC_FLUSH })
}

/** RFC 1952: no name, no time, unknown system. */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)
const LAST_BLOCK = [3, 0]

function gzipChunks(pieces: readonly Piece[]): { readonly size: number; readonly chunks: Uint8Array[] } {
  let [size, crc] = [0, 0]
  for (const piece of pieces) {
    crc = crcOfBoth(crc, piece.crc, piece.size)
    size += piece.size
  }
  const trailer = Buffer.from([...LAST_BLOCK, 0, 0, 0, 0, 0, 0, 0, 0])
  trailer.writeUInt32LE(crc, 2)
  trailer.writeUInt32LE(size % 2 ** 32, 6)
  return { size, chunks: [HEADER, ...pieces.map(({ deflated }) => deflated), trailer] }
}

/** The CRC-32 of two concatenated byte sequences, computed from their CRCs (like zlib's `crc32_combine`). */
function crcOfBoth(first: number, second: number, secondSize: number): number {
  return (multiply(powerOfBytes(secondSize), first) ^ second) >>> 0
}

// Polynomials over GF(2), modulo the CRC polynomial. The highest bit is the coefficient of x^0.
const POLYNOMIAL = 0xedb88320
const ONE = 0x80000000
const ONE_BYTE = 0x00800000

function multiply(a: number, b: number): number {
  let product = 0
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= b
    b = b & 1 ? (b >>> 1) ^ POLYNOMIAL : b >>> 1
  }
  return product >>> 0
}

function powerOfBytes(count: number): number {
  let power = ONE
  for (let square = ONE_BYTE; count > 0; count = Math.floor(count / 2), square = multiply(square, square)) {
    if (count % 2 === 1) power = multiply(power, square)
  }
  return power
}

/** Above this limit, the written parts of all unfinished files are compressed. */
const MAX_PLAIN_BYTES = 9_000_000
/** After this many characters, strings are encoded to bytes, which need much less memory. */
const MAX_CHARACTERS = 4096

type Part = Buffer | Promise<Piece>

/** Files that are written together. They share memory, and may share parts. */
export class JsonFiles {
  private readonly writing = new Set<JsonObject>()
  private compressing: Promise<unknown> = Promise.resolve()
  plainBytes = 0

  /**
   * @param level zlib's compression level. Default: depends on the file size.
   * @param isKnown true if content with this hash is already stored, so that it need not be compressed
   */
  constructor(
    private readonly level?: number,
    private readonly isKnown?: (hash: string) => boolean,
  ) {}

  createObject(): JsonObject {
    const object = new JsonObject(this)
    this.writing.add(object)
    return object
  }

  /** Compresses the written parts if they exceed the limit. Resolves when more can be written. */
  async makeRoom(): Promise<void> {
    if (this.plainBytes <= MAX_PLAIN_BYTES) return
    // Limits the memory to two batches of parts: one is being compressed while the next one is written.
    await this.compressing
    const pieces = [...this.writing].flatMap((object) => object.compress())
    this.compressing = Promise.all(pieces)
    this.compressing.catch(() => {})
  }

  forget(object: JsonObject): void {
    this.writing.delete(object)
  }

  /** Creates a file `{"name":object,...}`. The objects may also be files, or parts of other files. */
  join(members: readonly (readonly [name: string, object: JsonObject])[]): Promise<GzipFile> {
    const parts: Part[] = []
    const digest = createHash('sha256').update('{')
    let size = 0
    const write = (text: string) => {
      const bytes = Buffer.from(text)
      parts.push(bytes)
      size += bytes.length
    }
    for (const [at, [name, object]] of members.entries()) {
      write(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`)
      const { hash, parts: own } = object.close()
      parts.push(...own)
      size += object.size
      digest.update(JSON.stringify([name, hash]))
    }
    write(members.length === 0 ? '{}' : '}')
    return this.gzip(digest.digest('hex'), size, parts)
  }

  /** Creates a small file. */
  of(value: unknown): Promise<GzipFile> {
    const bytes = Buffer.from(JSON.stringify(value))
    return this.gzip(createHash('sha256').update(bytes).digest('hex'), bytes.length, [bytes])
  }

  /** Called by `JsonObject`. If the content is known, the result has no chunks. */
  async gzip(hash: string, size: number, parts: readonly Part[]): Promise<GzipFile> {
    if (this.isKnown?.(hash)) return { hash, size, chunks: [] }
    return { hash, ...gzipChunks(await Promise.all(compressParts(parts, this.levelOf(size)))) }
  }

  /** Called by `JsonObject`. */
  levelOf(size: number): number {
    return this.level ?? (size > LARGE_FILE_BYTES ? 1 : 6)
  }
}

/** A JSON object that is written as a string, member by member, so that `__proto__` is an ordinary name. */
export class JsonObject {
  size = 0
  private parts: Part[] = []
  private strings: string[] = []
  private characters = 0
  /** The number of uncompressed bytes in `parts` and `strings`. */
  private plainBytes = 0
  private isEmpty = true
  private readonly digest = createHash('sha256')
  private hash: string | undefined

  constructor(private readonly files: JsonFiles) {}

  /** Adds a member. `name` and `value` are JSON. */
  add(name: string, value: string): void {
    this.write(`${this.isEmpty ? '{' : ','}${name}:${value}`)
    this.isEmpty = false
  }

  toFile(): Promise<GzipFile> {
    const { hash, parts } = this.close()
    return this.files.gzip(hash, this.size, parts)
  }

  close(): { readonly hash: string; readonly parts: readonly Part[] } {
    if (this.hash === undefined) {
      this.write(this.isEmpty ? '{}' : '}')
      this.toBytes()
      this.hash = this.digest.digest('hex')
    }
    return { hash: this.hash, parts: this.parts }
  }

  /** Frees the memory. Must be called only when all files that contain this object are complete. */
  release(): void {
    this.files.forget(this)
    this.count(-this.plainBytes)
    this.parts = []
  }

  compress(): Promise<Piece>[] {
    this.toBytes()
    const pieces: Promise<Piece>[] = []
    const level = this.files.levelOf(this.size)
    this.parts = compressParts(this.parts, level)
    for (const part of this.parts) if (!Buffer.isBuffer(part)) pieces.push(part)
    this.count(-this.plainBytes)
    return pieces
  }

  /** Returns the same texts, with keys split at `.` into nested objects. Needs memory for all texts. */
  async nested(): Promise<JsonObject> {
    const { parts } = this.close()
    const plain: Buffer[] = []
    for (const part of parts) plain.push(Buffer.isBuffer(part) ? part : await decompressPiece(await part))
    const texts: Record<string, string> = JSON.parse(Buffer.concat(plain).toString())
    this.release()
    await nextTurn()
    const { value: nested } = nestStrings(Object.entries(texts), '.')
    await nextTurn()
    const object = this.files.createObject()
    for (const [name, value] of Object.entries(nested)) {
      object.add(JSON.stringify(name), JSON.stringify(value))
    }
    return object
  }

  private write(text: string): void {
    this.strings.push(text)
    this.characters += text.length
    this.count(text.length)
    if (this.characters > MAX_CHARACTERS) this.toBytes()
  }

  private toBytes(): void {
    if (this.characters === 0) return
    const bytes = Buffer.from(this.strings.join(''))
    this.digest.update(bytes)
    this.parts.push(bytes)
    this.size += bytes.length
    this.count(bytes.length - this.characters)
    this.strings = []
    this.characters = 0
  }

  private count(bytes: number): void {
    this.plainBytes += bytes
    this.files.plainBytes += bytes
  }
}

/** Compresses consecutive plain parts together. Compressed parts remain unchanged. */
function compressParts(parts: readonly Part[], level: number): Promise<Piece>[] {
  const pieces: Promise<Piece>[] = []
  let plain: Buffer[] = []
  let bytes = 0
  const end = () => {
    if (bytes > 0) pieces.push(compressPiece(Buffer.concat(plain, bytes), level))
    plain = []
    bytes = 0
  }
  for (const part of parts) {
    if (!Buffer.isBuffer(part)) {
      end()
      pieces.push(part)
      continue
    }
    plain.push(part)
    bytes += part.length
    if (bytes >= MAX_PIECE_BYTES) end()
  }
  end()
  return pieces
}
