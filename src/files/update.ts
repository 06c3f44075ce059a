/** Changes a translation file so that a diff shows nothing but the change. */
import { formatFinding, LocalizationError } from '../errors.ts'
import { LONE_SURROGATE } from './decode.ts'
import { addKeys } from './edit-keys.ts'
import { createEditTree, type EditMember, type EditObject, printEditTree, removeMembers } from './formats/edit-tree.ts'
import type { FileFormat, ObjectNode, TextPrinter } from './formats/format.ts'
import { formatOf } from './formats/index.ts'
import { detectLayout, type UpdateOptions } from './formats/layout.ts'
import { parseTranslationText } from './read.ts'

/** Key to its new text; `undefined` removes the key. */
export type TextChanges = ReadonlyMap<string, string | undefined>

/**
 * The text with `changes` applied. Untouched keys, order, indentation, line ends, byte order mark and final newline
 * stay byte for byte; one changed text changes one line. A new key goes behind the last key of its branch, or to its
 * place in a sorted file; a branch without keys is removed. `undefined` or blank text: a new file (two spaces, `\n`).
 * Errors: the first diagnostic of a text with errors; FILE_ENCODING for a lone surrogate; FILE_KEY_COLLISION where a
 * key cannot stand beside another key; FILE_DEPTH.
 */
export function updateTranslationText(
  current: string | undefined,
  changes: TextChanges,
  options: UpdateOptions,
): string {
  const { keySeparator, file } = options
  const isNew = current === undefined || current.replace(/^\uFEFF/, '').trim() === ''
  const text = isNew ? '{}\n' : current
  const expected = new Map(readEntries(text, options))
  const effective = new Map<string, string | undefined>()
  for (const [key, value] of changes) {
    checkWellFormed(key, value, file)
    if (expected.get(key) === value) continue
    effective.set(key, value)
    if (value === undefined) expected.delete(key)
    else expected.set(key, value)
  }
  if (effective.size === 0) return text

  const format = formatOf(file)
  const layout = detectLayout(text)
  const printer = format.createPrinter(layout)
  const node = rootOf(text, format)
  const { root, end } = createEditTree(text, node)
  applyChanges(root, '', effective, keySeparator, printer)
  const texts = [...effective].filter((change): change is [string, string] => change[1] !== undefined)
  if (texts.length > 0) addKeys(root, { texts, layout, printer, newObjects: format.newObjects }, options)
  const result = text.slice(0, node.start) + printEditTree(root, layout.eol) + text.slice(end)
  verify(result, expected, options)
  return result
}

function readEntries(text: string, { keySeparator, file }: UpdateOptions): ReadonlyMap<string, string> {
  const { entries, diagnostics } = parseTranslationText(text, { keySeparator, ...(file !== undefined && { file }) })
  const [fault] = diagnostics
  if (!fault) return entries
  const { code, hint, place } = fault
  throw new LocalizationError(`not written: ${formatFinding({ ...fault, place: undefined, hint: undefined })}`, {
    code,
    ...(hint !== undefined && { hint }),
    ...(place && { place }),
  })
}

function rootOf(text: string, format: FileFormat): ObjectNode {
  const parsed = format.parse(text)
  if ('root' in parsed && parsed.root.kind === 'object') return parsed.root
  throw new TypeError('a translation file is an object')
}

/** Replaces and removes texts, and takes these changes out of `changes`: what is left are new keys. */
function applyChanges(
  node: EditObject,
  prefix: string,
  changes: Map<string, string | undefined>,
  separator: string,
  printer: TextPrinter,
): boolean {
  const removed = new Set<EditMember>()
  let isChanged = false
  for (const member of node.members) {
    const key = prefix + member.name
    const { value } = member
    if (value.kind === 'object') {
      const hadMembers = value.members.length > 0
      if (!applyChanges(value, key + separator, changes, separator, printer)) continue
      if (hadMembers && value.members.length === 0) removed.add(member)
    } else if (changes.has(key)) {
      const text = changes.get(key)
      changes.delete(key)
      if (text === undefined) removed.add(member)
      else member.value = { kind: 'text', raw: printer.text(text, node, value.raw) }
    } else continue
    isChanged = true
  }
  if (removed.size > 0) removeMembers(node, removed)
  if (isChanged) node.raw = undefined
  return isChanged
}

function checkWellFormed(key: string, text: string | undefined, file: string | undefined): void {
  if (!LONE_SURROGATE.test(key + (text ?? ''))) return
  throw new LocalizationError('a lone surrogate (half a character) cannot be written as UTF-8', {
    code: 'FILE_ENCODING',
    place: { ...(file !== undefined && { file }), key },
  })
}

/** Reads the result before it is written: a mistake here must not lose a text. */
function verify(result: string, expected: ReadonlyMap<string, string>, { keySeparator, file }: UpdateOptions): void {
  const { ok, entries } = parseTranslationText(result, { keySeparator, ...(file !== undefined && { file }) })
  const isSame = ok && entries.size === expected.size && [...expected].every(([key, text]) => entries.get(key) === text)
  if (isSame) return
  throw new LocalizationError('nothing was written: the changed file would not read back as intended', {
    code: 'INTERNAL',
    ...(file !== undefined && { place: { file } }),
  })
}
