/** Writes many JSON files concurrently in little memory: above a limit, the written parts are compressed. */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { nestStrings } from '../shared/flatten.ts'
import {
  compressPiece,
  decompressPiece,
  type GzipFile,
  gzipChunks,
  LARGE_FILE_BYTES,
  MAX_PIECE_BYTES,
  type Piece,
} from './gzip.ts'

/** Above this many bytes, the written parts of all unfinished files are compressed. */
const MAX_PLAIN_BYTES = 9_000_000
/** The number of characters at which texts are encoded: strings need much more memory than bytes. */
const MAX_CHARACTERS = 4096

/** A part of a file: plain bytes, or compressed ones. */
type Part = Buffer | Promise<Piece>

/** The memory that unfinished files share. */
export class FileMemory {
  private readonly writing = new Set<JsonObject>()
  private compressing: Promise<unknown> = Promise.resolve()
  plainBytes = 0

  /** `level`: of the compression. Default: by the size of a file. */
  constructor(readonly level?: number) {}

  createObject(): JsonObject {
    const object = new JsonObject(this)
    this.writing.add(object)
    return object
  }

  /** Compresses the written parts if they exceed the limit. Resolves when there is room again. */
  async makeRoom(): Promise<void> {
    if (this.plainBytes <= MAX_PLAIN_BYTES) return
    // At most two rounds are in memory: one is compressed while the next one is written.
    await this.compressing
    const pieces = [...this.writing].flatMap((object) => object.compress())
    this.compressing = Promise.all(pieces)
    this.compressing.catch(() => {})
  }

  forget(object: JsonObject): void {
    this.writing.delete(object)
  }

  levelOf(size: number): number {
    return this.level ?? (size > LARGE_FILE_BYTES ? 1 : 6)
  }
}

/** A growing `{"name":value}`. It is written as text, so that `__proto__` is an ordinary name. */
export class JsonObject {
  size = 0
  private parts: Part[] = []
  private strings: string[] = []
  private characters = 0
  /** Plain bytes in `parts` and `strings`. */
  private plainBytes = 0
  private isEmpty = true
  private readonly digest = createHash('sha256')
  private hash: string | undefined

  constructor(private readonly memory: FileMemory) {}

  /** Name and value are JSON. */
  add(name: string, value: string): void {
    this.write(`${this.isEmpty ? '{' : ','}${name}:${value}`)
    this.isEmpty = false
  }

  /** The object as a file. `isKnown`: returns true for contents that need not be compressed. */
  async toFile(isKnown?: (hash: string) => Promise<boolean>): Promise<GzipFile> {
    const { hash, parts } = this.close()
    return toFile(hash, this.size, parts, this.memory, isKnown)
  }

  /** Ends the object and returns its parts and its digest. */
  close(): { readonly hash: string; readonly parts: readonly Part[] } {
    if (this.hash === undefined) {
      this.write(this.isEmpty ? '{}' : '}')
      this.toBytes()
      this.hash = this.digest.digest('hex')
    }
    return { hash: this.hash, parts: this.parts }
  }

  /** Frees the memory of an object whose files are complete. */
  release(): void {
    this.memory.forget(this)
    this.count(-this.plainBytes)
    this.parts = []
  }

  /** Compresses everything written so far. */
  compress(): Promise<Piece>[] {
    this.toBytes()
    const pieces: Promise<Piece>[] = []
    const level = this.memory.levelOf(this.size)
    this.parts = compressParts(this.parts, level)
    for (const part of this.parts) if (!Buffer.isBuffer(part)) pieces.push(part)
    this.count(-this.plainBytes)
    return pieces
  }

  /** The same texts, nested at `.`. Needs memory for all of them. */
  async nested(): Promise<JsonObject> {
    const { parts } = this.close()
    const plain: Buffer[] = []
    for (const part of parts) plain.push(Buffer.isBuffer(part) ? part : await decompressPiece(await part))
    const texts: Record<string, string> = JSON.parse(Buffer.concat(plain).toString())
    this.release()
    await nextTurn()
    const { value: nested } = nestStrings(Object.entries(texts), '.')
    await nextTurn()
    const object = this.memory.createObject()
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
    this.memory.plainBytes += bytes
  }
}

/** A file `{"name":object}`. The objects may also be files, or parts of other files. */
export async function joinObjects(
  members: readonly (readonly [name: string, object: JsonObject])[],
  memory: FileMemory,
  isKnown?: (hash: string) => Promise<boolean>,
): Promise<GzipFile> {
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
  return toFile(digest.digest('hex'), size, parts, memory, isKnown)
}

export async function jsonFile(
  value: unknown,
  memory: FileMemory,
  isKnown?: (hash: string) => Promise<boolean>,
): Promise<GzipFile> {
  const bytes = Buffer.from(JSON.stringify(value))
  return toFile(createHash('sha256').update(bytes).digest('hex'), bytes.length, [bytes], memory, isKnown)
}

async function toFile(
  hash: string,
  size: number,
  parts: readonly Part[],
  memory: FileMemory,
  isKnown?: (hash: string) => Promise<boolean>,
): Promise<GzipFile> {
  if (await isKnown?.(hash)) return { hash, size, chunks: [] }
  return { hash, ...gzipChunks(await Promise.all(compressParts(parts, memory.levelOf(size)))) }
}

/** Combines consecutive plain parts into pieces; existing pieces remain unchanged. */
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
