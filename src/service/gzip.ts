/**
 * Gzip files built from pieces that are compressed separately, off the main thread. Several files may share a piece.
 */
import { promisify } from 'node:util'
import { constants, crc32, deflateRaw, inflateRaw } from 'node:zlib'

const compress = promisify(deflateRaw)
const decompress = promisify(inflateRaw)

/** Above this file size, speed matters more than the best compression. */
export const LARGE_FILE_BYTES = 2_000_000
/** Bytes of one compression. */
export const MAX_PIECE_BYTES = 1_000_000
/** Each running compression needs memory, and a thread of Node's pool. */
const MAX_COMPRESSIONS = 2

/** Some bytes of a file. `deflated` ends at a byte boundary, without a final block, so that more pieces can follow. */
export interface Piece {
  readonly size: number
  readonly crc: number
  readonly deflated: Uint8Array
}

/** A content of the store. `chunks` together are one gzip file. */
export interface GzipFile {
  /** Equal only for equal contents. */
  readonly hash: string
  /** Size before compression. */
  readonly size: number
  readonly chunks: readonly Uint8Array[]
}

let running = 0
const waiting: (() => void)[] = []

export async function compressPiece(plain: Uint8Array, level: number): Promise<Piece> {
  if (running >= MAX_COMPRESSIONS) await new Promise<void>((start) => waiting.push(start))
  else running++
  try {
    const deflated = await compress(plain, { level, finishFlush: constants.Z_SYNC_FLUSH })
    // A copy, because zlib's result keeps its whole output buffer in memory.
    return { size: plain.length, crc: crc32(plain), deflated: new Uint8Array(deflated) }
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running--
  }
}

export async function decompressPiece({ deflated }: Piece): Promise<Buffer> {
  return decompress(deflated, { finishFlush: constants.Z_SYNC_FLUSH })
}

/** RFC 1952: no name, no time, unknown system. */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff)
const LAST_BLOCK = [3, 0]

export function gzipChunks(pieces: readonly Piece[]): { readonly size: number; readonly chunks: Uint8Array[] } {
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

/** The CRC-32 of two consecutive byte sequences, from the CRC of each (as zlib's `crc32_combine`). */
function crcOfBoth(first: number, second: number, secondSize: number): number {
  return (multiply(powerOfBytes(secondSize), first) ^ second) >>> 0
}

// Polynomials over GF(2) modulo the CRC's. The highest bit is the coefficient of x to the power of 0.
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
