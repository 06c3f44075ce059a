/** Changes a translation file so that a diff shows nothing but the change. */
import { formatFinding, LocalizationError } from '../../../errors.ts'
import { type ObjectNode, parseJson } from '../../../shared/json-parser.ts'
import { LONE_SURROGATE } from '../../decode.ts'
import { parseTranslationText } from '../../read.ts'
import { addKeys } from './edit-keys.ts'
import { createEditTree, type EditMember, type EditObject, printEditTree, removeMembers } from './edit-tree.ts'
import { DEFAULT_LAYOUT, detectLayout, type FileLayout, quote, type UpdateOptions } from './layout.ts'

/** Key to its new text; `undefined` removes the key. */
export type TextChanges = ReadonlyMap<string, string | undefined>

/**
 * The text with `changes` applied. Untouched keys, order, indentation, line ends, byte order mark and final newline
 * stay byte for byte; one changed text changes one line. A new key goes behind the last key of its branch; a branch
 * without keys is removed. `undefined` or blank text: a new file (two spaces, `\n`).
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

  const layout = isNew ? DEFAULT_LAYOUT : detectLayout(text)
  const root = rootOf(text)
  const tree = createEditTree(text, root)
  applyChanges(tree, '', effective, keySeparator, layout)
  const additions = [...effective].filter((change): change is [string, string] => change[1] !== undefined)
  if (additions.length > 0) addKeys(tree, additions, layout, options)
  const result = text.slice(0, root.start) + printEditTree(tree) + text.slice(root.end)
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

function rootOf(text: string): ObjectNode {
  const parsed = parseJson(text)
  if ('root' in parsed && parsed.root.kind === 'object') return parsed.root
  throw new TypeError('a translation file is an object')
}

/** Replaces and removes texts, and takes these changes out of `changes`: what is left are new keys. */
function applyChanges(
  node: EditObject,
  prefix: string,
  changes: Map<string, string | undefined>,
  separator: string,
  layout: FileLayout,
): boolean {
  const removed = new Set<EditMember>()
  let isChanged = false
  for (const member of node.members) {
    const key = prefix + member.name
    const { value } = member
    if (value.kind === 'object') {
      const hadMembers = value.members.length > 0
      if (!applyChanges(value, key + separator, changes, separator, layout)) continue
      if (hadMembers && value.members.length === 0) removed.add(member)
    } else if (changes.has(key)) {
      const text = changes.get(key)
      changes.delete(key)
      if (text === undefined) removed.add(member)
      else member.value = { kind: 'text', raw: quote(text, layout) }
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
  const { ok, entries } = parseTranslationText(result, { keySeparator })
  const isSame = ok && entries.size === expected.size && [...expected].every(([key, text]) => entries.get(key) === text)
  if (isSame) return
  throw new LocalizationError('nothing was written: the changed file would not read back as intended', {
    code: 'INTERNAL',
    ...(file !== undefined && { place: { file } }),
  })
}
