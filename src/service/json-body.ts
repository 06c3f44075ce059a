/**
 * Parses JSON bodies as they arrive. Also checks the depth and the number of values, so that no body costs more than
 * the limits allow. Large objects can be handled in pieces, so that other requests are answered in between.
 */
import { messageOf } from '../errors.ts'
import { MAX_DEPTH } from '../shared/flatten.ts'
import { badRequest } from './http-error.ts'

const PIECE_BYTES = 2 ** 14
/**
 * The maximum size of a piece. A piece can end only between the members of an object, so a large array, name or text
 * makes it larger.
 */
const MOST_PIECE_BYTES = 2 ** 23

/** An object or array that is still open. */
interface Container {
  readonly isObject: boolean
  /**
   * The position, within the piece, of the last string before the container. If the container is a member, this is its
   * name.
   */
  readonly nameStart: number
  readonly nameEnd: number
  /** The name as JSON, for a container that continues in the next piece. */
  name?: string
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a]
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d]

export class JsonBodyParser {
  /** The bytes of the current piece. */
  private chunks: Buffer[] = []
  private bytes = 0
  /** JSON that reopens the containers of the previous piece. */
  private prefix = ''
  private readonly open: Container[] = []
  private openArrays = 0
  /** The number of objects, arrays and values so far. */
  values = 1
  /** The number of members in the piece and its prefix. */
  private members = 0
  /** The names of the objects in the root, and the name of the object that continues in this piece. */
  private readonly rootNames = new Set<string>()
  private continued: string | undefined

  private isInString = false
  private isEscaped = false
  private stringStart = 0
  private stringEnd = 0
  /** The last byte that is neither whitespace nor inside a string. */
  private last = 0
  /** True if the previous piece ended at a comma. */
  private needsName = false

  /**
   * @param maxValues the maximum number of objects, arrays and values
   * @param onPiece called with each piece of a large root object. A nested object may be split over several pieces.
   *   Default: `end` returns the whole value.
   */
  constructor(
    private readonly maxValues: number,
    private readonly onPiece?: (root: unknown) => void,
    private readonly pieceBytes = PIECE_BYTES,
  ) {}

  /** Throws a 400 if the body exceeds a limit or is malformed. */
  push(chunk: Buffer): void {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (this.isInString) {
        if (this.isEscaped) this.isEscaped = false
        else if (byte === BACKSLASH) this.isEscaped = true
        else if (byte === QUOTE) {
          this.isInString = false
          this.stringEnd = this.bytes + at - from + 1
        }
      } else if (byte > 0x20) {
        const place = this.bytes + at - from
        if (byte === COMMA && place >= this.pieceBytes && this.canEndPiece()) {
          this.keep(chunk.subarray(from, at))
          this.endPiece()
          from = at + 1
        } else this.take(byte, place)
      }
    }
    this.keep(chunk.subarray(from))
    if (this.onPiece && this.bytes > MOST_PIECE_BYTES) {
      throw badRequest(`The body contains an array or a string of more than ${MOST_PIECE_BYTES} bytes.`)
    }
  }

  /** Parses the rest. Returns the whole value unless there is an `onPiece`. */
  end(): unknown {
    const value = this.parse('')
    this.onPiece?.(value)
    return value
  }

  private take(byte: number, place: number): void {
    if (this.needsName && byte !== QUOTE) throw malformed('expected a name after the comma')
    this.needsName = false
    this.last = byte
    if (byte === QUOTE) {
      this.isInString = true
      this.stringStart = place
    } else if (byte === COLON) this.members++
    else if (byte === COMMA) this.count()
    else if (byte === OBJECT || byte === ARRAY) {
      this.count()
      if (this.open.length === MAX_DEPTH) throw badRequest(`The body is nested more than ${MAX_DEPTH} levels deep.`)
      this.open.push({ isObject: byte === OBJECT, nameStart: this.stringStart, nameEnd: this.stringEnd })
      if (byte === ARRAY) this.openArrays++
    } else if (byte === OBJECT_END || byte === ARRAY_END) {
      if (this.open.pop()?.isObject === false) this.openArrays--
    }
  }

  private count(): void {
    if (++this.values > this.maxValues) throw badRequest(`The body contains more than ${this.maxValues} values.`)
  }

  private keep(bytes: Buffer): void {
    this.chunks.push(bytes)
    this.bytes += bytes.length
  }

  /** True if a piece may end at this comma. A misplaced comma stays in the piece, so that `JSON.parse` reports it. */
  private canEndPiece(): boolean {
    const isAfterValue = this.last !== OBJECT && this.last !== COMMA && this.last !== COLON
    return this.onPiece !== undefined && this.openArrays === 0 && this.open.length > 0 && isAfterValue
  }

  private endPiece(): void {
    this.count()
    const bytes = Buffer.concat(this.chunks)
    for (const container of this.open.slice(1)) {
      container.name ??= bytes.toString('utf8', container.nameStart, container.nameEnd)
    }
    this.onPiece?.(this.parse('}'.repeat(this.open.length)))
    this.prefix = this.open.map(({ name }, depth) => (depth === 0 ? '{' : `${name}:{`)).join('')
    this.members = this.open.length - 1
    this.continued = this.open[1]?.name && (JSON.parse(this.open[1].name) as string)
    this.chunks = []
    this.bytes = 0
    this.needsName = true
    this.last = COMMA
  }

  private parse(ending: string): unknown {
    const text = `${this.prefix}${decode(Buffer.concat(this.chunks))}${ending}`
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch (error) {
      // In later pieces, the position in the error would be relative to the piece.
      throw malformed(this.prefix === '' ? messageOf(error) : messageOf(error).replace(/ in JSON at position.*/s, ''))
    }
    const repeated = countMembers(value) === this.members ? undefined : findRepeated(text)
    if (repeated !== undefined) throw hasRepeated(repeated)
    if (this.onPiece) this.checkRoot(value)
    return value
  }

  private checkRoot(root: unknown): void {
    if (typeof root !== 'object' || root === null) return
    for (const [name, value] of Object.entries(root)) {
      if (typeof value !== 'object') continue
      if (this.rootNames.has(name) && name !== this.continued) throw hasRepeated([name])
      this.rootNames.add(name)
    }
  }
}

/** Counts the members of all objects. Iterative, because bodies may be nested deeper than the stack allows. */
function countMembers(root: unknown): number {
  let count = 0
  const stack = [root]
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value !== 'object' || value === null) continue
    const children = Object.values(value)
    if (!Array.isArray(value)) count += children.length
    for (const child of children) if (typeof child === 'object') stack.push(child)
  }
  return count
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/gs

/** Returns the path of the first duplicate member. `json` must be valid. */
function findRepeated(json: string): string[] | undefined {
  const stack: { names: Set<string>; name: string }[] = []
  let string = '""'
  for (const [token] of json.matchAll(TOKEN)) {
    const top = stack.at(-1)
    if (token === '{' || token === '[') stack.push({ names: new Set(), name: '' })
    else if (token === '}' || token === ']') stack.pop()
    else if (token !== ':') string = token
    else if (top) {
      top.name = JSON.parse(string) as string
      if (top.names.has(top.name)) return stack.flatMap(({ names, name }) => (names.size > 0 ? [name] : []))
      top.names.add(top.name)
    }
  }
  return undefined
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw badRequest('The body is not valid UTF-8.')
  }
}

const malformed = (reason: string) => badRequest(`The body is not valid JSON: ${reason}`)

const hasRepeated = (path: readonly string[]) => badRequest(`The body has the member ${path.join('.')} twice.`)
