/** Changes a translation file with a minimal diff. */
import type { Value } from '../catalog/values.ts'
import { formatFinding, LocalizationError } from '../errors.ts'
import type { ObjectNode } from '../shared/json-parser.ts'
import { addKeys } from './add-keys.ts'
import { endsInLineComment } from './formats/comments.ts'
import {
  createEditTree,
  type EditBranch,
  type EditMember,
  type EditText,
  type EditTree,
  isBranch,
  printEditTree,
  removeMembers,
} from './formats/edit-tree.ts'
import { detectLayout, type FileFormat, type TextPrinter, type UpdateOptions } from './formats/format.ts'
import { formatOf } from './formats/index.ts'
import { branchesTo, type ModelTree, modelTree, removeComments } from './model-file.ts'
import { LONE_SURROGATE, type ParsedTranslations, parseTranslationText } from './read.ts'
import { findWrapper, type WrapperPath } from './texts-root.ts'

/** The new text of each key; `undefined` removes the key. */
export type TextChanges = ReadonlyMap<string, string | undefined>

/**
 * Returns the text with `changes` applied. The file's extension selects the format. Unchanged keys, order, indentation,
 * comments, line ends, byte order mark and final newline are preserved byte for byte; a changed text changes only its
 * own lines. A new key is added after the last key of its branch or, in a sorted file, at its place. A branch without
 * keys is removed. A new array element is added after the last one, or further on if another file has that many
 * elements. A removed element becomes an empty text, or is dropped if it is at the end. If the text is `undefined`,
 * blank or an empty object, the result is a new file in the layout of the model, or with two spaces and line feeds.
 * Throws the first diagnostic of a text with errors, FILE_ENCODING for a lone surrogate, FILE_KEY_COLLISION if the file
 * cannot contain both of two keys, and FILE_DEPTH.
 */
export function updateTranslationText(
  current: string | undefined,
  changes: TextChanges,
  options: UpdateOptions,
): string {
  const { keySeparator, file } = options
  const isNew = current === undefined || /^\uFEFF?\s*(?:\{\s*\}\s*)?$/.test(current)
  const text = current === undefined || current.trim() === '' ? '{}\n' : current
  const before = readTexts(text, options)
  const expected = new Map(before.entries)
  const effective = new Map<string, string | undefined>()
  for (const [key, value] of changes) {
    checkWellFormed(key, value, file)
    if (expected.get(key) === value) continue
    effective.set(key, value)
    if (value === undefined) expected.delete(key)
    else expected.set(key, value)
  }
  if (effective.size === 0) return text

  const model = modelTree(options.model, file)
  const format = formatOf(file)
  const node = rootOf(text, format)
  const wrapper = wrapperOf(node, options)
  const isCopy = isNew && model?.wrapper.length === wrapper.length
  const layout = isCopy ? model.layout : detectLayout(text)
  const printer = format.createPrinter(layout)
  const tree = isCopy ? copyOf(model, wrapper, printer) : createEditTree(text, node)
  const { root } = tree
  const change = (key: string, { kind }: EditText): TextEdit | undefined => {
    if (!isCopy && (kind !== 'text' || !effective.has(key))) return undefined
    const value = effective.get(key)
    effective.delete(key)
    return { text: value }
  }
  changeInside(root, wrapper, (inside) => applyChanges(inside, '', change, keySeparator, printer))
  const texts = [...effective].filter((entry): entry is [string, string] => entry[1] !== undefined)
  if (texts.length > 0)
    addKeys(root, { wrapper, texts, layout, printer, newBranches: format.newBranches, model }, options)
  const printed = printEditTree(root, layout.eol)
  const result = isCopy ? printed + model.lastEol : text.slice(0, node.start) + printed + text.slice(tree.end)
  verify(result, before, expected, options)
  return result
}

interface TextEdit {
  readonly text: string | undefined
}

/** The tree of a new file: a copy of the model, which still contains the model's texts. */
function copyOf(model: ModelTree, wrapper: WrapperPath, printer: TextPrinter): EditTree {
  const root = structuredClone(model.root)
  removeComments(root)
  const around = branchesTo(root, model.wrapper)
  for (const [depth, name] of wrapper.entries()) {
    const branch = around[depth] as EditBranch
    const below = around[depth + 1] as EditBranch
    removeMembers(branch, new Set(branch.members.filter(({ value }) => value !== below)))
    for (const member of branch.members) if (member.name !== name) member.key = printer.key(name, branch)
    for (const member of branch.members) member.name = name
  }
  return { root, end: 0 }
}

function readTexts(text: string, options: UpdateOptions): ParsedTranslations {
  const parsed = parseTranslationText(text, options)
  const [fault] = parsed.diagnostics
  if (!fault) return parsed
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
  throw new TypeError('a translation file must contain an object')
}

/** The names of the objects around the texts. In a file without these objects, the names of those to create. */
function wrapperOf(node: ObjectNode, { wrappers }: UpdateOptions): WrapperPath {
  const found = findWrapper(node, wrappers)
  return found.kind === 'found' ? found.path : (wrappers?.[0] ?? [])
}

function changeInside(root: EditBranch, wrapper: WrapperPath, change: (inside: EditBranch) => boolean): void {
  const around = branchesTo(root, wrapper)
  const inside = around.at(-1) as EditBranch
  if (around.length <= wrapper.length || !change(inside)) return
  for (const branch of around) branch.raw = undefined
  const member = around.at(-2)?.members.find(({ value }) => value === inside)
  if (!member || inside.style !== 'block' || inside.members.length > 0) return
  // The empty object is printed as `{}` on the line of its name.
  if (!endsInLineComment(member.colon.trimEnd())) member.colon = ': '
}

function applyChanges(
  node: EditBranch,
  prefix: string,
  change: (key: string, value: EditText) => TextEdit | undefined,
  separator: string,
  printer: TextPrinter,
): boolean {
  const removed = new Set<EditMember>()
  let isChanged = false
  for (const member of node.members) {
    const key = prefix + member.name
    const { value } = member
    if (isBranch(value)) {
      if (!applyChanges(value, key + separator, change, separator, printer)) continue
      if (value.members.length === 0) removed.add(member)
    } else {
      const edit = change(key, value)
      if (!edit) continue
      const old = value.kind === 'text' ? value.raw : undefined
      if (edit.text === undefined) removed.add(member)
      else member.value = { kind: 'text', raw: printer.text(edit.text, node, old) }
    }
    isChanged = true
  }
  if (removed.size > 0) removeMembers(node, node.kind === 'array' ? emptyElements(node, removed) : removed)
  if (isChanged) node.raw = undefined
  return isChanged
}

/**
 * Replaces removed elements with empty texts, and drops only those at the end. Otherwise, the index of later elements
 * would change.
 */
function emptyElements(node: EditBranch, removed: ReadonlySet<EditMember>): ReadonlySet<EditMember> {
  const kept = node.members.findLastIndex((member) => !removed.has(member))
  for (const member of node.members.slice(0, kept))
    if (removed.has(member)) member.value = isBranch(member.value) ? member.value : { kind: 'text', raw: '""' }
  return new Set(node.members.slice(kept + 1))
}

function checkWellFormed(key: string, text: string | undefined, file: string | undefined): void {
  if (!LONE_SURROGATE.test(key + (text ?? ''))) return
  throw new LocalizationError('a lone surrogate (half a character) cannot be written as UTF-8', {
    code: 'FILE_ENCODING',
    place: { ...(file !== undefined && { file }), key },
  })
}

/** Reads the result before it is written, so that a bug in this module cannot lose a text or another value. */
function verify(
  result: string,
  before: ParsedTranslations,
  expected: ReadonlyMap<string, string>,
  options: UpdateOptions,
) {
  const { file } = options
  const { ok, entries, values } = parseTranslationText(result, options)
  const isSame =
    [...expected].every(([key, text]) => entries.get(key) === text) &&
    [...entries].every(([key, text]) => text === '' || expected.has(key)) &&
    [...(before.values ?? [])].every(
      ([key, value]) => value.kind !== 'scalar' || isScalar(values?.get(key), value.json),
    )
  if (ok && isSame) return
  throw new LocalizationError('nothing was written: the changed file would not read back as intended', {
    code: 'INTERNAL',
    ...(file !== undefined && { place: { file } }),
  })
}

function isScalar(value: Value | undefined, json: string): boolean {
  return value?.kind === 'scalar' && value.json === json
}
