/** Reading one translation file: texts with their places, and everything that is wrong with it. */

import { readFile } from 'node:fs/promises'
import { type Diagnostic, type ErrorCode, messageOf } from '../errors.ts'
import { hashOf } from '../shared/hash.ts'
import { createPositions, decodeJsonString, scanJson, type TextPosition } from '../shared/json-scanner.ts'
import { decodeText, LONE_SURROGATE } from './decode.ts'
import { detectLayout, type FileLayout } from './layout.ts'

export interface ParseOptions {
  /** Joins nested paths. */
  readonly keySeparator: string
  /** The file's name as diagnostics show it. */
  readonly file?: string
}

export interface ParsedTranslations {
  /** Flat key to text, in the file's order. Of a key that comes twice the first text. */
  readonly entries: ReadonlyMap<string, string>
  /** Where the key of a text stands. */
  positionOf(key: string): TextPosition | undefined
  readonly diagnostics: readonly Diagnostic[]
  /** No diagnostic is an error: the texts may be used and pushed. */
  readonly ok: boolean
  readonly layout: FileLayout
}

export interface TranslationFileContent extends ParsedTranslations {
  /** SHA-256 of the bytes, hexadecimal. */
  readonly hash: string
  readonly bytes: Uint8Array
}

/** More findings than this in one file are counted, not listed. */
const MOST_DIAGNOSTICS = 50

/**
 * Reads a file. `undefined`: it is not there. What is wrong with it comes as diagnostics, a file that cannot be read (FILE_READ) included.
 */
export async function readTranslationFile(
  path: string,
  options: ParseOptions,
): Promise<TranslationFileContent | undefined> {
  const file = options.file ?? path
  let bytes: Uint8Array
  try {
    bytes = await readFile(path)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const finding = { message: `cannot be read: ${messageOf(cause)}`, place: { file } }
    bytes = new Uint8Array()
    return { ...failed('', { severity: 'error', code: 'FILE_READ', ...finding }), hash: hashOf(bytes), bytes }
  }
  return { ...parseTranslationText(bytes, { ...options, file }), hash: hashOf(bytes), bytes }
}

/**
 * Parses the content of a translation file: flat or nested objects of strings. Diagnostics: FILE_ENCODING, FILE_SYNTAX, FILE_DEPTH (no
 * entries then), FILE_VALUE, FILE_DUPLICATE_KEY, FILE_KEY_COLLISION (the other entries are there, `ok` is false).
 */
export function parseTranslationText(content: string | Uint8Array, options: ParseOptions): ParsedTranslations {
  const { file } = options
  const decoded = decodeText(content)
  if (typeof decoded !== 'string') {
    return failed('', {
      severity: 'error',
      code: 'FILE_ENCODING',
      message: decoded.message,
      hint: 'Save the file as UTF-8.',
      place: { file, ...decoded.position },
    })
  }
  const collector = createCollector(decoded, options)
  const { problem } = scanJson(decoded, collector.visitor)
  if (problem) {
    const { kind, message, hint, line, column } = problem
    const code: ErrorCode = kind === 'depth' ? 'FILE_DEPTH' : 'FILE_SYNTAX'
    return failed(decoded, { severity: 'error', code, message, hint, place: { file, line, column } })
  }
  return collector.result()
}

function failed(text: string, diagnostic: Diagnostic): ParsedTranslations {
  return {
    entries: new Map(),
    positionOf: () => undefined,
    diagnostics: [diagnostic],
    ok: false,
    layout: detectLayout(text),
  }
}

/** One object while it is open. */
interface Frame {
  /** Joined path with the separator behind it; empty at the root. */
  readonly prefix: string
  readonly id: number
  /** Names of its members that are objects. */
  branches: Map<string, number> | undefined
}

/** Gathers texts while the scanner runs. */
function createCollector(text: string, { keySeparator, file }: ParseOptions) {
  const entries = new Map<string, string>()
  // By order of entry: where the key's token begins, and the object it stands in.
  const offsets: number[] = []
  const owners: number[] = []
  const diagnostics: Diagnostic[] = []
  let suppressed = 0
  let ids = 0
  let frame: Frame | undefined
  const frames: Frame[] = []
  // How many containers are open inside an array: an array is one finding, whatever it holds.
  let arrays = 0
  let name = ''
  let nameStart = 0
  let order: Map<string, number> | undefined
  let positions: ((offset: number) => TextPosition) | undefined
  const placeAt = (offset: number): TextPosition => {
    positions ??= createPositions(text)
    return positions(offset)
  }

  const orderOf = (key: string): number | undefined => {
    order ??= new Map()
    if (order.size < entries.size) {
      let index = 0
      for (const known of entries.keys()) order.set(known, index++)
    }
    return order.get(key)
  }
  const report = (code: ErrorCode, offset: number, key: string | undefined, message: string, hint?: string): void => {
    if (diagnostics.length >= MOST_DIAGNOSTICS) {
      suppressed++
      return
    }
    const place = { file, ...placeAt(offset), ...(key !== undefined && { key }) }
    diagnostics.push({ severity: 'error', code, message, ...(hint !== undefined && { hint }), place })
  }
  const placeName = (offset: number): string => {
    const { line, column } = placeAt(offset)
    return `${file === undefined ? '' : `${file}:`}${line}:${column}`
  }
  const duplicate = (key: string, first: number): void =>
    report(
      'FILE_DUPLICATE_KEY',
      nameStart,
      key,
      `the key ${show(key)} stands here and at ${placeName(first)}`,
      'Remove one.',
    )
  const collides = (key: string, first: number): void =>
    report(
      'FILE_KEY_COLLISION',
      nameStart,
      key,
      `two paths join to the key ${show(key)}: this one and the one at ${placeName(first)}`,
      'Rename one, or set keySeparator to a text that no key holds.',
    )
  const checkWellFormed = (value: string, start: number, key: string | undefined): void => {
    if (!LONE_SURROGATE.test(value)) return
    report('FILE_ENCODING', start, key, 'a lone surrogate: half a character', 'Write the character itself.')
  }
  const wrongValue = (type: string, start: number): void => {
    const owner = frame
    if (owner === undefined) {
      report('FILE_VALUE', start, undefined, `expected an object of texts, found ${article(type)}`)
      return
    }
    const key = owner.prefix + name
    report(
      'FILE_VALUE',
      start,
      key,
      `the value of ${show(key)} is ${article(type)}`,
      'Only texts and objects of texts are translations.',
    )
  }

  return {
    visitor: {
      open(kind: 'object' | 'array', start: number): void {
        if (arrays > 0) {
          arrays++
          return
        }
        if (kind === 'array') {
          wrongValue('array', start)
          arrays = 1
          return
        }
        let prefix = ''
        if (frame) {
          const key = frame.prefix + name
          const first = frame.branches?.get(name)
          if (first !== undefined) duplicate(key, first)
          else if (entries.has(key)) {
            const index = orderOf(key)
            if (index !== undefined && owners[index] === frame.id) duplicate(key, offsets[index] as number)
          }
          frame.branches ??= new Map()
          if (first === undefined) frame.branches.set(name, nameStart)
          prefix = key + keySeparator
          frames.push(frame)
        }
        frame = { prefix, id: ids++, branches: undefined }
      },
      close(): void {
        if (arrays > 0) arrays--
        else frame = frames.pop()
      },
      key(start: number, end: number, escaped: boolean): void {
        if (arrays > 0) return
        name = decodeJsonString(text, start, end)
        nameStart = start
        if (escaped) checkWellFormed(name, start, undefined)
      },
      string(start: number, end: number, escaped: boolean): void {
        if (arrays > 0) return
        if (frame === undefined) {
          wrongValue('string', start)
          return
        }
        const value = decodeJsonString(text, start, end)
        const key = frame.prefix + name
        if (escaped) checkWellFormed(value, start, key)
        const branch = frame.branches?.get(name)
        if (branch !== undefined) duplicate(key, branch)
        if (entries.has(key)) {
          const index = orderOf(key) as number
          const first = offsets[index] as number
          if (owners[index] === frame.id) duplicate(key, first)
          else collides(key, first)
          return
        }
        entries.set(key, value)
        offsets.push(nameStart)
        owners.push(frame.id)
      },
      other(type: 'number' | 'boolean' | 'null', start: number): void {
        if (arrays === 0) wrongValue(type, start)
      },
    },
    result(): ParsedTranslations {
      if (suppressed > 0) {
        const message = `${suppressed} more findings in this file are not listed`
        diagnostics.push({ severity: 'error', code: diagnostics[0]?.code ?? 'FILE_VALUE', message, place: { file } })
      }
      let layout: FileLayout | undefined
      return {
        entries,
        positionOf(key) {
          const index = orderOf(key)
          return index === undefined ? undefined : placeAt(offsets[index] as number)
        },
        diagnostics,
        ok: diagnostics.length === 0,
        get layout() {
          layout ??= detectLayout(text)
          return layout
        },
      }
    },
  }
}

function article(type: string): string {
  if (type === 'null') return 'null'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function show(key: string): string {
  return JSON.stringify(key.length > 80 ? `${key.slice(0, 80)}...` : key)
}
