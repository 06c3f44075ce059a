/** Changing a translation file so that nothing but the change shows in a diff. */

import { formatFinding, LocalizationError } from '../errors.ts'
import { MAX_DEPTH } from '../shared/flatten.ts'
import { DEFAULT_LAYOUT, detectLayout, type FileLayout } from './layout.ts'
import { parseTranslationText } from './read.ts'
import { type FileTree, type Member, type ObjectNode, parseFileTree, printFileTree } from './tree.ts'

/** Key to its new text; `undefined` removes the key. */
export type TextChanges = ReadonlyMap<string, string | undefined>

export interface UpdateOptions {
  readonly keySeparator: string
  /** How keys are written into a file that does not show it yet (a new one, or one without nested and dotted keys). Default `flat`. */
  readonly shape?: 'flat' | 'nested'
  /** The file's name, for messages. */
  readonly file?: string
}

/**
 * The text with `changes` applied. Untouched keys, order, indentation, line ends, byte order mark and final newline stay byte for
 * byte; one changed text changes one line. New keys go behind the last one of their branch; a branch that loses its last key goes too.
 * `undefined` or blank text: a new file (two spaces, `\n`).
 * Errors: a text that `parseTranslationText` faults is not touched, its first diagnostic is thrown; FILE_ENCODING for a text or key
 * with a lone surrogate; FILE_KEY_COLLISION where a key cannot stand beside what is there; FILE_DEPTH.
 */
export function updateTranslationText(
  current: string | undefined,
  changes: TextChanges,
  options: UpdateOptions,
): string {
  const { keySeparator, file } = options
  const fresh = current === undefined || current.replace(/^\uFEFF/, '').trim() === ''
  const text = fresh ? '{}\n' : current
  const before = parseTranslationText(text, { keySeparator, ...(file !== undefined && { file }) })
  const [fault] = before.diagnostics
  if (fault) {
    throw new LocalizationError(`not written: ${formatFinding({ ...fault, place: undefined, hint: undefined })}`, {
      code: fault.code,
      ...(fault.hint !== undefined && { hint: fault.hint }),
      ...(fault.place && { place: fault.place }),
    })
  }
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

  const layout = fresh ? DEFAULT_LAYOUT : detectLayout(text)
  const tree = parseFileTree(text)
  const additions = applyToTree(tree.root, effective, keySeparator, layout)
  if (additions.size > 0) addKeys(tree, additions, layout, options)
  const result = printFileTree(tree)
  verify(result, expected, options)
  return result
}

/** Replaces and removes; gives back the keys that are not there yet. */
function applyToTree(
  root: ObjectNode,
  changes: ReadonlyMap<string, string | undefined>,
  separator: string,
  layout: FileLayout,
): ReadonlyMap<string, string> {
  const left = new Map(changes)
  // Recursive: a tree is at most MAX_DEPTH levels deep.
  const visit = (node: ObjectNode, prefix: string): boolean => {
    const removed = new Set<Member>()
    let changed = false
    for (const member of node.members) {
      const key = prefix + member.name
      if (member.value.kind === 'object') {
        const had = member.value.members.length > 0
        if (!visit(member.value, key + separator)) continue
        changed = true
        if (had && member.value.members.length === 0) removed.add(member)
      } else if (left.has(key)) {
        const text = left.get(key)
        left.delete(key)
        changed = true
        if (text === undefined) removed.add(member)
        else member.value = { kind: 'text', raw: quote(text, layout), text }
      }
    }
    if (removed.size > 0) removeMembers(node, removed)
    if (changed) node.raw = undefined
    return changed
  }
  visit(root, '')
  const additions = new Map<string, string>()
  for (const [key, text] of left) if (text !== undefined) additions.set(key, text)
  return additions
}

/** The first member's lead has no comma: whoever becomes the first takes it over. */
function removeMembers(node: ObjectNode, removed: ReadonlySet<Member>): void {
  const firstLead = node.members[0]?.lead ?? ''
  node.members = node.members.filter((member) => !removed.has(member))
  const [first] = node.members
  if (first) first.lead = firstLead
  else node.trail = ''
}

function addKeys(
  { root }: FileTree,
  additions: ReadonlyMap<string, string>,
  layout: FileLayout,
  { keySeparator, shape, file }: UpdateOptions,
): void {
  const printer = createPrinter(root, layout)
  const nested = isNested(root, keySeparator) ?? shape === 'nested'
  for (const [key, text] of additions) {
    let node = root
    let depth = 0
    node.raw = undefined
    let segments = keySeparator === '' ? [key] : key.split(keySeparator)
    for (let branch = longestBranch(printer.members(node), segments, keySeparator); branch; ) {
      node = branch.node
      node.raw = undefined
      segments = segments.slice(branch.taken)
      depth++
      branch = longestBranch(printer.members(node), segments, keySeparator)
    }
    if (!nested || segments.includes('') || segments.length + depth > MAX_DEPTH)
      segments = [segments.join(keySeparator)]
    while (segments.length > 1 && !printer.members(node).has(segments[0] as string)) {
      const child: ObjectNode = { kind: 'object', members: [], trail: '', raw: undefined }
      printer.append(node, depth, segments[0] as string, child)
      node = child
      segments = segments.slice(1)
      depth++
    }
    const name = segments.join(keySeparator)
    const occupied = printer.members(node).get(name)
    if (occupied) liftBranch(node, occupied, keySeparator, depth, printer, file)
    printer.append(node, depth, name, { kind: 'text', raw: quote(text, layout), text })
  }
}

/** The branch that carries most of the path; names may hold the separator themselves. */
function longestBranch(
  members: ReadonlyMap<string, Member>,
  segments: readonly string[],
  separator: string,
): { node: ObjectNode; taken: number } | undefined {
  for (let taken = segments.length - 1; taken > 0; taken--) {
    const value = members.get(segments.slice(0, taken).join(separator))?.value
    if (value?.kind === 'object') return { node: value, taken }
  }
  return undefined
}

/** Makes room for a text where a branch has its name: `{"a": {"b": "x"}}` becomes `{"a.b": "x"}`, and `"a"` is free. */
function liftBranch(
  node: ObjectNode,
  member: Member,
  separator: string,
  depth: number,
  printer: Printer,
  file: string | undefined,
): void {
  const { name, value: branch } = member
  const members = printer.members(node)
  if (
    branch.kind !== 'object' ||
    separator === '' ||
    branch.members.some((child) => members.has(name + separator + child.name))
  ) {
    throw new LocalizationError(`the key ${JSON.stringify(name)} cannot be a text and a branch at once`, {
      code: 'FILE_KEY_COLLISION',
      ...(file !== undefined && { place: { file } }),
      hint: 'Write this file with flat keys.',
    })
  }
  printer.remove(node, member)
  for (const child of branch.members) printer.append(node, depth, name + separator + child.name, child.value)
}

type Printer = ReturnType<typeof createPrinter>

/** Adds members written as their neighbours are, and finds them fast. */
function createPrinter(root: ObjectNode, layout: FileLayout) {
  const multiline =
    layout.indent !== '' || root.members.some(({ lead }) => /[\r\n]/.test(lead)) || root.members.length === 0
  const colon = root.members[0]?.colon ?? ': '
  const indent = (depth: number): string => (multiline ? layout.eol + layout.indent.repeat(depth) : '')
  const indexes = new WeakMap<ObjectNode, Map<string, Member>>()
  const members = (node: ObjectNode): Map<string, Member> => {
    let index = indexes.get(node)
    if (!index) {
      index = new Map(node.members.map((member) => [member.name, member]))
      indexes.set(node, index)
    }
    return index
  }
  return {
    /** By name; kept up to date by `append` and `remove`. */
    members,
    append(node: ObjectNode, depth: number, name: string, value: Member['value']): void {
      const last = node.members.at(-1)
      const lead = last ? `,${spaceOf(last.lead, layout.eol)}` : indent(depth + 1)
      if (!last) node.trail = indent(depth)
      const member = { name, lead, key: quote(name, layout), colon, value }
      members(node).set(name, member)
      node.members.push(member)
      node.raw = undefined
    },
    remove(node: ObjectNode, member: Member): void {
      members(node).delete(member.name)
      removeMembers(node, new Set([member]))
    },
  }
}

/** The white space of a lead, blank lines left out. */
function spaceOf(lead: string, eol: string): string {
  const space = lead.replace(',', '')
  const lineStart = Math.max(space.lastIndexOf('\n'), space.lastIndexOf('\r')) + 1
  return lineStart === 0 ? space : eol + space.slice(lineStart)
}

/** True: the file nests; false: it writes joined keys flat; `undefined`: it shows neither. */
function isNested(root: ObjectNode, separator: string): boolean | undefined {
  if (root.members.some(({ value }) => value.kind === 'object')) return true
  return separator !== '' && root.members.some(({ name }) => name.includes(separator)) ? false : undefined
}

function quote(text: string, { asciiOnly }: FileLayout): string {
  const quoted = JSON.stringify(text)
  if (!asciiOnly) return quoted
  return quoted.replace(/[^\p{ASCII}]/gu, (character) => {
    let escaped = ''
    for (let i = 0; i < character.length; i++) {
      escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`
    }
    return escaped
  })
}

function checkWellFormed(key: string, text: string | undefined, file: string | undefined): void {
  if (!/\p{Surrogate}/u.test(key + (text ?? ''))) return
  throw new LocalizationError('a lone surrogate (half a character) cannot be written as UTF-8', {
    code: 'FILE_ENCODING',
    place: { ...(file !== undefined && { file }), key },
  })
}

/** The result is read again before anybody writes it: a mistake here must not cost a text. */
function verify(result: string, expected: ReadonlyMap<string, string>, { keySeparator, file }: UpdateOptions): void {
  const after = parseTranslationText(result, { keySeparator })
  let same = after.ok && after.entries.size === expected.size
  if (same) for (const [key, text] of expected) if (after.entries.get(key) !== text) same = false
  if (same) return
  throw new LocalizationError('the change would not read back as it was meant: nothing was written', {
    code: 'INTERNAL',
    ...(file !== undefined && { place: { file } }),
  })
}
