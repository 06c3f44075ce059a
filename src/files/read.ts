/** Parses a translation file: its texts with their positions, and all its errors. */
import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import type { Value } from '../catalog/values.ts'
import { type Diagnostic, type ErrorCode, messageOf } from '../errors.ts'
import type { ArrayNode, JsonNode, MemberNode, ObjectNode } from '../shared/json-parser.ts'
import { branchesOf, PATH_JOINT } from '../shared/key-path.ts'
import { createPositions, positionAt, type TextPosition } from '../shared/text-position.ts'
import { formatOf } from './formats/index.ts'
import type { FlatTexts } from './formats/json/native.ts'
import { findWrapper, type WrapperPath } from './texts-root.ts'

export interface ParseOptions {
  readonly keySeparator: string
  /** The file's name in diagnostics. Its extension selects the format. Default: JSON. */
  readonly file?: string
  /** `error` reports every value that is not a text or an object of texts. Default `keep`. */
  readonly values?: 'keep' | 'error' | undefined
  /** See `TranslationFile`. */
  readonly wrappers?: readonly WrapperPath[] | undefined
}

/** A file's texts. For a duplicate key, the first text is used. */
export interface ParsedTranslations extends FlatTexts {
  /** The position of a key, or of an array element. */
  positionOf(key: string): TextPosition | undefined
  readonly diagnostics: readonly Diagnostic[]
  /** True if the texts may be used and pushed, because no diagnostic is an error. */
  readonly ok: boolean
}

export interface TranslationFileContent extends ParsedTranslations {
  readonly bytes: Uint8Array
}

/** Half of a surrogate pair, which UTF-8 cannot encode. */
export const LONE_SURROGATE = /\p{Surrogate}/u

/** The maximum number of diagnostics for one file. Further diagnostics are only counted. */
const MOST_DIAGNOSTICS = 50

/** Reads a file; `undefined` if it does not exist. An unreadable file has the diagnostic FILE_READ. */
export async function readTranslationFile(
  path: string,
  options: ParseOptions,
): Promise<TranslationFileContent | undefined> {
  const file = options.file ?? path
  try {
    const bytes = await readFile(path)
    return { ...parseTranslationText(bytes, { ...options, file }), bytes }
  } catch (cause) {
    const failure = readFailure(cause, file)
    return failure && { ...failed(failure), bytes: new Uint8Array() }
  }
}

/** The diagnostic for an unreadable file; `undefined` if the file does not exist. */
export function readFailure(cause: unknown, file: string): Diagnostic | undefined {
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  return { severity: 'error', code: 'FILE_READ', message: `cannot be read: ${messageOf(cause)}`, place: { file } }
}

/**
 * Parses a file's content: an object of texts, objects, arrays and other values. There are no entries if a diagnostic
 * is FILE_ENCODING, FILE_SYNTAX, FILE_DEPTH or FILE_ROOT. FILE_VALUE, FILE_DUPLICATE_KEY and FILE_KEY_COLLISION affect
 * only individual entries.
 */
export function parseTranslationText(content: string | Uint8Array, options: ParseOptions): ParsedTranslations {
  const { file } = options
  const text = decodeText(content)
  if (typeof text !== 'string') {
    const place = { file, ...text.position }
    const hint = 'Save the file as UTF-8.'
    return failed({ severity: 'error', code: 'FILE_ENCODING', message: text.message, hint, place })
  }
  const parsed = formatOf(file).parse(text)
  if ('problem' in parsed) {
    const { kind, message, hint, line, column } = parsed.problem
    const code: ErrorCode = kind === 'depth' ? 'FILE_DEPTH' : 'FILE_SYNTAX'
    return failed({ severity: 'error', code, message, hint, place: { file, line, column } })
  }
  const collector = new TextCollector(text, options)
  const { root } = parsed
  if (root.kind === 'object') collector.collectInside(root)
  else collector.report('FILE_VALUE', root.start, undefined, `expected an object of texts, found ${article(root.kind)}`)
  return collector.result()
}

/**
 * Reads a file with the fast parser. If that parser cannot read it, uses `parseTranslationText`, which also reports
 * errors.
 */
export function readTexts(
  bytes: Buffer,
  options: ParseOptions,
): FlatTexts & Pick<ParsedTranslations, 'diagnostics' | 'ok'> {
  const { file, keySeparator, values, wrappers } = options
  const found = wrappers ? undefined : formatOf(file).readQuickly?.(bytes, keySeparator)
  const isTaken = found && (values !== 'error' || !found.values)
  return isTaken ? { ...found, diagnostics: [], ok: true } : parseTranslationText(bytes, options)
}

/** The text, with its byte order mark, or the position of the first invalid character. */
function decodeText(
  content: string | Uint8Array,
): string | { readonly message: string; readonly position: TextPosition } {
  if (typeof content === 'string') {
    const at = content.search(LONE_SURROGATE)
    return at < 0 ? content : { message: 'a lone surrogate (half a character)', position: positionAt(content, at) }
  }
  const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if (isUtf8(buffer)) return buffer.toString('utf8')
  const offset = firstInvalidByte(buffer)
  const before = buffer.toString('utf8', 0, offset)
  const byte = (buffer[offset] ?? 0).toString(16).padStart(2, '0')
  return { message: `not UTF-8 (byte 0x${byte})`, position: positionAt(before, before.length) }
}

/** Decoding replaces invalid bytes, so the first byte that differs after encoding again is invalid. */
function firstInvalidByte(buffer: Buffer): number {
  const again = Buffer.from(buffer.toString('utf8'))
  let at = 0
  while (at < buffer.length - 1 && buffer[at] === again[at]) at++
  return at
}

function failed(diagnostic: Diagnostic): ParsedTranslations {
  return { entries: new Map(), values: undefined, positionOf: () => undefined, diagnostics: [diagnostic], ok: false }
}

interface TextPlace {
  readonly offset: number
  readonly owner: ObjectNode | ArrayNode
  /** True inside a second object of the same name, which is reported once. */
  readonly isRepeated?: boolean
}

class TextCollector {
  readonly #text: string
  readonly #options: ParseOptions
  readonly #entries = new Map<string, string>()
  readonly #values = new Map<string, Value>()
  readonly #places = new Map<string, TextPlace>()
  readonly #diagnostics: Diagnostic[] = []
  #suppressed = 0
  #firstValue = 0
  #positions: ((offset: number) => TextPosition) | undefined

  constructor(text: string, options: ParseOptions) {
    this.#text = text
    this.#options = options
  }

  result(): ParsedTranslations {
    const diagnostics = [...this.#diagnostics]
    const [first] = diagnostics
    if (first && this.#suppressed > 0) {
      const message = `${this.#suppressed} more findings in this file are not listed`
      diagnostics.push({ severity: 'error', code: first.code, message, place: { file: this.#options.file } })
    }
    const positionOf = (key: string) => {
      const place = this.#places.get(key)
      return place && this.#positionAt(place.offset)
    }
    const values = this.#values.size > 0 ? this.#values : undefined
    return { entries: this.#entries, values, positionOf, diagnostics, ok: diagnostics.length === 0 }
  }

  collectInside(root: ObjectNode): void {
    const found = findWrapper(root, this.#options.wrappers)
    if (found.kind === 'found') this.#collectAll(found.node)
    else if (found.kind !== 'room') {
      const { code, offset, message, hint } = found.problem
      this.report(code, offset, undefined, message, hint)
    }
  }

  #collectAll(root: ObjectNode): void {
    this.#collect(root, '')
    const [first] = this.#values
    if (!first || this.#entries.size > 0) return
    // A file such as `percentages.json` would add a language without texts.
    const hint = 'Leave it out with the option "files" or "languages".'
    this.report('FILE_VALUE', this.#firstValue, first[0], 'the file contains values but no texts', hint)
  }

  // Recursion is safe, because the parser limits the depth.
  #collect(
    owner: ObjectNode,
    prefix: string,
    { isInArray = false, hasEmptyName = false, isRepeated = false } = {},
  ): void {
    const branches = new Map<string, number>()
    for (const { key: name, value } of owner.members) {
      const key = prefix + name.text
      const below = { isInArray, hasEmptyName: hasEmptyName || name.text === '' }
      this.#checkName(name)
      if (value.kind !== 'object') {
        this.#checkDuplicate(key, name.start, branches.get(name.text))
        this.#collectValue(value, key, { offset: name.start, owner, isRepeated })
        if (below.hasEmptyName && !isInArray) this.#markBranches(key)
        continue
      }
      const known = this.#places.get(key)
      const sameName = known?.owner === owner ? known.offset : undefined
      const first = branches.get(name.text) ?? sameName
      this.#checkDuplicate(key, name.start, first)
      if (!branches.has(name.text)) branches.set(name.text, name.start)
      if (isInArray && !this.#values.has(key)) this.#values.set(key, { kind: 'object' })
      const joined = key + this.#options.keySeparator
      this.#collect(value, joined, { ...below, isRepeated: isRepeated || first !== undefined })
    }
  }

  /** Marks all names but the last one as branches. Otherwise, a key such as `title.` would look like a sentence. */
  #markBranches(key: string): void {
    for (const branch of branchesOf(key, this.#options.keySeparator))
      if (!this.#values.has(branch)) this.#values.set(branch, { kind: 'branch' })
  }

  #collectValue(value: Exclude<JsonNode, ObjectNode>, key: string, place: TextPlace): void {
    if (value.kind !== 'string') this.#firstValue ||= value.start
    if (value.kind === 'string') {
      this.#checkWellFormed(value, key)
      if (this.#claim(key, place)) this.#entries.set(key, value.text)
    } else if (this.#options.values === 'error') {
      const hint = "With values: 'error', only texts and objects of texts are allowed."
      this.report('FILE_VALUE', value.start, key, `the value of ${show(key)} is ${article(value.kind)}`, hint)
    } else if (value.kind !== 'array') {
      if (this.#claim(key, place)) this.#values.set(key, { kind: 'scalar', json: value.json })
    } else if (this.#claim(key, place)) {
      this.#values.set(key, { kind: 'array', length: value.items.length })
      for (const [index, item] of value.items.entries()) this.#collectItem(value, item, key, index)
    }
  }

  #collectItem(owner: ArrayNode, item: JsonNode, array: string, index: number): void {
    const key = `${array}${this.#options.keySeparator}${index}`
    const place = { offset: item.start, owner }
    if (item.kind !== 'object') this.#collectValue(item, key, place)
    else if (this.#claim(key, place)) {
      this.#values.set(key, { kind: 'object' })
      this.#collect(item, key + this.#options.keySeparator, { isInArray: true })
    }
  }

  report(code: ErrorCode, offset: number, key: string | undefined, message: string, hint?: string): void {
    if (this.#diagnostics.length >= MOST_DIAGNOSTICS) {
      this.#suppressed++
      return
    }
    const place = { file: this.#options.file, ...this.#positionAt(offset), ...(key !== undefined && { key }) }
    this.#diagnostics.push({ severity: 'error', code, message, ...(hint !== undefined && { hint }), place })
  }

  #claim(key: string, place: TextPlace): boolean {
    const known = this.#places.get(key)
    if (!known) this.#places.set(key, place)
    else if (known.owner === place.owner) this.#checkDuplicate(key, place.offset, known.offset)
    else if (!place.isRepeated) {
      const message = `two paths form the same key ${show(key)}: here and at ${this.#showPlace(known.offset)}`
      const hint = 'Rename one, or set keySeparator to a string that no key contains.'
      this.report('FILE_KEY_COLLISION', place.offset, key, message, hint)
    }
    return !known
  }

  #checkDuplicate(key: string, offset: number, first: number | undefined): void {
    if (first === undefined) return
    const message = `duplicate key ${show(key)}, first defined at ${this.#showPlace(first)}`
    this.report('FILE_DUPLICATE_KEY', offset, key, message, 'Remove one.')
  }

  #checkName(name: MemberNode['key']): void {
    this.#checkWellFormed(name, undefined)
    const { keySeparator } = this.#options
    if (keySeparator !== PATH_JOINT || !name.text.includes(PATH_JOINT)) return
    const message = `the name ${show(name.text)} contains the reserved character U+241F`
    this.report('FILE_KEY_COLLISION', name.start, undefined, message, 'Rename it, or set keySeparator to a string.')
  }

  /** Reports lone surrogates. Only escapes can contain them, because the file itself is well-formed. */
  #checkWellFormed({ text, start, end }: MemberNode['key'], key: string | undefined): void {
    if (end - start === text.length + 2 || !LONE_SURROGATE.test(text)) return
    const message = 'a lone surrogate (half a character)'
    this.report('FILE_ENCODING', start, key, message, 'Write the character itself.')
  }

  #positionAt(offset: number): TextPosition {
    this.#positions ??= createPositions(this.#text)
    return this.#positions(offset)
  }

  #showPlace(offset: number): string {
    const { file } = this.#options
    const { line, column } = this.#positionAt(offset)
    return `${file === undefined ? '' : `${file}:`}${line}:${column}`
  }
}

function article(type: string): string {
  if (type === 'null') return 'null'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function show(key: string): string {
  return JSON.stringify(key.length > 80 ? `${key.slice(0, 80)}...` : key)
}
