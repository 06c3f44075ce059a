/** Parses one translation file: its texts with their places, and every error in it. */
import { readFile } from 'node:fs/promises'
import { type Diagnostic, type ErrorCode, messageOf } from '../errors.ts'
import { hashOf } from '../shared/hash.ts'
import type { MemberNode, ObjectNode } from '../shared/json-parser.ts'
import { createPositions, type TextPosition } from '../shared/text-position.ts'
import { decodeText, LONE_SURROGATE } from './decode.ts'
import { formatOf } from './formats/index.ts'

export interface ParseOptions {
  /** Joins nested paths. */
  readonly keySeparator: string
  /** The file's name in diagnostics. Its ending selects the format; without a name, the text is JSON. */
  readonly file?: string
}

export interface ParsedTranslations {
  /** Flat key to text, in the file's order. Of duplicate keys, the first text. */
  readonly entries: ReadonlyMap<string, string>
  /** The position of a text's key. */
  positionOf(key: string): TextPosition | undefined
  readonly diagnostics: readonly Diagnostic[]
  /** No diagnostic is an error: the texts may be used and pushed. */
  readonly ok: boolean
}

export interface TranslationFileContent extends ParsedTranslations {
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string
  readonly bytes: Uint8Array
}

/** More diagnostics than this in one file are counted, not listed. */
const MOST_DIAGNOSTICS = 50

/** Reads a file. `undefined`: there is no such file. A file that cannot be read has the diagnostic FILE_READ. */
export async function readTranslationFile(
  path: string,
  options: ParseOptions,
): Promise<TranslationFileContent | undefined> {
  const file = options.file ?? path
  try {
    const bytes = await readFile(path)
    return { ...parseTranslationText(bytes, { ...options, file }), hash: hashOf(bytes), bytes }
  } catch (cause) {
    const failure = readFailure(cause, file)
    const bytes = new Uint8Array()
    return failure && { ...failed(failure), hash: hashOf(bytes), bytes }
  }
}

/** The diagnostic for a file that cannot be read. `undefined`: there is no such file. */
export function readFailure(cause: unknown, file: string): Diagnostic | undefined {
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  return { severity: 'error', code: 'FILE_READ', message: `cannot be read: ${messageOf(cause)}`, place: { file } }
}

/**
 * Parses the content of a translation file: flat or nested objects of strings. Diagnostics: FILE_ENCODING, FILE_SYNTAX
 * and FILE_DEPTH (without entries), FILE_VALUE, FILE_DUPLICATE_KEY and FILE_KEY_COLLISION (with the other entries).
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
  if (root.kind === 'object') collector.collect(root, '')
  else collector.report('FILE_VALUE', root.start, undefined, `expected an object of texts, found ${article(root.kind)}`)
  return collector.result()
}

function failed(diagnostic: Diagnostic): ParsedTranslations {
  return { entries: new Map(), positionOf: () => undefined, diagnostics: [diagnostic], ok: false }
}

interface TextPlace {
  readonly offset: number
  readonly owner: ObjectNode
}

class TextCollector {
  readonly #text: string
  readonly #options: ParseOptions
  readonly #entries = new Map<string, string>()
  readonly #places = new Map<string, TextPlace>()
  readonly #diagnostics: Diagnostic[] = []
  #suppressed = 0
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
    return { entries: this.#entries, positionOf, diagnostics, ok: diagnostics.length === 0 }
  }

  // Recursive: the parser limits the depth.
  collect(owner: ObjectNode, prefix: string): void {
    const branches = new Map<string, number>()
    for (const { key: name, value } of owner.members) {
      const key = prefix + name.text
      this.#checkWellFormed(name, undefined)
      if (value.kind === 'string') {
        this.#checkWellFormed(value, key)
        this.#checkDuplicate(key, name.start, branches.get(name.text))
        this.#add(key, value.text, { offset: name.start, owner })
      } else if (value.kind === 'object') {
        const known = this.#places.get(key)
        const sameName = known?.owner === owner ? known.offset : undefined
        this.#checkDuplicate(key, name.start, branches.get(name.text) ?? sameName)
        if (!branches.has(name.text)) branches.set(name.text, name.start)
        this.collect(value, key + this.#options.keySeparator)
      } else {
        const message = `the value of ${show(key)} is ${article(value.kind)}`
        const hint = 'Only texts and objects of texts are translations.'
        this.report('FILE_VALUE', value.start, key, message, hint)
      }
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

  #add(key: string, text: string, place: TextPlace): void {
    const known = this.#places.get(key)
    if (!known) {
      this.#entries.set(key, text)
      this.#places.set(key, place)
    } else if (known.owner === place.owner) this.#checkDuplicate(key, place.offset, known.offset)
    else {
      const message = `two paths join to the key ${show(key)}: this one and the one at ${this.#showPlace(known.offset)}`
      const hint = 'Rename one, or set keySeparator to a text that no key holds.'
      this.report('FILE_KEY_COLLISION', place.offset, key, message, hint)
    }
  }

  #checkDuplicate(key: string, offset: number, first: number | undefined): void {
    if (first === undefined) return
    const message = `the key ${show(key)} stands here and at ${this.#showPlace(first)}`
    this.report('FILE_DUPLICATE_KEY', offset, key, message, 'Remove one.')
  }

  /** Only an escape can be a lone surrogate here: the text itself is well-formed. */
  #checkWellFormed({ text, start, end }: MemberNode['key'], key: string | undefined): void {
    if (end - start === text.length + 2 || !LONE_SURROGATE.test(text)) return
    const message = 'a lone surrogate: half a character'
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
